import Bluejay
import BluejayAsync
import BluejayGATTServer
import BluejaySimulator
import Foundation
import TestSupport
import Testing

@Suite("Centrals that pair with a server", .timeLimit(.minutes(15)))
struct PairingTests {
    private static let service = ServiceIdentifier(uuid: "FFE0")

    /// Connects a `Bluejay` on `hci1` to a server on `hci0` whose pairing handler answers `accepting`.
    private func play(
        accepting: Bool,
        _ body: (Bluejay, Notes) async throws -> Void
    ) async throws {
        let slot = await BusSlot.acquire()
        defer { withExtendedLifetime(slot) {} }
        var options = SimulatorOptions()
        options.timeScale = 0.1
        let system = try await SimulatedSystem.start(options)
        let loop = MainLoop(threadName: "server")
        let notes = Notes()
        let server = await onLoop(loop) {
            let server = GATTServer(mainLoop: loop, adapter: "hci0", busAddress: system.busAddress)
            let service = LocalService(
                uuid: BluetoothUUID(string: "FFE0"),
                characteristics: [
                    LocalCharacteristic(
                        uuid: BluetoothUUID(string: "FFE1"),
                        properties: [.read],
                        value: Data([1])
                    )
                ]
            )
            server.pairingHandler = { request, central, answer in
                notes.add("\(request) of \(central.name)")
                if accepting { answer.accept() }
            }
            server.start()
            server.add(service)
            server.startAdvertising(LocalAdvertisement(serviceUUIDs: [service.uuid]))
            return server
        }
        let bluejay = Bluejay(mainLoop: loop, adapter: "hci1", busAddress: system.busAddress)
        await bluejay.start()
        try await bluejay.waitUntilReady()
        for try await discovery in bluejay.scan(serviceIdentifiers: [Self.service]) {
            try await bluejay.connect(discovery.peripheralIdentifier, timeout: 10)
            break
        }
        try await body(bluejay, notes)
        await onLoop(loop) { server.pairingHandler = nil }
        try await bluejay.disconnect()
        await onLoop(loop) { withExtendedLifetime(server) {} }
    }

    @Test(
        "The pairing handler of the server answers for the central, not the central's own handler"
    )
    func accepted() async throws {
        try await play(accepting: true) { bluejay, notes in
            await bluejay.setPairingHandler { request, _ in
                notes.add("central: \(request)")
                return .reject
            }
            try await bluejay.pair()
            #expect(try await bluejay.peripheralDetails().isPaired)
            #expect(notes.all == ["authorization of BlueZ 5.66"])
        }
    }

    @Test("A server that does not answer rejects the pairing")
    func refused() async throws {
        try await play(accepting: false) { bluejay, notes in
            await #expect {
                try await bluejay.pair()
            } throws: {
                ($0 as? BluejayError)?.code == .pairingFailed
            }
            #expect(notes.all.count == 1)
        }
    }

    private func onLoop<R: Swift.Sendable>(
        _ loop: MainLoop,
        _ work: @escaping @Sendable () -> R
    ) async -> R {
        await withCheckedContinuation { continuation in
            loop.post { continuation.resume(returning: work()) }
        }
    }
}

// Written on the loop and read after the last callback, which justifies `@unchecked`.
private final class Notes: @unchecked Swift.Sendable {
    private(set) var all: [String] = []
    func add(_ text: String) { all.append(text) }
}
