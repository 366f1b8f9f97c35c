import Bluejay
import BluejayDBus
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import BluejayGATTServer

/// Tests `ServerInstance` and `ServerAdapter`.
@Suite("Bluetooth availability of a server", .timeLimit(.minutes(15)))
struct AvailabilityTests {
    static func advertise(_ stage: ServerStage) {
        let advertisement = LocalAdvertisement(
            serviceUUIDs: [BluetoothUUID(uint16: 0x180D)],
            localName: "heart"
        )
        stage.server?.startAdvertising(advertisement) { stage.note("advertising", $0) }
    }

    static func off(_ state: BluetoothState) -> String {
        "Bluetooth is not available: \(state)"
    }

    @Test("A call waits until the Bluetooth state is known")
    func early() async throws {
        try await ServerStage.with { stage in
            await stage.startServer()
            await stage.publish(PublishingTests.plain)
            #expect(await stage.read("service0/char0") == .success([1]))
        }
    }

    @Test(
        "A missing daemon, a missing adapter and a powered-off adapter fail with different errors"
    )
    func states() async throws {
        for (hasDaemon, hasAdapter, isOn, state) in [
            (false, false, false, BluetoothState.serviceNotRunning),
            (true, false, false, .noAdapter), (true, true, false, .poweredOff),
        ] {
            try await ServerStage.with(daemon: hasDaemon, hasAdapter: hasAdapter) { stage in
                if !isOn { await stage.run { $0.daemon?.setPowered(false) } }
                await stage.startServer()
                await stage.run { stage in
                    stage.service = LocalService(
                        uuid: BluetoothUUID(uint16: 0x180D),
                        characteristics: []
                    )
                    stage.add()
                    Self.advertise(stage)
                }
                await stage.wait(for: "not advertising: advertisement: " + Self.off(state))
                await stage.run { $0.add() }
                await stage.wait(for: "not added: publication of 180D: " + Self.off(state))
            }
        }
    }

    @Test(
        "Services and advertisements are registered again after bluetoothd restarts",
        .fault(.daemonKilled, during: .advertising),
        .pitfall(.daemonRestart)
    )
    func restart() async throws {
        try await ServerStage.withServer { stage in
            await stage.publish(PublishingTests.plain)
            await stage.run(Self.advertise)
            await stage.wait(for: "advertising")
            _ = await stage.call("service0/char0", "StartNotify")
            await stage.wait(for: "subscribed")
            await stage.killDaemon()
            let lost = await stage.wait(for: "state \(BluetoothState.serviceNotRunning)")
            #expect(lost.first == "unsubscribed")
            try await stage.startDaemon()
            let back = await stage.wait(for: "registered advertisement")
            #expect(back.contains("registered application"))
            #expect(await stage.read("service0/char0") == .success([1]))
            #expect(await stage.run { $0.server?.isAdvertising } == true)
        }
    }

    @Test("A service that is rejected after a restart is reported as ended")
    func refusedAfterRestart() async throws {
        try await ServerStage.withServer { stage in
            await stage.publish(PublishingTests.plain)
            await stage.killDaemon()
            await stage.wait(for: "state \(BluetoothState.serviceNotRunning)")
            try await stage.startDaemon(hasAdapter: false)
            await stage.run { stage in
                stage.daemon?.refusal = BusError(name: "org.bluez.Error.Failed", message: "full")
                stage.daemon?.addAdapter()
            }
            await stage.wait(
                for: "ended 180D: publication of 180D: BlueZ returned org.bluez.Error.Failed: full"
            )
            #expect(await stage.run { $0.service?.isAdded } == false)
        }
    }

    @Test("A service that is temporarily rejected after a restart is retried a second later")
    func refusedForNow() async throws {
        try await ServerStage.withServer { stage in
            await stage.publish(PublishingTests.plain)
            await stage.killDaemon()
            await stage.wait(for: "state \(BluetoothState.serviceNotRunning)")
            try await stage.startDaemon(hasAdapter: false)
            await stage.run { stage in
                stage.daemon?.refusal = BusError(
                    name: "org.bluez.Error.NotReady",
                    message: "Resource Not Ready"
                )
                stage.daemon?.addAdapter()
            }
            // The manual clock has a timer when the refusal has arrived.
            try await wait {
                await stage.run { stage in
                    stage.clock.advance(by: .seconds(1))
                    return stage.contains("registered application") || stage.contains("ended")
                }
            }
            #expect(await stage.run { !$0.contains("ended") })
            #expect(await stage.read("service0/char0") == .success([1]))
        }
    }

