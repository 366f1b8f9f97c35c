import Bluejay
import BluejayGATTServer
import BluejayL2CAP
import Foundation
import Logging
import Testing

@Suite("Log of failed calls without a completion", .timeLimit(.minutes(15)))
struct UnreceivedErrorTests {
    private static let peripheral = PeripheralIdentifier(uuid: UUID(), name: "Nobody")
    private static let service = ServiceIdentifier(uuid: "FFE0")
    private static let value = CharacteristicIdentifier(uuid: "FFE1", service: service)

    /// Makes calls on a loop, and expects one warning for each, in order.
    private func expectWarnings(
        _ label: String,
        _ names: [String],
        of calls: @escaping @Sendable (MainLoop) -> Void
    ) async throws {
        try await Recorder.with(.warning) { recorder in
            await recorder.run { calls(recorder.loop) }
            // A call that is rejected completes on a later iteration.
            for _ in 0..<10 { await recorder.run {} }
            let lines = recorder.lines(of: label)
            #expect(lines.map { $0["call"] } == names)
            #expect(lines.allSatisfy { $0.message == "call failed" && $0.level == .warning })
            #expect(lines.allSatisfy { !$0["error"].isEmpty })
        }
    }

    @Test("Each failed call of a Bluejay is logged once")
    func bluejay() async throws {
        let names = [
            "disconnect(immediate:completion:)", "disconnect(immediate:completion:)",
            "endListen(to:timeout:completion:)", "endListen(to:timeout:completion:)", "forget(_:)",
            "cancelPairing()", "setPowered(_:of:)", "setAdapterAlias(_:of:)",
        ]
        try await expectWarnings("bluejay.queue", names) { loop in
            let bluejay = Bluejay(mainLoop: loop)
            bluejay.disconnect()
            bluejay.disconnect(completion: nil)
            bluejay.endListen(to: Self.value)
            bluejay.endListen(to: Self.value, completion: nil)
            bluejay.forget(Self.peripheral)
            bluejay.cancelPairing()
            bluejay.setPowered(true)
            bluejay.setAdapterAlias("Kitchen")
        }
    }

    @Test("Each failed call of a server and its advertisement is logged once")
    func server() async throws {
        let names = [
            "add(_:)", "remove(_:)", "startAdvertising(_:)", "advertise(_:)", "update(to:)",
        ]
        try await expectWarnings("bluejay.server", names) { loop in
            let server = GATTServer(mainLoop: loop)
            let service = LocalService(
                uuid: BluetoothUUID(string: "1801"),
                characteristics: []
            )
            let advertisement = LocalAdvertisement(serviceUUIDs: [service.uuid])
            server.add(service)
            server.remove(service)
            server.startAdvertising(advertisement)
            server.advertise(advertisement).update(to: advertisement)
        }
    }

    @Test("A packet that a channel cannot send is logged once")
    func channel() async throws {
        try await expectWarnings("bluejay.channel", ["send(_:)"]) { loop in
            let channel = L2CAPChannel(
                to: Self.peripheral,
                psm: 0x80,
                host: BluetoothHost(mainLoop: loop)
            )
            channel.send(Data([1]))
        }
    }
}
