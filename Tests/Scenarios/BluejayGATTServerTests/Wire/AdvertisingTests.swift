import Bluejay
import BluejayDBus
import Foundation
import TestSupport
import Testing

@testable import BluejayGATTServer

/// Tests `AdvertisementPublisher` and `AdvertisingSession`.
@Suite("Simultaneous advertisements", .timeLimit(.minutes(15)))
struct AdvertisingTests {
    static func advertisement(_ name: String) -> LocalAdvertisement {
        LocalAdvertisement(localName: name)
    }

    /// Starts advertising and records how the start and the advertisement end.
    @discardableResult
    static func advertise(
        _ stage: ServerStage,
        _ name: String,
        _ content: LocalAdvertisement? = nil
    ) -> ActiveAdvertisement? {
        let advertising = stage.server?.advertise(content ?? advertisement(name)) {
            stage.note(name, $0)
        }
        advertising?.onEnd = { stage.note("\(name) ended \($0.map { "\($0)" } ?? "by timeout")") }
        return advertising
    }

    static func begin(_ stage: ServerStage, _ name: String) async throws -> ActiveAdvertisement {
        let advertising = await stage.run { advertise($0, name) }
        return try #require(advertising)
    }

    /// Starts an advertisement called "one", registered at the daemon.
    static func begun(_ stage: ServerStage) async throws -> ActiveAdvertisement {
        let one = try await begin(stage, "one")
        await stage.wait(for: "one")
        return one
    }

    /// Changes an advertisement to "next" and records the result.
    static func update(_ advertising: ActiveAdvertisement, _ stage: ServerStage) {
        advertising.update(to: advertisement("next")) { stage.note("updated", $0) }
    }

    /// An advertisement with a change that the daemon leaves unanswered.
    static func changing(_ stage: ServerStage) async throws -> ActiveAdvertisement {
        let one = try await begun(stage)
        await stage.run { stage in
            stage.daemon?.isSilent = true
            update(one, stage)
        }
        await stage.wait(for: "silent")
        return one
    }

    static func names(_ stage: ServerStage) async -> Set<String> {
        await stage.run { stage in
            Set(
                (stage.daemon?.advertisements.values.map { $0 } ?? []).compactMap {
                    $0.content.namedValues?["LocalName"]?.text
                }
            )
        }
    }

    @Test("Several advertisements run beside the one of startAdvertising")
    func several() async throws {
        try await ServerStage.withServer { stage in
            let first = try await Self.begin(stage, "one")
            await stage.run { Self.advertise($0, "two") }
            await stage.run(AvailabilityTests.advertise)
            await stage.wait(for: "advertising")
            #expect(await Self.names(stage) == ["one", "two", "heart"])
            #expect(first.isActive)
            await stage.run { stage in
                AvailabilityTests.advertise(stage)
                stage.server?.stopAdvertising { stage.note("stopped") }
            }
            await stage.wait(for: "stopped")
            #expect(await Self.names(stage) == ["one", "two"])
            let server = try #require(await stage.run { $0.server })
            #expect(server.isAdvertising)
            await stage.run { stage in first.stop { stage.note("one stopped") } }
            await stage.wait(for: "one stopped")
            #expect(await Self.names(stage) == ["two"])
            #expect(!first.isActive)
        }
    }

    @Test(
        "Advertisements return after bluetoothd restarts and when the adapter is plugged in again"
    )
    func restart() async throws {
        try await ServerStage.withServer { stage in
            await stage.run { Self.advertise($0, "one") }
            let second = try await Self.begin(stage, "two")
            await stage.wait(for: "two")
            await stage.killDaemon()
            await stage.wait(for: "state \(BluetoothState.serviceNotRunning)")
            #expect(!second.isActive)
            try await stage.startDaemon()
            for _ in 0..<2 { await stage.wait(for: "registered advertisement") }
            #expect(await Self.names(stage) == ["one", "two"])
            await stage.run { $0.daemon?.removeAdapter() }
            await stage.wait(for: "state \(BluetoothState.noAdapter)")
            await stage.run { $0.daemon?.addAdapter() }
            for _ in 0..<2 { await stage.wait(for: "registered advertisement") }
            #expect(await Self.names(stage) == ["one", "two"])
        }
    }

    @Test("The new content is registered before the old content is unregistered")
    func update() async throws {
        try await ServerStage.withServer { stage in
            let one = try await Self.begun(stage)
            await stage.run { stage in
                Self.update(one, stage)
            }
            #expect(await stage.wait(for: "updated") == ["registered advertisement", "updated"])
            await stage.wait(for: "unregistered advertisement")
            #expect(await Self.names(stage) == ["next"])
            #expect(one.advertisement.localName == "next")
        }
    }