    @Test(
        "Services and advertisements are registered again when the adapter is plugged in again",
        .fault(.unplugged, during: .advertising)
    )
    func plugged() async throws {
        try await ServerStage.withServer { stage in
            await stage.publish(PublishingTests.plain)
            await stage.run(Self.advertise)
            await stage.wait(for: "advertising")
            await stage.run { $0.daemon?.removeAdapter() }
            await stage.wait(for: "state \(BluetoothState.noAdapter)")
            await stage.run { $0.daemon?.addAdapter() }
            await stage.wait(for: "registered advertisement")
            #expect(await stage.read("service0/char0") == .success([1]))
        }
    }

    @Test("Services and advertisements survive three quick replugs of the adapter")
    func flapping() async throws {
        try await ServerStage.withServer { stage in
            await stage.publish(PublishingTests.plain)
            await stage.run(Self.advertise)
            await stage.wait(for: "advertising")
            await stage.run { stage in
                for _ in 0..<3 {
                    stage.daemon?.removeAdapter()
                    stage.daemon?.addAdapter()
                }
            }
            try await wait {
                await stage.run { $0.isServing || $0.contains("ended") }
            }
            #expect(await stage.run { !$0.contains("ended") })
            #expect(await stage.run { $0.server?.isAdvertising } == true)
            #expect(await stage.run { $0.service?.isAdded } == true)
            #expect(await stage.run { $0.daemon?.applications.count } == 1)
            #expect(await stage.run { $0.daemon?.advertisements.count } == 1)
            #expect(await stage.read("service0/char0") == .success([1]))
        }
    }

    @Test("A service survives powering the adapter off and on")
    func power() async throws {
        try await ServerStage.withServer { stage in
            await stage.publish(PublishingTests.plain)
            await stage.run { $0.daemon?.setPowered(false) }
            await stage.wait(for: "state \(BluetoothState.poweredOff)")
            await stage.run { $0.daemon?.setPowered(true) }
            #expect(await stage.wait(for: "state Bluetooth is on") == ["state Bluetooth is on"])
            #expect(await stage.read("service0/char0") == .success([1]))
        }
    }

    // MARK: Advertising

