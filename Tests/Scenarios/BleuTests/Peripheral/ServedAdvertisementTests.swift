import BluejayTesting
import Foundation
import Testing

@testable import Bleu
@testable import BluejaySimulator

@Suite("Advertisements of actors", .timeLimit(.minutes(15)))
struct ServedAdvertisementTests {
    private static let other = "11111111-0000-4000-8000-000000000000"

    private static func description(
        _ typeName: String,
        service: String = other
    ) -> PeripheralDescription {
        let probe = Probe.description()
        return PeripheralDescription(
            typeName: typeName,
            qualifiedName: "Tests.\(typeName)",
            service: UUID(uuidString: service) ?? UUID(),
            methods: probe.methods
        )
    }

    @Test("An advertisement has the service and the name of the type", arguments: ServingRoom.kinds)
    func content(kind: SimulatedBlueZVersion) async throws {
        try await ServingRoom.play(kind) { room in
            try await room.expectAdvertisements(["Probe \(Probe.service)"])
            let name = String(repeating: "LongName", count: 5)
            try await room.peripheral.startAdvertising(room.probe.served(Self.description(name)))
            try await room.expectAdvertisements([
                "LongNameLongNameLongNameLongN \(Self.other)", "Probe \(Probe.service)",
            ])
            try await room.peripheral.stopAdvertising()
            try await room.expectAdvertisements([])
        }
    }

    @Test("An actor is advertised again after each connection", arguments: ServingRoom.kinds)
    func connections(kind: SimulatedBlueZVersion) async throws {
        try await ServingRoom.play(kind) { room in
            for _ in 0..<4 { _ = try await room.caller([]) }
            try await room.wait(.seconds(3))
            try await room.expectAdvertisements(["Probe \(Probe.service)"])
        }
    }

    @Test("An update changes the actor that was started last, and keeps subscribers")
    func update() async throws {
        try await ServingRoom.play { room in
            let caller = try await room.caller()
            let second = room.probe.served(Self.description("Other"))
            try await room.peripheral.startAdvertising(second)
            let data = AdvertisementData(localName: "Kitchen", manufacturerData: [76: Data([1])])
            try await room.peripheral.updateAdvertisement(data)
            try await room.expectAdvertisements([
                "Kitchen \(Self.other)", "Probe \(Probe.service)",
            ])
            #expect(try await caller.call("echo") == Answer(.value, "[]"))
        }
    }

