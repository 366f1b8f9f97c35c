import Bluejay
import BluejayGATTServer
import BluejaySimulator
import BluejayTesting
import Foundation
import TestTraits
import Testing

@Suite("A server that a fault interrupts", .timeLimit(.minutes(15)))
struct InterruptedServerTests {
    private static let service = BluetoothUUID(string: "FFE0")

    /// Ends the link of the central, which is no scripted device.
    private static func interrupt(
        _ stage: RehearsalStage,
        _ interruption: Interruption
    ) async throws -> Bool {
        let phone = stage.phones[0]
        switch interruption {
        case .linkLost: try phone.perform { $0.play([.loseLink]) { _ in } }
        case .outOfRange: phone.leaveRange()
        case .otherDisconnects: try stage.apply(.otherProgramDisconnects(phone.address))
        case .silent, .servicesChange, .bluetoothOff, .unplugged, .daemonKilled, .daemonHangs,
            .busLost:
            return false
        }
        return true
    }

    @Test(
        "An advertisement returns after each fault, and a central can read again",
        .fault(
            .linkLost,
            .outOfRange,
            .bluetoothOff,
            .unplugged,
            .daemonKilled,
            .daemonHangs,
            .busLost,
            .otherDisconnects,
            during: .advertising
        ),
        arguments: [
            Expected(.linkLost, .nothing, works: 2),
            Expected(.outOfRange, .nothing, works: 2),
            Expected(.bluetoothOff, .nothing, works: 2),
            Expected(.unplugged, .end("not advertising"), works: 3),
            Expected(.daemonKilled, .end("not advertising"), works: 3),
            Expected(.daemonHangs, .nothing, works: 2),
            Expected(.busLost, .end("not advertising"), works: 4),
            Expected(.otherDisconnects, .nothing, works: 2),
        ] as [Expected]
    )
    func advertising(expected: Expected) async throws {
        let advertising = Activity(
            prepare: { stage in
                let level = LocalCharacteristic(uuid: "FFE1", value: Data([5]))
                try await stage.serve(LocalService(uuid: Self.service, characteristics: [level]))
                try await stage.connectPhone()
            },
            run: { stage in
                stage.server.onAdvertisingEnded = { error in
                    stage.ending = error.map { "\($0.code)" } ?? "ended"
                }
                while stage.server.isAdvertising, stage.ending == nil { try await stage.sleep(0.1) }
                throw Unhelpful(text: stage.ending ?? "not advertising")
            },
            interrupt: Self.interrupt,
            release: { $0.phones[0].returnToRange() },
            works: { stage in
                guard stage.server.isAdvertising else { throw Unhelpful(text: "not advertising") }
                let phone = stage.phones[0]
                if !phone.isConnected { try await phone.connect(within: .seconds(1)) }
                _ = try await phone.read("FFE1")
            }
        )
        try await advertising.check(expected)
    }

    @Test(
        "A served read ends with each fault, and the central can read again",
        .fault(
            .outOfRange,
            .bluetoothOff,
            .unplugged,
            .daemonKilled,
            .daemonHangs,
            .busLost,
            .otherDisconnects,
            during: .servedRead
        ),
        arguments: [
            Expected(.outOfRange, .end("the request is over, the link was lost"), works: 2),
            Expected(.bluetoothOff, .end("the request is over, the link was lost"), works: 2),
            Expected(.unplugged, .end("the request is over, the link was lost"), works: 2),
            Expected(.daemonKilled, .end("the request is over, refused: ATT 0x0e"), works: 2),
            Expected(
                .daemonHangs,
                .end("the request is over, refused: ATT 0x0e"),
                in: 62,
                works: 2
            ),
            Expected(.busLost, .end("the request is over, refused: ATT 0x0e"), works: 4),
            Expected(
                .otherDisconnects,
                .end("the request is over, the link was lost"),
                in: 3,
                works: 2
            ),
        ] as [Expected]
    )
    func servedRead(expected: Expected) async throws {
        let read = Activity(
            prepare: { stage in
                let level = LocalCharacteristic(
                    uuid: "FFE1",
                    properties: [.read],
                    onRead: { (request: ReadRequest) -> Void in
                        if stage.count > 0 { request.respond(with: Data([5])) }
                        stage.others.append(request)
                    }
                )
                level.responseTimeout = .milliseconds(4_500)
                try await stage.serve(LocalService(uuid: Self.service, characteristics: [level]))
                try await stage.connectPhone()
            },
            run: { stage in
                let phone = stage.phones[0]
                async let reading = phone.play([.read("FFE1")])
                try await stage.wait("a request") { !stage.others.isEmpty }
                let request = stage.others[0] as? ReadRequest
                while request?.isOver == false { try await stage.sleep(0.1) }
                let report = try await reading
                let end = report.failures.first.map { "\($0.error)" } ?? "\(report.reads)"
                throw Unhelpful(text: "the request is over, \(end)")
            },
            interrupt: Self.interrupt,
            release: { stage in
                stage.count = 1
                stage.phones[0].returnToRange()
            },
            works: { stage in
                let phone = stage.phones[0]
                if !phone.isConnected { try await phone.connect(within: .seconds(1)) }
                _ = try await phone.read("FFE1")
            }
        )
        try await read.check(expected)
    }
}
