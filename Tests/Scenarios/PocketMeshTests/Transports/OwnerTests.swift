import BluejayGLib
import BluejaySimulator
import Foundation
import TestSupport
import Testing

@testable import PocketMesh

@Suite("Owners of a connection", .timeLimit(.minutes(15)))
struct OwnerTests {
    enum Detour: CaseIterable {
        case switched, connected, reconnecting
    }

    @Test("A transport serves only its own radio, and otherwise fails", arguments: Detour.allCases)
    func otherRadio(detour: Detour) async throws {
        try await RadioStage.play { stage in
            let second = "C0:00:00:00:00:02"
            let other = UncheckedTransfer(simulatedRadio(address: second, name: "Two"))
            await stage.system.perform { $0.add(other.value) }
            let transport = iOSBLETransport(deviceID: RadioStage.device, stateMachine: stage.radio)
            try await transport.connect()
            if detour == .switched {
                _ = try await stage.radio.switchDevice(to: RadioStage.id(of: second))
            } else {
                await stage.radio.disconnect()
                _ = try await stage.radio.connect(to: RadioStage.id(of: second))
            }
            if detour == .reconnecting {
                await stage.system.perform { $0.device(second)?.leaveRange() }
                try await stage.wait(for: "autoReconnecting")
            }
            #expect(await !transport.isConnected)
            #expect(await transport.receivedData.all().isEmpty)
            let refused = await failure { try await transport.connect() }
            #expect((refused as? BLEError).map(caseName) == "connectionFailed")
            let unsent = await failure { try await transport.send(Data([1])) }
            #expect(unsent as? BLEError == .notConnected)
            await transport.disconnect()
            #expect(await stage.radio.currentPhase != .idle)
            let count = await stage.system.read { $0.device(second)?.writeCount }
            #expect(count == .some(0))
            _ = try await stage.radio.switchDevice(to: RadioStage.device)
            try await transport.send(Data([2]))
            #expect(await stage.written() == [[2]])
        }
    }

    @Test("A manager that is refused another radio keeps its connection")
    func managerKeeps() async throws {
        try await RadioStage.play { stage in
            let transport = iOSBLETransport(stateMachine: stage.radio)
            let manager = ConnectionManager(transport: transport)
            try await manager.connect(to: RadioStage.device)
            let other = RadioStage.id(of: "C0:00:00:00:00:02")
            let refused = await failure { try await manager.connect(to: other) }
            #expect((refused as? BLEError).map(caseName) == "connectionFailed")
            try await transport.send(Data([2]))
            await manager.disconnect()
            #expect(await stage.radio.currentPhase == .idle)
        }
    }

    @Test("A second session that is refused leaves the connection of the first one")
    func sessions() async throws {
        try await RadioStage.play { stage in
            let transport = iOSBLETransport(deviceID: RadioStage.device, stateMachine: stage.radio)
            await stage.on { $0.answersDiscovery = false }
            let first = MeshCoreSession(transport: transport)
            let second = MeshCoreSession(transport: transport)
            let start = Task { try await first.start() }
            try await stage.wait(for: "discoveringServices")
            let error = await failure { try await second.start() }
            #expect((error as? BLEError).map(caseName) == "connectionFailed")
            #expect(await stage.radio.currentPhase.name == "discoveringServices")
            await stage.on { $0.answersDiscovery = true }
            try await start.value
            #expect(await transport.isConnected)
        }
    }

    @Test(
        "A failed session leaves a connection that another session has made"
    )
    func joined() async throws {
        let mock = MockTransport()
        try await mock.connect()
        #expect(try await mock.connectAsOwner() == false)
        let transport = FaultyTransport(failing: "connect")
        let session = MeshCoreSession(transport: transport)
        await #expect(throws: FaultyTransport.Refusal.self) { try await session.start() }
        #expect(await transport.calls == ["connect"])
    }

    @Test("Concurrent connects of a simple transport all succeed with one connection")
    func simple() async throws {
        try await RadioStage.play { stage in
            let transport = BLETransport(deviceID: RadioStage.device, host: stage.radio.host)
            let calls = (0..<3).map { _ in Task { try await transport.connect() } }
            for call in calls { try await call.value }
            #expect(await transport.isConnected)
            try await transport.send(Data([1]))
            await transport.disconnect()
        }
    }

    @Test("A cancelled waiting caller stops waiting, and the others continue")
    func cancelled() async throws {
        try await RadioStage.play { stage in
            let transport = BLETransport(deviceID: RadioStage.device, host: stage.radio.host)
            await stage.on { $0.answersDiscovery = false }
            let first = Task { try await transport.connect() }
            try await wait { await stage.isLinked() }
            let second = Task { try await transport.connect() }
            let third = Task { try await transport.connect() }
            second.cancel()
            await #expect(throws: CancellationError.self) { try await second.value }
            await stage.on { $0.answersDiscovery = true }
            try await first.value
            try await third.value
            #expect(await transport.isConnected)
            await transport.disconnect()
        }
    }

    @Test("A simple transport reports why it does not connect")
    func reasons() async throws {
        let mute = simulatedRadio(flags: (["write"], ["read"]))
        try await RadioStage.play(.v5_86, { _, _ in }, mute) { stage in
            let transport = BLETransport(deviceID: RadioStage.device, host: stage.radio.host)
            let error = await failure { try await transport.connect() }
            let other = await failure { _ = try await stage.radio.connect(to: RadioStage.device) }
            for error in [error, other] {
                #expect((error as? BLEError).map(caseName) == "connectionFailed", "\(error as Any)")
            }
            try await wait { await !stage.isLinked() }
        }
        try await RadioStage.play(holds: true) { stage in
            let transport = BLETransport(deviceID: RadioStage.device, host: stage.radio.host)
            await stage.on { $0.hold(.subscription, of: rx) }
            let call = Task { try await transport.connect() }
            try await wait { await stage.heldCount(.subscription, of: rx) == 1 }
            await transport.disconnect()
            let error = await failure { try await call.value }
            #expect(error as? BLEError == .connectionFailed("disconnect() was called"))
            await stage.on { $0.release(.subscription, of: rx) }
            try await transport.connect()
            await transport.disconnect()
        }
    }
}