    @Test("A rejected update keeps the old content, and an invalid one is not sent")
    func refusedUpdate() async throws {
        try await ServerStage.withServer { stage in
            let one = try await Self.begun(stage)
            await stage.run { stage in
                stage.daemon?.refusal = BusError(name: "org.bluez.Error.InvalidLength", message: "")
                Self.update(one, stage)
            }
            await stage.wait(
                for: "not updated: advertisement: "
                    + "\(BluejayError.invalidAdvertisement("BlueZ rejected it as too long"))"
            )
            #expect(one.isActive)
            #expect(one.advertisement.localName == "one")
            await stage.run { stage in
                one.update(to: LocalAdvertisement(txPower: 21)) { stage.note("updated", $0) }
                stage.note("called")
            }
            #expect(
                await stage.wait(
                    for: "not updated: advertisement: "
                        + "\(BluejayError.invalidAdvertisement("the power must lie between -127 and 20 dBm"))"
                ).first == "called"
            )
            #expect(await Self.names(stage) == ["one"])
        }
    }

    @Test("On a full adapter, an update unregisters the old content first")
    func fullUpdate() async throws {
        try await ServerStage.withServer { stage in
            let one = try await Self.begun(stage)
            await stage.run { stage in
                stage.daemon?.refusal = BusError(
                    name: "org.bluez.Error.NotPermitted",
                    message: "Maximum advertisements reached"
                )
                Self.update(one, stage)
            }
            #expect(
                await stage.wait(for: "updated") == [
                    "unregistered advertisement", "registered advertisement", "updated",
                ]
            )
        }
    }

    @Test("A stop during an update unregisters both contents and fails the update")
    func stopDuringUpdate() async throws {
        try await ServerStage.withServer { stage in
            let one = try await Self.changing(stage)
            await stage.run { stage in
                one.stop { stage.note("stopped") }
                stage.daemon?.answerSilenced()
            }
            let journal = await stage.wait(for: "stopped")
            #expect(journal.contains("not updated: advertisement: \(BluejayError.cancelled)"))
            #expect(await Self.names(stage).isEmpty)
            await stage.run { stage in
                one.update(to: Self.advertisement("late")) { stage.note("late", $0) }
                one.stop { stage.note("again") }
            }
            await stage.wait(for: "not late: advertisement: \(BluejayError.cancelled)")
            await stage.wait(for: "again")
        }
    }

    @Test("Killing bluetoothd fails a pending update, and the old content returns")
    func killedDuringUpdate() async throws {
        try await ServerStage.withServer { stage in
            let one = try await Self.changing(stage)
            await stage.killDaemon()
            let off = AvailabilityTests.off(.serviceNotRunning)
            await stage.wait(for: "not updated: advertisement: " + off)
            try await stage.startDaemon()
            await stage.wait(for: "registered advertisement")
            #expect(await Self.names(stage) == ["one"])
            await stage.run { stage in
                Self.update(one, stage)
            }
            await stage.wait(for: "updated")
            await stage.wait(for: "unregistered advertisement")
            #expect(await Self.names(stage) == ["next"])
        }
    }

    @Test("An advertisement outlives its handle, and stopping the server ends all")
    func released() async throws {
        try await ServerStage.withServer { stage in
            await stage.run { stage in
                let holder = Holder()
                holder.advertising = stage.server?.advertise(Self.advertisement("one")) { result in
                    holder.advertising = nil
                    stage.note("one", result)
                }
            }
            await stage.wait(for: "one")
            let two = try await Self.begin(stage, "two")
            await stage.wait(for: "two")
            #expect(await Self.names(stage) == ["one", "two"])
            await stage.run { stage in stage.server?.stop { stage.note("stopped") } }
            let journal = await stage.wait(for: "stopped")
            #expect(journal.filter { $0 == "unregistered advertisement" }.count == 2)
            #expect(!journal.contains { $0.contains("ended") })
            #expect(!two.isActive)
        }
    }

    @Test("An update can be repeated in its completion without growing the stack")
    func repeated() async throws {
        try await ServerStage.withServer { stage in
            let one = try await Self.begun(stage)
            await stage.run { stage in Self.fail(one, stage, 1_000) }
            await stage.wait(for: "enough")
            #expect(one.isActive)
        }
    }

    static func fail(_ advertising: ActiveAdvertisement, _ stage: ServerStage, _ count: Int) {
        guard count > 0 else { return stage.note("enough") }
        advertising.update(to: LocalAdvertisement(txPower: 99)) { _ in
            fail(advertising, stage, count - 1)
        }
    }

    @Test("The handle of an advertisement reports its timeout")
    func inTime() async throws {
        try await ServerStage.withServer { stage in
            await stage.run {
                Self.advertise($0, "one", LocalAdvertisement(timeout: .seconds(9)))
            }
            await stage.wait(for: "one")
            await stage.run { stage in
                stage.clock.advance(by: .seconds(9))
                stage.daemon?.release()
            }
            await stage.wait(for: "one ended by timeout")
        }
    }

    @Test("Two servers on one adapter can advertise at the same time")
    func twoServers() async throws {
        try await ServerStage.withServer { stage in
            await stage.run { Self.advertise($0, "one") }
            await stage.wait(for: "one")
            let first = await stage.run { $0.server }
            await stage.startServer()
            await stage.wait(for: "state Bluetooth is on")
            await stage.run { Self.advertise($0, "two") }
            await stage.wait(for: "two")
            #expect(await Self.names(stage) == ["one", "two"])
            await stage.run { stage in stage.server?.stop { stage.note("stopped") } }
            await stage.wait(for: "stopped")
            #expect(await Self.names(stage) == ["one"])
            #expect(first?.isAdvertising == true)
        }
    }
}

private final class Holder {
    var advertising: ActiveAdvertisement?
}
