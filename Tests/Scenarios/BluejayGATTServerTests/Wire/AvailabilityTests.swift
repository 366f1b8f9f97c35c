import Bluejay
import BluejayDBus
import Foundation
import TestSupport
import Testing

@testable import BluejayGATTServer

/// Tests `ServerRunner` and `ServerAdapter`.
@Suite("Bluetooth availability of a server", .timeLimit(.minutes(15)))
struct AvailabilityTests {
    static func advertise(_ world: World) {
        let advertisement = LocalAdvertisement(
            serviceUUIDs: [BluetoothUUID(uint16: 0x180D)],
            localName: "heart"
        )
        world.server?.startAdvertising(advertisement) { world.note("advertising", $0) }
    }

    static func off(_ state: BluetoothState) -> String {
        "Bluetooth is not available: \(state)"
    }

    @Test("A call waits until the Bluetooth state is known")
    func early() async throws {
        try await World.with { world in
            await world.startServer()
            await world.publish(PublishingTests.plain)
            #expect(await world.read("service0/char0") == .success([1]))
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
            try await World.with(daemon: hasDaemon, hasAdapter: hasAdapter) { world in
                if !isOn { await world.run { $0.daemon?.setPowered(false) } }
                await world.startServer()
                await world.run { world in
                    world.service = LocalService(
                        uuid: BluetoothUUID(uint16: 0x180D),
                        characteristics: []
                    )
                    world.add()
                    Self.advertise(world)
                }
                await world.wait(for: "not advertising: advertisement: " + Self.off(state))
                await world.run { $0.add() }
                await world.wait(for: "not added: publication of 180D: " + Self.off(state))
            }
        }
    }

    @Test("Services and advertisements are registered again after bluetoothd restarts")
    func restart() async throws {
        try await World.withServer { world in
            await world.publish(PublishingTests.plain)
            await world.run(Self.advertise)
            await world.wait(for: "advertising")
            _ = await world.call("service0/char0", "StartNotify")
            await world.wait(for: "subscribed")
            await world.killDaemon()
            let lost = await world.wait(for: "state \(BluetoothState.serviceNotRunning)")
            #expect(lost.first == "unsubscribed")
            try await world.startDaemon()
            let back = await world.wait(for: "registered advertisement")
            #expect(back.contains("registered application"))
            #expect(await world.read("service0/char0") == .success([1]))
            #expect(await world.run { $0.server?.isAdvertising } == true)
        }
    }

    @Test("A service that is rejected after a restart is reported as ended")
    func refusedAfterRestart() async throws {
        try await World.withServer { world in
            await world.publish(PublishingTests.plain)
            await world.killDaemon()
            await world.wait(for: "state \(BluetoothState.serviceNotRunning)")
            try await world.startDaemon(hasAdapter: false)
            await world.run { world in
                world.daemon?.refusal = BusError(name: "org.bluez.Error.Failed", message: "full")
                world.daemon?.addAdapter()
            }
            await world.wait(
                for: "ended 180D: publication of 180D: BlueZ returned org.bluez.Error.Failed: full"
            )
            #expect(await world.run { $0.service?.isAdded } == false)
        }
    }

    @Test("A service that is temporarily rejected after a restart is retried a second later")
    func refusedForNow() async throws {
        try await World.withServer { world in
            await world.publish(PublishingTests.plain)
            await world.killDaemon()
            await world.wait(for: "state \(BluetoothState.serviceNotRunning)")
            try await world.startDaemon(hasAdapter: false)
            await world.run { world in
                world.daemon?.refusal = BusError(
                    name: "org.bluez.Error.NotReady",
                    message: "Resource Not Ready"
                )
                world.daemon?.addAdapter()
            }
            // The manual clock has a timer when the refusal has arrived.
            try await wait {
                await world.run { world in
                    world.clock.advance(by: .seconds(1))
                    return world.contains("registered application") || world.contains("ended")
                }
            }
            #expect(await world.run { !$0.contains("ended") })
            #expect(await world.read("service0/char0") == .success([1]))
        }
    }

