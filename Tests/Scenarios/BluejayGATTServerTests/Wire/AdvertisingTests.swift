import Bluejay
import BluejayDBus
import Foundation
import TestSupport
import Testing

@testable import BluejayGATTServer

/// Tests `AdvertisingRunner` and `AdvertisingSession`.
@Suite("Simultaneous advertisements", .timeLimit(.minutes(15)))
struct AdvertisingTests {
    static func advertisement(_ name: String) -> LocalAdvertisement {
        LocalAdvertisement(localName: name)
    }

    /// Starts advertising and records how the start and the advertisement end.
    @discardableResult
    static func advertise(
        _ world: World,
        _ name: String,
        _ content: LocalAdvertisement? = nil
    ) -> ActiveAdvertisement? {
        let advertising = world.server?.advertise(content ?? advertisement(name)) {
            world.note(name, $0)
        }
        advertising?.onEnd = { world.note("\(name) ended \($0.map { "\($0)" } ?? "by timeout")") }
        return advertising
    }

    static func begin(_ world: World, _ name: String) async throws -> ActiveAdvertisement {
        let advertising = await world.run { advertise($0, name) }
        return try #require(advertising)
    }

    /// Starts an advertisement called "one", registered at the daemon.
    static func begun(_ world: World) async throws -> ActiveAdvertisement {
        let one = try await begin(world, "one")
        await world.wait(for: "one")
        return one
    }

    /// Changes an advertisement to "next" and records the result.
    static func update(_ advertising: ActiveAdvertisement, _ world: World) {
        advertising.update(to: advertisement("next")) { world.note("updated", $0) }
    }

    /// An advertisement with a change that the daemon leaves unanswered.
    static func changing(_ world: World) async throws -> ActiveAdvertisement {
        let one = try await begun(world)
        await world.run { world in
            world.daemon?.isSilent = true
            update(one, world)
        }
        await world.wait(for: "silent")
        return one
    }

    static func names(_ world: World) async -> Set<String> {
        await world.run { world in
            Set(
                (world.daemon?.advertisements.values.map { $0 } ?? []).compactMap {
                    $0.content.namedValues?["LocalName"]?.text
                }
            )
        }
    }

    @Test("Several advertisements run beside the one of startAdvertising")
    func several() async throws {
        try await World.withServer { world in
            let first = try await Self.begin(world, "one")
            await world.run { Self.advertise($0, "two") }
            await world.run(AvailabilityTests.advertise)
            await world.wait(for: "advertising")
            #expect(await Self.names(world) == ["one", "two", "heart"])
            #expect(first.isActive)
            await world.run { world in
                AvailabilityTests.advertise(world)
                world.server?.stopAdvertising { world.note("stopped") }
            }
            await world.wait(for: "stopped")
            #expect(await Self.names(world) == ["one", "two"])
            let server = try #require(await world.run { $0.server })
            #expect(server.isAdvertising)
            await world.run { world in first.stop { world.note("one stopped") } }
            await world.wait(for: "one stopped")
            #expect(await Self.names(world) == ["two"])
            #expect(!first.isActive)
        }
    }

    @Test(
        "Advertisements return after bluetoothd restarts and when the adapter is plugged in again"
    )
    func restart() async throws {
        try await World.withServer { world in
            await world.run { Self.advertise($0, "one") }
            let second = try await Self.begin(world, "two")
            await world.wait(for: "two")
            await world.killDaemon()
            await world.wait(for: "state \(BluetoothState.serviceNotRunning)")
            #expect(!second.isActive)
            try await world.startDaemon()
            for _ in 0..<2 { await world.wait(for: "registered advertisement") }
            #expect(await Self.names(world) == ["one", "two"])
            await world.run { $0.daemon?.removeAdapter() }
            await world.wait(for: "state \(BluetoothState.noAdapter)")
            await world.run { $0.daemon?.addAdapter() }
            for _ in 0..<2 { await world.wait(for: "registered advertisement") }
            #expect(await Self.names(world) == ["one", "two"])
        }
    }

    @Test("The new content is registered before the old content is unregistered")
    func update() async throws {
        try await World.withServer { world in
            let one = try await Self.begun(world)
            await world.run { world in
                Self.update(one, world)
            }
            #expect(await world.wait(for: "updated") == ["registered advertisement", "updated"])
            await world.wait(for: "unregistered advertisement")
            #expect(await Self.names(world) == ["next"])
            #expect(one.advertisement.localName == "next")
        }
    }

