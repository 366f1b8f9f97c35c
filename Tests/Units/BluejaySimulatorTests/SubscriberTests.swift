import BluejayDBus
import BluejaySimulator
import Testing

/// Tests `ApplicationCharacteristicServer`.
@Suite("Subscribers of an application", .timeLimit(.minutes(15)))
struct SubscriberTests {
    private static let address = "C0:FF:EE:00:00:01"

    /// Returns an application that advertises on hci1, in a system whose user accepts pairing.
    private func served(
        _ kind: SimulatedBlueZVersion = .v5_66,
        acquires: Bool = false
    ) async throws -> (SimulatorStage, Application) {
        let stage = try await SimulatorStage(kind)
        let application = try await Application(stage.system.busAddress)
        await application.export(acquires: acquires)
        #expect(await application.register() == "ok")
        await application.exportAdvertisement([
            ("Type", .string("peripheral")), ("Discoverable", .boolean(true)),
        ])
        #expect(await application.advertise() == "ok")
        await stage.system.perform { world in
            world.userAgreesToPairing = true
            world.add(SimulatedCentral(address: Self.address))
        }
        return (stage, application)
    }

    private func play(_ steps: [CentralStep], in stage: SimulatorStage) async {
        let failures = await withCheckedContinuation { continuation in
            Task {
                await stage.system.perform { world in
                    world.central(Self.address)?.play(steps) { report in
                        continuation.resume(returning: report.failures.count)
                    }
                }
            }
        }
        #expect(failures == 0)
    }

    private func received(in stage: SimulatorStage) async -> [[UInt8]]? {
        await stage.system.read { $0.central(Self.address)?.values(of: "2A38") ?? [] }
    }

    @Test(
        "A bonded central that disconnects stays subscribed, and receives values after it returns"
    )
    func bonded() async throws {
        let (stage, application) = try await served()
        await play([.connect, .pair, .subscribe("2A38")], in: stage)
        await application.wait(for: "StartNotify")
        await play([.disconnect], in: stage)
        await application.send([1])
        _ = await stage.client.objects()
        await play([.connect], in: stage)
        await application.send([2])
        await play([.expect("2A38", count: 1)], in: stage)
        await play([.subscribe("2A38"), .unsubscribe("2A38")], in: stage)
        await application.wait(for: "StopNotify")
        #expect(await received(in: stage) == [[2]])
        #expect(await application.taken() == ["StartNotify", "StopNotify"])
    }

    @Test(
        "A bonded central that is removed stays subscribed until the next value",
        .timeLimit(.minutes(15))
    )
    func removed() async throws {
        let (stage, application) = try await served()
        await play([.connect, .pair, .subscribe("2A38"), .disconnect], in: stage)
        await application.wait(for: "StartNotify")
        let device = "/org/bluez/hci1/dev_" + Self.address.replacing(":", with: "_")
        let arguments: [BusValue] = [.objectPath(try #require(ObjectPath(device)))]
        let removal = await stage.client.call(
            "/org/bluez/hci1",
            "Adapter1",
            "RemoveDevice",
            arguments
        )
        #expect(removal.outcome == "ok")
        let calls = await application.taken()
        try #require(calls == ["StartNotify"])
        await application.send([1])
        await application.wait(for: "StopNotify")
    }

    @Test("A central without a bond loses its subscription when it disconnects")
    func notBonded() async throws {
        let (stage, application) = try await served()
        await play([.connect, .subscribe("2A38"), .disconnect], in: stage)
        await application.wait(for: "StopNotify")
        await play([.connect, .subscribe("2A38")], in: stage)
        await application.wait(for: "StartNotify")
    }
}
