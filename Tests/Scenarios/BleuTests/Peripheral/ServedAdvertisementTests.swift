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

    @Test(
        "An advertisement has the service and the name of the type",
        arguments: ServingStage.kinds
    )
    func content(kind: SimulatedBlueZVersion) async throws {
        try await ServingStage.play(kind) { stage in
            try await stage.expectAdvertisements(["Probe \(Probe.service)"])
            let name = String(repeating: "LongName", count: 5)
            try await stage.peripheral.startAdvertising(stage.probe.served(Self.description(name)))
            try await stage.expectAdvertisements([
                "LongNameLongNameLongNameLongN \(Self.other)", "Probe \(Probe.service)",
            ])
            try await stage.peripheral.stopAdvertising()
            try await stage.expectAdvertisements([])
        }
    }

    @Test("An actor is advertised again after each connection", arguments: ServingStage.kinds)
    func connections(kind: SimulatedBlueZVersion) async throws {
        try await ServingStage.play(kind) { stage in
            for _ in 0..<4 { _ = try await stage.caller([]) }
            try await stage.wait(.seconds(3))
            try await stage.expectAdvertisements(["Probe \(Probe.service)"])
        }
    }

    @Test("An update changes the actor that was started last, and keeps subscribers")
    func update() async throws {
        try await ServingStage.play { stage in
            let caller = try await stage.caller()
            let second = stage.probe.served(Self.description("Other"))
            try await stage.peripheral.startAdvertising(second)
            let data = AdvertisementData(localName: "Kitchen", manufacturerData: [76: Data([1])])
            try await stage.peripheral.updateAdvertisement(data)
            try await stage.expectAdvertisements([
                "Kitchen \(Self.other)", "Probe \(Probe.service)",
            ])
            #expect(try await caller.call("echo") == Answer(.value, "[]"))
        }
    }

    @Test("An update that does not fit is refused with its length and changes nothing")
    func longUpdate() async throws {
        try await ServingStage.play { stage in
            let data = AdvertisementData(serviceUUIDs: [UUID()])
            await #expect(throws: BleuRegistrationError.advertisementTooLong(length: 37, limit: 31))
            {
                try await stage.peripheral.updateAdvertisement(data)
            }
            try await stage.expectAdvertisements(["Probe \(Probe.service)"])
            try await stage.peripheral.stopAdvertising()
            await #expect(throws: BleuRegistrationError.notAdvertising) {
                try await stage.peripheral.updateAdvertisement(AdvertisementData())
            }
        }
    }

    @Test("A stopped actor still serves its connected central, and can start again")
    func stop() async throws {
        try await ServingStage.play { stage in
            let caller = try await stage.caller()
            try await stage.peripheral.stopAdvertising()
            #expect(try await caller.call("echo") == Answer(.value, "[]"))
            try await stage.peripheral.startAdvertising(stage.probe.served())
            try await stage.expectAdvertisements(["Probe \(Probe.service)"])
            #expect(try await caller.call("echo") == Answer(.value, "[]"))
        }
    }

    @Test("Another actor of the type is refused while the first is advertised, then replaces it")
    func secondActor() async throws {
        try await ServingStage.play { stage in
            let caller = try await stage.caller()
            let second = Probe(stage.world)
            let served = second.served()
            await #expect(throws: BleuRegistrationError.alreadyServed(type: "Probe")) {
                try await stage.peripheral.startAdvertising(served)
            }
            try await stage.peripheral.stopAdvertising()
            try await stage.peripheral.startAdvertising(served)
            try await stage.peripheral.startAdvertising(served)
            #expect(try await caller.call("echo") == Answer(.value, "[]"))
            #expect(second.count(of: "echo") == 1 && stage.probe.count(of: "echo") == 0)
            try await stage.expectAdvertisements(["Probe \(Probe.service)"])
        }
    }

    @Test("An actor is retained while it is advertised")
    func retained() async throws {
        try await ServingStage.play { stage in
            var actor: Probe? = Probe(stage.world)
            weak let reference = actor
            var served = Probe(stage.world).served(Self.description("Other"))
            served.retained = actor
            actor = nil
            try await stage.peripheral.startAdvertising(served)
            served.retained = nil
            #expect(reference != nil)
            try await stage.peripheral.stopAdvertising()
            #expect(reference == nil)

            try stage.world.perform { $0.setPowered(false, ofAdapter: 0) {} }
            try await stage.wait(.seconds(1))
            actor = Probe(stage.world)
            weak let refused = actor
            served.retained = actor
            actor = nil
            await #expect(throws: BleuError.self) {
                try await stage.peripheral.startAdvertising(served)
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
        try await ServingStage.play { stage in
            let twin = stage.probe.served(Probe.description(module: "Twin"))
            await #expect(throws: BleuRegistrationError.sameName("Tests.Probe", "Twin.Probe")) {
                try await stage.peripheral.startAdvertising(twin)
            }
        }
    }

    @Test("Concurrent starts, stops and updates leave the actor advertised")
    func atOnce() async throws {
        try await ServingStage.play { stage in
            let served = stage.probe.served()
            try await stage.peripheral.stopAdvertising()
            await withTaskGroup { group in
                for _ in 0..<5 {
                    group.addTask { try? await stage.peripheral.startAdvertising(served) }
                    group.addTask { try? await stage.peripheral.updateAdvertisement(.init()) }
                    group.addTask { try? await stage.peripheral.stopAdvertising() }
                }
            }
            try await stage.peripheral.startAdvertising(served)
            try await stage.expectAdvertisements(["Probe \(Probe.service)"])
            #expect(try await stage.caller().call("echo") == Answer(.value, "[]"))
        }
    }

    @Test("Starting while Bluetooth is off is an error, and a refusal leaves nothing behind")
    func unavailable() async throws {
        try await ServingStage.play { stage in
            let other = stage.probe.served(Self.description("Other"))
            let name = "org.bluez.Error.NotPermitted"
            try stage.world.perform {
                $0.apply(.callsRefused("RegisterAdvertisement", name: name, text: "no"))
            }
            await #expect(throws: BleuRegistrationError.self) {
                try await stage.peripheral.startAdvertising(other)
            }
            try stage.world.perform { $0.apply(.callsReleased("RegisterAdvertisement")) }
            try await stage.peripheral.startAdvertising(other)
            try await stage.peripheral.stopAdvertising()
            try stage.world.perform { $0.setPowered(false, ofAdapter: 0) {} }
            try await stage.wait(.seconds(1))
            await #expect {
                try await stage.peripheral.startAdvertising(other)
            } throws: {
                if case BleuError.bluetoothUnavailable = $0 { true } else { false }
            }
        }
    }

    @Test(
        "The service and the advertisement return after a restart of bluetoothd and a power cycle"
    )
    func restart() async throws {
        try await ServingStage.play { stage in
            let caller = try await stage.caller()
            try await caller.send(.call, "wait")
            try await stage.wait(for: "call") { stage.probe.count(of: "wait") == 1 }
            try stage.world.perform { $0.apply(.daemonKilled) }
            try await stage.wait(.seconds(3))
            #expect(stage.probe.cancelledCalls.value == 1)
            try stage.world.perform { $0.apply(.daemonStarted) }
            try await stage.wait(for: "advertisement") { try !stage.advertisements().isEmpty }
            #expect(try await stage.caller().call("echo") == Answer(.value, "[]"))
            try stage.world.perform { $0.setPowered(false, ofAdapter: 0) {} }
            try await stage.wait(.seconds(30))
            try stage.world.perform { $0.setPowered(true, ofAdapter: 0) {} }
            try await stage.wait(for: "advertisement") { try !stage.advertisements().isEmpty }
            #expect(try await stage.caller().call("echo") == Answer(.value, "[]"))
        }
    }

    @Test("A service and an advertisement that bluetoothd refuses later are retried")
    func refusedRestart() async throws {
        try await ServingStage.play { stage in
            let methods = ["RegisterApplication", "RegisterAdvertisement"]
            for method in methods {
                let name = "org.bluez.Error.Failed"
                try stage.world.perform {
                    $0.apply(.callsRefused(method, name: name, text: "Failed"))
                }
            }
            try stage.world.perform { $0.apply(.adapterUnplugged(0)) }
            try await stage.wait(.seconds(1))
            try stage.world.perform { $0.apply(.adapterPlugged(0)) }
            try await stage.wait(.seconds(25))
            try await stage.expectAdvertisements([])
            let long = AdvertisementData(serviceUUIDs: [UUID()])
            await #expect(throws: BleuRegistrationError.advertisementTooLong(length: 37, limit: 31))
            {
                try await stage.peripheral.updateAdvertisement(long)
            }
            await #expect(throws: BleuRegistrationError.self) {
                try await stage.peripheral.updateAdvertisement(AdvertisementData(localName: "New"))
            }
            for method in methods { try stage.world.perform { $0.apply(.callsReleased(method)) } }
            try await stage.wait(.seconds(11))
            try await stage.expectAdvertisements(["New \(Probe.service)"])
            #expect(try await stage.caller().call("echo") == Answer(.value, "[]"))
        }
    }
}

extension ServingStage {
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