    @Test("A rejected update keeps the old content, and an invalid one is not sent")
    func refusedUpdate() async throws {
        try await World.withServer { world in
            let one = try await Self.begun(world)
            await world.run { world in
                world.daemon?.refusal = BusError(name: "org.bluez.Error.InvalidLength", message: "")
                Self.update(one, world)
            }
            await world.wait(
                for: "not updated: advertisement: "
                    + "\(BluejayError.invalidAdvertisement("BlueZ rejected it as too long"))"
            )
            #expect(one.isActive)
            #expect(one.advertisement.localName == "one")
            await world.run { world in
                one.update(to: LocalAdvertisement(txPower: 21)) { world.note("updated", $0) }
                world.note("called")
            }
            #expect(
                await world.wait(
                    for: "not updated: advertisement: "
                        + "\(BluejayError.invalidAdvertisement("the power must lie between -127 and 20 dBm"))"
                ).first == "called"
            )
            #expect(await Self.names(world) == ["one"])
        }
    }

    @Test("On a full adapter, an update unregisters the old content first")
    func fullUpdate() async throws {
        try await World.withServer { world in
            let one = try await Self.begun(world)
            await world.run { world in
                world.daemon?.refusal = BusError(
                    name: "org.bluez.Error.NotPermitted",
                    message: "Maximum advertisements reached"
                )
                Self.update(one, world)
            }
            #expect(
                await world.wait(for: "updated") == [
                    "unregistered advertisement", "registered advertisement", "updated",
                ]
            )
        }
    }

    @Test("A stop during an update unregisters both contents and fails the update")
    func stopDuringUpdate() async throws {
        try await World.withServer { world in
            let one = try await Self.changing(world)
            await world.run { world in
                one.stop { world.note("stopped") }
                world.daemon?.answerSilenced()
            }
            let journal = await world.wait(for: "stopped")
            #expect(journal.contains("not updated: advertisement: \(BluejayError.cancelled)"))
            #expect(await Self.names(world).isEmpty)
            await world.run { world in
                one.update(to: Self.advertisement("late")) { world.note("late", $0) }
                one.stop { world.note("again") }
            }
            await world.wait(for: "not late: advertisement: \(BluejayError.cancelled)")
            await world.wait(for: "again")
        }
    }

    @Test("Killing bluetoothd fails a pending update, and the old content returns")
    func killedDuringUpdate() async throws {
        try await World.withServer { world in
            let one = try await Self.changing(world)
            await world.killDaemon()
            let off = AvailabilityTests.off(.serviceNotRunning)
            await world.wait(for: "not updated: advertisement: " + off)
            try await world.startDaemon()
            await world.wait(for: "registered advertisement")
            #expect(await Self.names(world) == ["one"])
            await world.run { world in
                Self.update(one, world)
            }
            await world.wait(for: "updated")
            await world.wait(for: "unregistered advertisement")
            #expect(await Self.names(world) == ["next"])
        }
    }

    @Test("An advertisement outlives its handle, and stopping the server ends all")
    func released() async throws {
        try await World.withServer { world in
            await world.run { world in
                let holder = Holder()
                holder.advertising = world.server?.advertise(Self.advertisement("one")) { result in
                    holder.advertising = nil
                    world.note("one", result)
                }
            }
            await world.wait(for: "one")
            let two = try await Self.begin(world, "two")
            await world.wait(for: "two")
            #expect(await Self.names(world) == ["one", "two"])
            await world.run { world in world.server?.stop { world.note("stopped") } }
            let journal = await world.wait(for: "stopped")
            #expect(journal.filter { $0 == "unregistered advertisement" }.count == 2)
            #expect(!journal.contains { $0.contains("ended") })
            #expect(!two.isActive)
        }
    }

    @Test("An update can be repeated in its completion without growing the stack")
    func repeated() async throws {
        try await World.withServer { world in
            let one = try await Self.begun(world)
            await world.run { world in Self.fail(one, world, 1_000) }
            await world.wait(for: "enough")
            #expect(one.isActive)
        }
    }

    static func fail(_ advertising: ActiveAdvertisement, _ world: World, _ count: Int) {
        guard count > 0 else { return world.note("enough") }
        advertising.update(to: LocalAdvertisement(txPower: 99)) { _ in
            fail(advertising, world, count - 1)
        }
    }

    @Test("The handle of an advertisement reports its timeout")
    func inTime() async throws {
        try await World.withServer { world in
            await world.run {
                Self.advertise($0, "one", LocalAdvertisement(timeout: .seconds(9)))
            }
            await world.wait(for: "one")
            await world.run { world in
                world.clock.advance(by: .seconds(9))
                world.daemon?.release()
            }
            await world.wait(for: "one ended by timeout")
        }
    }

    @Test("Two servers on one adapter can advertise at the same time")
    func twoServers() async throws {
        try await World.withServer { world in
            await world.run { Self.advertise($0, "one") }
            await world.wait(for: "one")
            let first = await world.run { $0.server }
            await world.startServer()
            await world.wait(for: "state Bluetooth is on")
            await world.run { Self.advertise($0, "two") }
            await world.wait(for: "two")
            #expect(await Self.names(world) == ["one", "two"])
            await world.run { world in world.server?.stop { world.note("stopped") } }
            await world.wait(for: "stopped")
            #expect(await Self.names(world) == ["one"])
            #expect(first?.isAdvertising == true)
        }
    }
}

private final class Holder {
    var advertising: ActiveAdvertisement?
}
