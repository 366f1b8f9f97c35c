import Bluejay
import BluejayAsync
import BluejayGATTServer
import BluejaySimulator
import BluejayTesting
import Foundation
import Testing

@Suite("Virtual time and asynchronous handlers", .timeLimit(.minutes(15)))
struct AsyncHandlerTimeTests {
    enum Work: CaseIterable {
        case computes, waitsForMachine, sleepsInWorld, callsLibrary

        /// The virtual time that the work takes.
        var time: Duration {
            switch self {
            case .computes, .waitsForMachine: .zero
            case .sleepsInWorld, .callsLibrary: .seconds(1)
            }
        }

        func perform(_ clock: TestClock, _ bluejay: Bluejay) async {
            switch self {
            case .computes:
                let begin = ContinuousClock.now
                while ContinuousClock.now - begin < .milliseconds(300) { await Task.yield() }
            // Real time is the subject here.
            case .waitsForMachine: try? await Task.sleep(for: .milliseconds(300))
            case .sleepsInWorld: try? await clock.sleep(for: .seconds(1))
            case .callsLibrary:
                _ = try? await bluejay.connect(toFirst: .namePrefix("Nobody"), within: 1)
            }
        }
    }

    private func serve(
        _ characteristic: LocalCharacteristic
    ) async throws -> (server: GATTServer, phone: TestCentral) {
        let world = try TestWorld.current
        let server = GATTServer(mainLoop: world.mainLoop)
        let service = LocalService(
            uuid: BluetoothUUID(string: "FFE0"),
            characteristics: [characteristic]
        )
        try await world.expect("the service") { done in
            server.start()
            server.add(service) { _ in
                server.startAdvertising(LocalAdvertisement(serviceUUIDs: [service.uuid])) { _ in
                    done()
                }
            }
        }
        let phone = try world.addCentral()
        try await phone.connect()
        return (server, phone)
    }

    @Test(
        "Virtual time stops while a handler works, and advances while it sleeps on the clock",
        .simulatedBlueZ,
        arguments: Work.allCases
    )
    func handlers(work: Work) async throws {
        let world = try TestWorld.current
        let clock = world.clock
        let bluejay = try await startedBluejay()
        try await bluejay.waitUntilReady()
        let characteristic = LocalCharacteristic(
            uuid: BluetoothUUID(string: "FFE1"),
            properties: [.read, .write],
            onRead: { request in
                await work.perform(clock, bluejay)
                request.respond(with: Data([7]))
            },
            onWrite: { request in
                await work.perform(clock, bluejay)
                request.accept()
            }
        )
        // The second request waits for two handlers.
        characteristic.responseTimeout = .milliseconds(4_500)
        let (server, phone) = try await serve(characteristic)
        let other = try world.addCentral()
        try await other.connect()
        let begin = clock.now
        // The second request waits until the first is answered.
        async let written: Void = other.write([1], to: "FFE1")
        #expect(try await phone.read("FFE1") == [7])
        try await written
        let time = begin.duration(to: clock.now)
        #expect(time >= work.time * 2)
        #expect(time < work.time * 2 + .seconds(1))
        withExtendedLifetime(server) {}
    }

    @Test("Virtual time stops while ten requests wait for a handler", .simulatedBlueZ)
    func queue() async throws {
        let world = try TestWorld.current
        let clock = world.clock
        let characteristic = LocalCharacteristic(
            uuid: BluetoothUUID(string: "FFE1"),
            properties: [.write],
            onWrite: { request in
                // Real time is the subject here.
                try? await Task.sleep(for: .milliseconds(300))
                request.accept()
            }
        )
        let (server, _) = try await serve(characteristic)
        let begin = clock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 {
                let phone = try world.addCentral()
                group.addTask {
                    try await phone.connect()
                    try await phone.write([1], to: "FFE1")
                }
            }
            try await group.waitForAll()
        }
        #expect(begin.duration(to: clock.now) < .seconds(1))
        withExtendedLifetime(server) {}
    }

    @Test("Virtual time advances eventually if a handler never responds", .simulatedBlueZ)
    func silent() async throws {
        let (never, end) = AsyncStream.makeStream(of: Void.self)
        let characteristic = LocalCharacteristic(
            uuid: BluetoothUUID(string: "FFE1"),
            properties: [.read],
            onRead: { request in
                for await _ in never {}
                request.respond(with: Data())
            }
        )
        let (server, phone) = try await serve(characteristic)
        await #expect(throws: CentralError.refused(0x0E)) { _ = try await phone.read("FFE1") }
        end.finish()
        withExtendedLifetime(server) {}
    }

    @Test(
        "Virtual time stops while a pairing handler works",
        .simulatedBlueZ { $0.add(.passkeyLock()) }
    )
    func pairing() async throws {
        let bluejay = try await startedBluejay()
        let lock = try await find(SimulatedDevice.DoorLock.service, by: bluejay)
        try await bluejay.connect(lock, timeout: .seconds(10))
        await bluejay.setPairingHandler { request, _ in
            // Real time is the subject here.
            try? await Task.sleep(for: .milliseconds(300))
            return request == .passkey ? .passkey(SimulatedDevice.DoorLock.passkey) : .reject
        }
        try await bluejay.pair()
    }
}