    @Test("Services and advertisements are registered again when the adapter is plugged in again")
    func plugged() async throws {
        try await World.withServer { world in
            await world.publish(PublishingTests.plain)
            await world.run(Self.advertise)
            await world.wait(for: "advertising")
            await world.run { $0.daemon?.removeAdapter() }
            await world.wait(for: "state \(BluetoothState.noAdapter)")
            await world.run { $0.daemon?.addAdapter() }
            await world.wait(for: "registered advertisement")
            #expect(await world.read("service0/char0") == .success([1]))
        }
    }

    @Test("Services and advertisements survive three quick replugs of the adapter")
    func flapping() async throws {
        try await World.withServer { world in
            await world.publish(PublishingTests.plain)
            await world.run(Self.advertise)
            await world.wait(for: "advertising")
            await world.run { world in
                for _ in 0..<3 {
                    world.daemon?.removeAdapter()
                    world.daemon?.addAdapter()
                }
            }
            try await wait {
                await world.run { $0.isServing || $0.contains("ended") }
            }
            #expect(await world.run { !$0.contains("ended") })
            #expect(await world.run { $0.server?.isAdvertising } == true)
            #expect(await world.run { $0.service?.isAdded } == true)
            #expect(await world.run { $0.daemon?.applications.count } == 1)
            #expect(await world.run { $0.daemon?.advertisements.count } == 1)
            #expect(await world.read("service0/char0") == .success([1]))
        }
    }

    @Test("A service survives powering the adapter off and on")
    func power() async throws {
        try await World.withServer { world in
            await world.publish(PublishingTests.plain)
            await world.run { $0.daemon?.setPowered(false) }
            await world.wait(for: "state \(BluetoothState.poweredOff)")
            await world.run { $0.daemon?.setPowered(true) }
            #expect(await world.wait(for: "state Bluetooth is on") == ["state Bluetooth is on"])
            #expect(await world.read("service0/char0") == .success([1]))
        }
    }

    // MARK: Advertising

    @Test("bluetoothd reads the advertisement, and a second one fails in the library")
    func advertising() async throws {
        try await World.withServer { world in
            await world.run(Self.advertise)
            await world.wait(for: "advertising")
            let content = await world.run { $0.daemon?.advertisements.values.first?.content }
            #expect(
                content?.namedValues == [
                    "Type": .string("peripheral"),
                    "ServiceUUIDs": .strings(["0000180d" + PublishingTests.base]),
                    "LocalName": .string("heart"), "Discoverable": .boolean(true),
                ]
            )
            await world.run(Self.advertise)
            await world.wait(
                for:
                    "not advertising: advertisement: already advertising; call stopAdvertising() first"
            )
            await world.run { world in
                world.server?.stopAdvertising { world.note("stopped") }
                Self.advertise(world)
            }
            let journal = await world.wait(for: "advertising")
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
        try await World.withServer { world in
            await world.run { world in
                world.daemon?.refusal = BusError(name: name, message: message)
                Self.advertise(world)
            }
            await world.wait(for: "not advertising: advertisement: \(told)")
            await world.run(Self.advertise)
            await world.wait(for: "advertising")
        }
    }

    @Test("An advertisement ends with its timeout, and one without a timeout is registered again")
    func released() async throws {
        try await World.withServer { world in
            await world.run { world in
                world.server?.startAdvertising(LocalAdvertisement(timeout: .seconds(9))) {
                    world.note("advertising", $0)
                }
            }
            await world.wait(for: "advertising")
            await world.run { world in
                world.clock.advance(by: .seconds(9))
                world.daemon?.release()
            }
            await world.wait(for: "advertising ended by timeout")
            await world.run(Self.advertise)
            await world.wait(for: "advertising")
            await world.run { world in
                world.daemon?.release()
                world.daemon?.setPowered(false)
            }
            await world.wait(for: "state \(BluetoothState.poweredOff)")
            await world.run { $0.daemon?.setPowered(true) }
            await world.wait(for: "registered advertisement")
        }
    }

