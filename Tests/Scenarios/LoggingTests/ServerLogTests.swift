import Bluejay
import BluejayAsync
import BluejayGATTServer
import BluejaySimulator
import Foundation
import Logging
import TestSupport
import Testing

@Suite("Log of a server", .timeLimit(.minutes(15)))
struct ServerLogTests {
    private static let service = ServiceIdentifier(uuid: "FFE0")
    private static let silent = CharacteristicIdentifier(uuid: "FFE1", service: service)

    @Test("The log has registrations and reads, and warns about an uncompleted request")
    func server() async throws {
        let slot = await BusSlot.acquire()
        defer { withExtendedLifetime(slot) {} }
        let system = try await SimulatedSystem.start(SimulatorOptions())
        try await Recorder.with(.trace) { recorder in
            let server = await recorder.run {
                let server = GATTServer(
                    mainLoop: recorder.loop,
                    adapter: "hci0",
                    busAddress: system.busAddress
                )
                let characteristic = LocalCharacteristic(
                    uuid: BluetoothUUID(string: "FFE1"),
                    properties: [.read],
                    onRead: { _ in }
                )
                let service = LocalService(
                    uuid: BluetoothUUID(string: "FFE0"),
                    characteristics: [characteristic]
                )
                server.start()
                server.add(service)
                server.startAdvertising(LocalAdvertisement(serviceUUIDs: [service.uuid]))
                return server
            }
            try await readOnce(system)
            await recorder.run { withExtendedLifetime(server) {} }
            let lines = recorder.lines(of: "bluejay.server")
            let debug = lines.filter { $0.level == .debug }.map { "\($0.message) \($0["what"])" }
            #expect(debug.contains("registered service FFE0"))
            #expect(debug.contains("registered advertisement"))
            #expect(debug.contains("connected "))
            #expect(
                lines.contains { $0.message == "read requested" && $0["characteristic"] == "FFE1" }
            )
            let warnings = recorder.lines.filter { $0.level == .warning }
            #expect(warnings.map(\.message) == ["request not completed"])
            #expect(Set(lines.map { $0["server"] }).count == 1)
            let bus = recorder.lines(of: "bluejay.dbus")
            #expect(bus.contains { $0.message == "← call" && $0["member"].hasSuffix(".ReadValue") })
            let answer = bus.first {
                $0.message == "→ error" && $0["member"].hasSuffix(".ReadValue")
            }
            #expect(answer?["took"].hasSuffix("ms") == true)
        }
    }

    private func readOnce(_ system: SimulatedSystem) async throws {
        let client = Bluejay(
            mainLoop: MainLoop(threadName: "client"),
            adapter: "hci1",
            busAddress: system.busAddress
        )
        await client.start()
        try await client.waitUntilReady()
        for try await discovery in client.scan(serviceIdentifiers: [Self.service]) {
            try await client.connect(discovery.peripheralIdentifier, timeout: 10)
            break
        }
        _ = try? await client.read(from: Self.silent) as Data
        try await client.disconnect()
    }
}