    @Test("An update that does not fit is refused with its length and changes nothing")
    func longUpdate() async throws {
        try await ServingRoom.play { room in
            let data = AdvertisementData(serviceUUIDs: [UUID()])
            await #expect(throws: BleuRegistrationError.advertisementTooLong(length: 37, limit: 31))
            {
                try await room.peripheral.updateAdvertisement(data)
            }
            try await room.expectAdvertisements(["Probe \(Probe.service)"])
            try await room.peripheral.stopAdvertising()
            await #expect(throws: BleuRegistrationError.notAdvertising) {
                try await room.peripheral.updateAdvertisement(AdvertisementData())
            }
        }
    }

    @Test("A stopped actor still serves its connected central, and can start again")
    func stop() async throws {
        try await ServingRoom.play { room in
            let caller = try await room.caller()
            try await room.peripheral.stopAdvertising()
            #expect(try await caller.call("echo") == Answer(.value, "[]"))
            try await room.peripheral.startAdvertising(room.probe.served())
            try await room.expectAdvertisements(["Probe \(Probe.service)"])
            #expect(try await caller.call("echo") == Answer(.value, "[]"))
        }
    }

    @Test("Another actor of the type is refused while the first is advertised, then replaces it")
    func secondActor() async throws {
        try await ServingRoom.play { room in
            let caller = try await room.caller()
            let second = Probe(room.world)
            let served = second.served()
            await #expect(throws: BleuRegistrationError.alreadyServed(type: "Probe")) {
                try await room.peripheral.startAdvertising(served)
            }
            try await room.peripheral.stopAdvertising()
            try await room.peripheral.startAdvertising(served)
            try await room.peripheral.startAdvertising(served)
            #expect(try await caller.call("echo") == Answer(.value, "[]"))
            #expect(second.count(of: "echo") == 1 && room.probe.count(of: "echo") == 0)
            try await room.expectAdvertisements(["Probe \(Probe.service)"])
        }
    }

    @Test("An actor is retained while it is advertised")
    func retained() async throws {
        try await ServingRoom.play { room in
            var actor: Probe? = Probe(room.world)
            weak let reference = actor
            var served = Probe(room.world).served(Self.description("Other"))
            served.retained = actor
            actor = nil
            try await room.peripheral.startAdvertising(served)
            served.retained = nil
            #expect(reference != nil)
            try await room.peripheral.stopAdvertising()
            #expect(reference == nil)

            try room.world.perform { $0.setPowered(false, ofAdapter: 0) {} }
            try await room.wait(.seconds(1))
            actor = Probe(room.world)
            weak let refused = actor
            served.retained = actor
            actor = nil
            await #expect(throws: BleuError.self) {
                try await room.peripheral.startAdvertising(served)
            }
            served.retained = nil
            #expect(refused == nil)
        }
    }

    @Test("The release of a system withdraws advertisements and services")
    func released() async throws {
        let world = try await TestWorld.make()
        let host = BluetoothHost(
            mainLoop: world.mainLoop,
            adapter: "hci0",
            busAddress: world.busAddress
        )
        try await world.run {
            let probe = Probe(world)
            var peripheral: LocalPeripheralActor? = LocalPeripheralActor(.init(), host)
            weak let reference = peripheral
            try await peripheral?.startAdvertising(probe.served())
            let central = try world.addCentral()
            try await central.connect()
            try await central.subscribe(to: Probe.uuid("numbers"))
            try await Caller(central, session: 1, mtu: 517).send(.call, "numbers")
            try await world.clock.sleep(for: .seconds(1))
            peripheral = nil
            try await world.clock.sleep(for: .seconds(2))
            #expect(reference == nil)
            #expect(probe.endedProducers.value == 1)
            #expect(try world.perform { $0.adapters[0].advertisements.isEmpty })
            await #expect(throws: CentralError.self) {
                try await central.write([1], to: Probe.uuid("echo"))
            }
        }
    }

    @Test("Two types with the same name are refused")
    func sameName() async throws {
        try await ServingRoom.play { room in
            let twin = room.probe.served(Probe.description(module: "Twin"))
            await #expect(throws: BleuRegistrationError.sameName("Tests.Probe", "Twin.Probe")) {
                try await room.peripheral.startAdvertising(twin)
            }
        }
    }

    @Test("Concurrent starts, stops and updates leave the actor advertised")
    func atOnce() async throws {
        try await ServingRoom.play { room in
            let served = room.probe.served()
            try await room.peripheral.stopAdvertising()
            await withTaskGroup { group in
                for _ in 0..<5 {
                    group.addTask { try? await room.peripheral.startAdvertising(served) }
                    group.addTask { try? await room.peripheral.updateAdvertisement(.init()) }
                    group.addTask { try? await room.peripheral.stopAdvertising() }
                }
            }
            try await room.peripheral.startAdvertising(served)
            try await room.expectAdvertisements(["Probe \(Probe.service)"])
            #expect(try await room.caller().call("echo") == Answer(.value, "[]"))
        }
    }

    @Test("Starting while Bluetooth is off is an error, and a refusal leaves nothing behind")
    func unavailable() async throws {
        try await ServingRoom.play { room in
            let other = room.probe.served(Self.description("Other"))
            let name = "org.bluez.Error.NotPermitted"
            try room.world.perform {
                $0.apply(.callsRefused("RegisterAdvertisement", name: name, text: "no"))
            }
            await #expect(throws: BleuRegistrationError.self) {
                try await room.peripheral.startAdvertising(other)
            }
            try room.world.perform { $0.apply(.callsReleased("RegisterAdvertisement")) }
            try await room.peripheral.startAdvertising(other)
            try await room.peripheral.stopAdvertising()
            try room.world.perform { $0.setPowered(false, ofAdapter: 0) {} }
            try await room.wait(.seconds(1))
            await #expect {
                try await room.peripheral.startAdvertising(other)
            } throws: {
                if case BleuError.bluetoothUnavailable = $0 { true } else { false }
            }
        }
    }

    @Test(
        "The service and the advertisement return after a restart of bluetoothd and a power cycle"
    )
    func restart() async throws {
        try await ServingRoom.play { room in
            let caller = try await room.caller()
            try await caller.send(.call, "wait")
            try await room.wait(for: "call") { room.probe.count(of: "wait") == 1 }
            try room.world.perform { $0.apply(.daemonKilled) }
            try await room.wait(.seconds(3))
            #expect(room.probe.cancelledCalls.value == 1)
            try room.world.perform { $0.apply(.daemonStarted) }
            try await room.wait(for: "advertisement") { try !room.advertisements().isEmpty }
            #expect(try await room.caller().call("echo") == Answer(.value, "[]"))
            try room.world.perform { $0.setPowered(false, ofAdapter: 0) {} }
            try await room.wait(.seconds(30))
            try room.world.perform { $0.setPowered(true, ofAdapter: 0) {} }
            try await room.wait(for: "advertisement") { try !room.advertisements().isEmpty }
            #expect(try await room.caller().call("echo") == Answer(.value, "[]"))
        }
    }

    @Test("A service and an advertisement that bluetoothd refuses later are retried")
    func refusedRestart() async throws {
        try await ServingRoom.play { room in
            let methods = ["RegisterApplication", "RegisterAdvertisement"]
            for method in methods {
                let name = "org.bluez.Error.Failed"
                try room.world.perform {
                    $0.apply(.callsRefused(method, name: name, text: "Failed"))
                }
            }
            try room.world.perform { $0.apply(.adapterUnplugged(0)) }
            try await room.wait(.seconds(1))
            try room.world.perform { $0.apply(.adapterPlugged(0)) }
            try await room.wait(.seconds(25))
            try await room.expectAdvertisements([])
            let long = AdvertisementData(serviceUUIDs: [UUID()])
            await #expect(throws: BleuRegistrationError.advertisementTooLong(length: 37, limit: 31))
            {
                try await room.peripheral.updateAdvertisement(long)
            }
            await #expect(throws: BleuRegistrationError.self) {
                try await room.peripheral.updateAdvertisement(AdvertisementData(localName: "New"))
            }
            for method in methods { try room.world.perform { $0.apply(.callsReleased(method)) } }
            try await room.wait(.seconds(11))
            try await room.expectAdvertisements(["New \(Probe.service)"])
            #expect(try await room.caller().call("echo") == Answer(.value, "[]"))
        }
    }
}

extension ServingRoom {
    /// Expects the names and services within five seconds, because each connection registers them again.
    func expectAdvertisements(
        _ expected: [String],
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        for _ in 0..<100 where try advertisements() != expected {
            try await wait(.milliseconds(50))
        }
        #expect(try advertisements() == expected, sourceLocation: location)
    }

    func advertisements() throws -> [String] {
        try world.perform { blueZ in
            (blueZ.adapters.first { $0.name == "hci0" }?.advertisements ?? []).map {
                "\($0.name ?? "") \($0.serviceUUIDs.joined().uppercased())"
            }.sorted()
        }
    }
}