    @Test("An advertisement released early returns for its remaining time")
    func releasedEarly() async throws {
        try await World.withServer { world in
            await world.run { world in
                world.server?.startAdvertising(LocalAdvertisement(timeout: .seconds(9))) {
                    world.note("advertising", $0)
                }
            }
            await world.wait(for: "advertising")
            await world.run { world in
                world.clock.advance(by: .seconds(4))
                world.daemon?.release()
            }
            await world.wait(for: "released")
            await world.killDaemon()
            await world.wait(for: "state \(BluetoothState.serviceNotRunning)")
            try await world.startDaemon()
            let journal = await world.wait(for: "registered advertisement")
            #expect(!journal.contains("advertising ended by timeout"))
            let content = await world.run { $0.daemon?.advertisements.values.first?.content }
            #expect(content?.namedValues?["Timeout"] == .uint16(5))
            // The rest of its time passes while no bluetoothd runs.
            await world.killDaemon()
            await world.wait(for: "state \(BluetoothState.serviceNotRunning)")
            await world.run { $0.clock.advance(by: .seconds(5)) }
            try await world.startDaemon()
            await world.wait(for: "advertising ended by timeout")
            #expect(await world.run { $0.server?.isAdvertising } == false)
        }
    }

    // MARK: Stopping

    @Test("Stopping unregisters everything before it completes, and the server can start again")
    func stopping() async throws {
        try await World.withServer { world in
            await world.publish(PublishingTests.plain)
            await world.run(Self.advertise)
            await world.wait(for: "advertising")
            await world.run { world in world.server?.stop { world.note("stopped") } }
            let journal = await world.wait(for: "stopped")
            #expect(
                Set(journal) == [
                    "unregistered advertisement", "unregistered application", "stopped",
                ]
            )
            await world.run { world in
                world.server?.start()
                world.add()
            }
            await world.wait(for: "added")
        }
    }

    @Test("Stopping waits for an advertisement that is being unregistered")
    func stoppingWaits() async throws {
        try await World.withServer { world in
            await world.run(Self.advertise)
            await world.wait(for: "advertising")
            await world.run { world in
                world.server?.stopAdvertising { world.note("advertising stopped") }
                world.server?.stop { world.note("stopped") }
            }
            let journal = await world.wait(for: "stopped")
            #expect(journal == ["unregistered advertisement", "advertising stopped", "stopped"])
        }
    }

    @Test("A service added while the server stops is rejected, and a later start works")
    func addedWhileStopping() async throws {
        try await World.withServer { world in
            await world.run(Self.advertise)
            await world.wait(for: "advertising")
            await world.run { world in
                world.server?.stop { world.note("stopped") }
                world.service = LocalService(
                    uuid: BluetoothUUID(uint16: 0x180D),
                    characteristics: []
                )
                world.add()
                world.server?.start()
                world.server?.stop { world.note("stopped again") }
                world.server?.start()
            }
            let journal = await world.wait(for: "state Bluetooth is on")
            let refused = "not added: publication of 180D: " + Self.off(.unknown)
            #expect(journal.contains(refused))
            #expect(journal.contains("stopped") && journal.contains("stopped again"))
            #expect(await world.run { $0.service?.isAdded } == false)
            await world.run { $0.add() }
            await world.wait(for: "added")
        }
    }

    @Test("Releasing a server unregisters everything")
    func letGo() async throws {
        try await World.withServer { world in
            await world.publish(PublishingTests.plain)
            await world.run { $0.server = nil }
            await world.wait(for: "unregistered application")
            #expect(await world.run { $0.service?.isAdded } == false)
        }
    }
}
