import BluejayCore
import BluejayGLib
import BluejaySimulator
import BluejayTesting
import Foundation
import Testing

@testable import PocketMesh

@Suite("A link that comes up late", .timeLimit(.minutes(5)))
struct LateLinkTests {
    enum Way: CaseIterable {
        case cancelled, disconnected, timedOut, superseded
    }

    @Test("32.28: a link that comes up behind its connect is cut", arguments: Way.allCases)
    func late(way: Way) async throws {
        try await VirtualField.play { field in
            let radio = field.radio
            try await field.see()
            try field.world.perform { $0.apply(.callsHeld("Connect")) }
            let call = Task { try await radio.connect(to: Field.device) }
            try await field.wait(for: "connecting")
            try await field.wait(.seconds(1))
            let other = Field.id(of: "C0:00:00:00:00:02")
            let next = Task {
                if way == .superseded { _ = try await radio.switchDevice(to: other) }
            }
            switch way {
            case .cancelled: call.cancel()
            case .disconnected: await radio.disconnect()
            case .timedOut, .superseded: break
            }
            await #expect(throws: (any Error).self) { _ = try await call.value }
            try await field.wait(.seconds(12))
            try field.world.perform { $0.apply(.callsReleased("Connect")) }
            try await field.wait { try field.isLinked() }
            try await field.wait { try !field.isLinked() }
            _ = try? await next.value
            #expect(await radio.currentPhase == .idle)
        }
    }

    @Test("32.28: a link that comes up behind its connect serves the next one")
    func wanted() async throws {
        try await VirtualField.play { field in
            let radio = field.radio
            try await field.see()
            try field.world.perform { $0.apply(.callsHeld("Connect")) }
            let call = Task { try await radio.connect(to: Field.device) }
            try await field.wait(for: "connecting")
            try await field.wait(.seconds(1))
            call.cancel()
            await #expect(throws: CancellationError.self) { _ = try await call.value }
            try await field.wait(.seconds(5))
            let next = Task { try await radio.connect(to: Field.device) }
            try await field.wait(for: "connecting")
            try field.world.perform { $0.apply(.callsReleased("Connect")) }
            _ = try await next.value
            try await radio.send(Data([1]))
            await radio.disconnect()
            #expect(try !field.isLinked())
        }
    }
}