    @Test("bluetoothd reads the advertisement, and a second one fails in the library")
    func advertising() async throws {
        try await ServerStage.withServer { stage in
            await stage.run(Self.advertise)
            await stage.wait(for: "advertising")
            let content = await stage.run { $0.daemon?.advertisements.values.first?.content }
            #expect(
                content?.namedValues == [
                    "Type": .string("peripheral"),
                    "ServiceUUIDs": .strings(["0000180d" + PublishingTests.base]),
                    "LocalName": .string("heart"), "Discoverable": .boolean(true),
                ]
            )
            await stage.run(Self.advertise)
            await stage.wait(
                for:
                    "not advertising: advertisement: already advertising; call stopAdvertising() first"
            )
            await stage.run { stage in
                stage.server?.stopAdvertising { stage.note("stopped") }
                Self.advertise(stage)
            }
            let journal = await stage.wait(for: "advertising")
            #expect(
                journal == [
                    "unregistered advertisement", "stopped", "registered advertisement",
                    "advertising",
                ]
            )
        }
    }

    static let refusals: [(name: String, message: String, told: BluejayError)] = [
        (
            "org.bluez.Error.NotPermitted", "Maximum advertisements reached",
            .tooManyAdvertisements
        ),
        (
            "org.bluez.Error.InvalidLength", "Invalid length",
            .invalidAdvertisement("BlueZ rejected it as too long")
        ),
        (
            "org.bluez.Error.AlreadyExists", "Already Exists",
            .daemon(name: "org.bluez.Error.AlreadyExists", message: "Already Exists")
        ),
        (
            "org.freedesktop.DBus.Error.AccessDenied", "no",
            .bluetoothUnavailable(.unauthorized("no"))
        ),
    ]

    @Test("A rejected advertisement fails with an error that names the remedy", arguments: refusals)
    func refused(name: String, message: String, told: BluejayError) async throws {
        try await ServerStage.withServer { stage in
            await stage.run { stage in
                stage.daemon?.refusal = BusError(name: name, message: message)
                Self.advertise(stage)
            }
            await stage.wait(for: "not advertising: advertisement: \(told)")
            await stage.run(Self.advertise)
            await stage.wait(for: "advertising")
        }
    }

    @Test("An advertisement ends with its timeout, and one without a timeout is registered again")
    func released() async throws {
        try await ServerStage.withServer { stage in
            await stage.run { stage in
                stage.server?.startAdvertising(LocalAdvertisement(timeout: .seconds(9))) {
                    stage.note("advertising", $0)
                }
            }
            await stage.wait(for: "advertising")
            await stage.run { stage in
                stage.clock.advance(by: .seconds(9))
                stage.daemon?.release()
            }
            await stage.wait(for: "advertising ended by timeout")
            await stage.run(Self.advertise)
            await stage.wait(for: "advertising")
            await stage.run { stage in
                stage.daemon?.release()
                stage.daemon?.setPowered(false)
            }
            await stage.wait(for: "state \(BluetoothState.poweredOff)")
            await stage.run { $0.daemon?.setPowered(true) }
            await stage.wait(for: "registered advertisement")
        }
    }

    @Test("An advertisement released early returns for its remaining time")
    func releasedEarly() async throws {
        try await ServerStage.withServer { stage in
            await stage.run { stage in
                stage.server?.startAdvertising(LocalAdvertisement(timeout: .seconds(9))) {
                    stage.note("advertising", $0)
                }
            }
            await stage.wait(for: "advertising")
            await stage.run { stage in
                stage.clock.advance(by: .seconds(4))
                stage.daemon?.release()
            }
            await stage.wait(for: "released")
            await stage.killDaemon()
            await stage.wait(for: "state \(BluetoothState.serviceNotRunning)")
            try await stage.startDaemon()
            let journal = await stage.wait(for: "registered advertisement")
            #expect(!journal.contains("advertising ended by timeout"))
            let content = await stage.run { $0.daemon?.advertisements.values.first?.content }
            #expect(content?.namedValues?["Timeout"] == .uint16(5))
            // The rest of its time passes while no bluetoothd runs.
            await stage.killDaemon()
            await stage.wait(for: "state \(BluetoothState.serviceNotRunning)")
            await stage.run { $0.clock.advance(by: .seconds(5)) }
            try await stage.startDaemon()
            await stage.wait(for: "advertising ended by timeout")
            #expect(await stage.run { $0.server?.isAdvertising } == false)
        }
    }

    // MARK: Stopping

    @Test("Stopping unregisters everything before it completes, and the server can start again")
    func stopping() async throws {
        try await ServerStage.withServer { stage in
            await stage.publish(PublishingTests.plain)
            await stage.run(Self.advertise)
            await stage.wait(for: "advertising")
            await stage.run { stage in stage.server?.stop { stage.note("stopped") } }
            let journal = await stage.wait(for: "stopped")
            #expect(
                Set(journal) == [
                    "unregistered advertisement", "unregistered application", "stopped",
                ]
            )
            await stage.run { stage in
                stage.server?.start()
                stage.add()
            }
            await stage.wait(for: "added")
        }
    }

    @Test("Stopping waits for an advertisement that is being unregistered")
    func stoppingWaits() async throws {
        try await ServerStage.withServer { stage in
            await stage.run(Self.advertise)
            await stage.wait(for: "advertising")
            await stage.run { stage in
                stage.server?.stopAdvertising { stage.note("advertising stopped") }
                stage.server?.stop { stage.note("stopped") }
            }
            let journal = await stage.wait(for: "stopped")
            #expect(journal == ["unregistered advertisement", "advertising stopped", "stopped"])
        }
    }

    @Test("A service added while the server stops is rejected, and a later start works")
    func addedWhileStopping() async throws {
        try await ServerStage.withServer { stage in
            await stage.run(Self.advertise)
            await stage.wait(for: "advertising")
            await stage.run { stage in
                stage.server?.stop { stage.note("stopped") }
                stage.service = LocalService(
                    uuid: BluetoothUUID(uint16: 0x180D),
                    characteristics: []
                )
                stage.add()
                stage.server?.start()
                stage.server?.stop { stage.note("stopped again") }
                stage.server?.start()
            }
            let journal = await stage.wait(for: "state Bluetooth is on")
            let refused = "not added: publication of 180D: " + Self.off(.unknown)
            #expect(journal.contains(refused))
            #expect(journal.contains("stopped") && journal.contains("stopped again"))
            #expect(await stage.run { $0.service?.isAdded } == false)
            await stage.run { $0.add() }
            await stage.wait(for: "added")
        }
    }

    @Test("Releasing a server unregisters everything")
    func letGo() async throws {
        try await ServerStage.withServer { stage in
            await stage.publish(PublishingTests.plain)
            await stage.run { $0.server = nil }
            await stage.wait(for: "unregistered application")
            #expect(await stage.run { $0.service?.isAdded } == false)
        }
    }
}
