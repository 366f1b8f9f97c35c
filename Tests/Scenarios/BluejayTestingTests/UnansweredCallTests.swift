import Bluejay
import BluejayAsync
import BluejayGATTServer
import BluejaySimulator
import BluejayTesting
import Foundation
import TestTraits
import Testing

/// Tests `PendingCalls` and `AttributeCalls`.
@Suite("A bluetoothd that does not respond", .timeLimit(.minutes(15)))
struct UnansweredCallTests {
    private func stranger() throws -> PeripheralIdentifier {
        try PeripheralIdentifier(
            address: "C0:00:00:00:00:77",
            isRandomAddress: true,
            name: nil
        )
    }

    private func thrown(_ work: () async throws -> Void) async -> BluejayError? {
        await #expect(throws: BluejayError.self) { try await work() }
    }

    @Test(
        "A connect whose discovery receives no reply fails with serviceNotResponding",
        .fault(.daemonHangs, during: .connect),
        .simulatedBlueZ,
        arguments: ["SetDiscoveryFilter", "StartDiscovery"]
    )
    func search(member: String) async throws {
        let bluejay = try await startedBluejay()
        try await bluejay.waitUntilReady()
        try TestWorld.current.perform { $0.apply(.callsHeld(member)) }
        let error = await thrown { try await bluejay.connect(stranger()) }
        #expect(error == .bluetoothUnavailable(.serviceNotResponding))
    }

    @Test(
        "A connect that times out during an unanswered discovery mentions the service",
        .simulatedBlueZ
    )
    func limit() async throws {
        let bluejay = try await startedBluejay()
        try await bluejay.waitUntilReady()
        var events = bluejay.connectionEvents.makeAsyncIterator()
        #expect(await events.next() == .bluetoothAvailable(true))
        try TestWorld.current.perform { $0.apply(.callsHeld("StartDiscovery")) }
        let error = await thrown {
            try await bluejay.connect(stranger(), timeout: .seconds(20))
        }
        #expect(error == .connectionTimedOut)
        #expect(error?.description.contains("the Bluetooth service does not respond") == true)
        let unknown = await thrown {
            try TestWorld.current.perform { $0.apply(.callsReleased("StartDiscovery")) }
            try await bluejay.connect(stranger(), timeout: .seconds(20))
        }
        #expect(unknown?.description.contains("is on and in range") == true)
    }

    @Test(
        "A read or write without a response for 30 s is not described as rejected",
        .simulatedBlueZ {
            let device = SimulatedDevice.heartRateSensor()
            let silent = ScriptedCharacteristic("FFE1", ["read", "write"], .neverReplies)
            device.addService("FFE0", [silent])
            $0.add(device)
        },
        arguments: [true, false]
    )
    func unanswered(isRead: Bool) async throws {
        let bluejay = try await startedBluejay()
        let sensor = try await find(SimulatedDevice.HeartRateSensor.service, by: bluejay)
        try await bluejay.connect(sensor)
        let silent = CharacteristicIdentifier(
            uuid: "FFE1",
            service: ServiceIdentifier(uuid: "FFE0")
        )
        let error = await thrown {
            if isRead {
                _ = try await bluejay.read(from: silent, timeout: .none)
            } else {
                try await bluejay.write(to: silent, value: UInt8(1), timeout: .none)
            }
        }
        #expect(error == .attribute(.unlikelyError))
        #expect(error?.description.contains("the peripheral did not answer within 30 s") == true)
        #expect(error?.description.contains("rejected") == false)
        // The remedy.
        try TestWorld.current.perform {
            $0.device(SimulatedDevice.HeartRateSensor.address)?.setBehavior(
                .value([7]),
                of: "FFE1"
            )
        }
        try await TestWorld.current.clock.sleep(for: .seconds(5))
        if !bluejay.isConnected { try await bluejay.connect(sensor) }
        #expect(try await bluejay.read(from: silent, as: UInt8.self) == 7)
    }

    @Test(
        "A scan without a reply fails with serviceNotResponding",
        .fault(.daemonHangs, during: .scan),
        .simulatedBlueZ
    )
    func scan() async throws {
        let bluejay = try await startedBluejay()
        try await bluejay.waitUntilReady()
        try TestWorld.current.perform { $0.apply(.callsHeld("StartDiscovery")) }
        let error = await thrown { for try await _ in bluejay.scan(duration: 60) {} }
        #expect(error == .bluetoothUnavailable(.serviceNotResponding))
    }

    @Test(
        "A scan rejected by the adapter is not described as a response of a peripheral",
        .simulatedBlueZ
    )
    func refusedScan() async throws {
        let bluejay = try await startedBluejay()
        try await bluejay.waitUntilReady()
        let name = "org.bluez.Error.NotSupported"
        try TestWorld.current.perform {
            $0.apply(.callsRefused("StartDiscovery", name: name, text: "no"))
        }
        let error = await thrown { for try await _ in bluejay.scan(duration: 60) {} }
        #expect(error == .daemon(name: name, message: "no"))
    }

    @Test(
        "A registration without a reply fails with serviceNotResponding",
        .simulatedBlueZ,
        arguments: ["RegisterApplication", "RegisterAdvertisement"]
    )
    func registration(member: String) async throws {
        let world = try TestWorld.current
        try world.perform { $0.apply(.callsHeld(member)) }
        let server = GATTServer(mainLoop: world.mainLoop)
        try await world.expect("the result") { done in
            publishBell(with: server) { error in
                let error = error as? BluejayError
                #expect(error == .bluetoothUnavailable(.serviceNotResponding))
                done()
            }
        }
    }

    @Test(
        "An alias without a reply fails with serviceNotResponding",
        .pitfall(.propertyErrors),
        .simulatedBlueZ { $0.add(.heartRateSensor()) }
    )
    func alias() async throws {
        let bluejay = try await startedBluejay()
        let sensor = try await find(SimulatedDevice.HeartRateSensor.service, by: bluejay)
        try await bluejay.connect(sensor)
        try TestWorld.current.perform { $0.apply(.callsHeld("Set")) }
        let error = await thrown { try await bluejay.setAlias("A") }
        #expect(error == .bluetoothUnavailable(.serviceNotResponding))
    }

    @Test(
        "A bluetoothd that does not answer the first call is unresponsive, not missing",
        .pitfall(.missingDaemon)
    )
    func start() async throws {
        let world = try await TestWorld.make()
        try await world.run {
            try world.perform { $0.apply(.callsHeld("GetManagedObjects")) }
            let bluejay = try await startedBluejay()
            try await world.clock.sleep(for: .seconds(40))
            #expect(bluejay.bluetoothState == .serviceNotResponding)
            try world.perform { $0.apply(.callsReleased("GetManagedObjects")) }
            try await bluejay.waitUntilReady()
        }
    }
}
