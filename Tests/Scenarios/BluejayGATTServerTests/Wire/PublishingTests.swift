import Bluejay
import BluejayDBus
import Foundation
import TestSupport
import Testing

@testable import BluejayGATTServer

/// Tests `ServicePublisher`, `ServiceRegistration` and `ObjectRegistration`.
@Suite("Services on the bus", .timeLimit(.minutes(15)))
struct PublishingTests {
    static let base = "-0000-1000-8000-00805f9b34fb"
    static let plain: @Sendable (World) -> LocalCharacteristic = { _ in
        LocalCharacteristic(
            uuid: BluetoothUUID(uint16: 0x2A37),
            properties: [.read, .notify],
            value: Data([1]),
            descriptors: [LocalDescriptor(uuid: BluetoothUUID(uint16: 0x2901), value: Data([2]))]
        )
    }

    @Test("Remedy for a service that another server publishes: remove it there")
    func publishedElsewhere() async throws {
        try await World.withServer { world in
            await world.publish(PublishingTests.plain)
            await world.run { world in
                guard let engine = world.engine, let service = world.service
                else { return }
                let second = GATTServer(mainLoop: world.loop, adapter: nil) { engine }
                second.start()
                second.add(service) { world.note("added", $0) }
                second.remove(service) { world.note("removed", $0) }
                world.server?.remove(service) { _ in
                    second.add(service) { result in
                        withExtendedLifetime(second) { world.note("second", result) }
                    }
                }
            }
            let journal = await world.wait(for: "second")
            #expect(
                journal.filter { $0.hasPrefix("not ") } == [
                    "not added: publication: 180D is published by another GATTServer; remove its "
                        + "service there first",
                    "not removed: removal: 180D is not published; add its service first",
                ]
            )
        }
    }

    @Test("Remedy for a characteristic added twice to a service: create another one")
    func duplicate() async throws {
        try await World.withServer { world in
            await world.run { world in
                let characteristic = PublishingTests.plain(world)
                world.service = LocalService(
                    uuid: BluetoothUUID(uint16: 0x180D),
                    characteristics: [characteristic, characteristic]
                )
                world.add()
            }
            await world.wait(
                for: "not added: publication: the service contains the same 2A37 twice; create "
                    + "another LocalCharacteristic"
            )
            await world.run { world in
                world.service = LocalService(
                    uuid: BluetoothUUID(uint16: 0x180D),
                    characteristics: [PublishingTests.plain(world), PublishingTests.plain(world)]
                )
                world.add()
            }
            await world.wait(for: "added")
        }
    }

    @Test(
        "bluetoothd receives the service, its characteristics and their descriptors, in this order"
    )
    func tree() async throws {
        try await World.withServer { world in
            await world.publish(Self.plain)
            let objects = await world.run { $0.daemon?.applications.values.first?.content }
            let entries = try #require(objects?.entries)
            let paths = entries.compactMap { $0.key.path?.text.split(separator: "/").dropFirst(3) }
            #expect(
                paths.map { $0.joined(separator: "/") } == [
                    "service0", "service0/char0", "service0/char0/desc0",
                ]
            )
            func properties(_ index: Int, _ interface: String) -> [String: BusValue]? {
                entries[index].value.namedValues?["org.bluez." + interface]?.namedValues
            }
            let service = try #require(entries[0].key.path)
            let characteristic = try #require(entries[1].key.path)
            #expect(
                properties(0, "GattService1") == [
                    "UUID": .string("0000180d" + Self.base), "Primary": .boolean(true),
                ]
            )
            // With `NotifyAcquired` or `WriteAcquired`, bluetoothd would call other methods.
            #expect(
                properties(1, "GattCharacteristic1") == [
                    "UUID": .string("00002a37" + Self.base), "Service": .objectPath(service),
                    "Flags": .strings(["read", "notify"]),
                ]
            )
            #expect(
                properties(2, "GattDescriptor1") == [
                    "UUID": .string("00002901" + Self.base),
                    "Characteristic": .objectPath(characteristic), "Flags": .strings(["read"]),
                ]
            )
        }
    }

    @Test("Removing one service leaves the other published")
    func removingOne() async throws {
        try await World.withServer { world in
            await world.publish(Self.plain)
            let first = await world.run { $0.daemon?.applications.keys.first }
            await world.run { world in
                let other = LocalService(uuid: BluetoothUUID(uint16: 0x180F), characteristics: [])
                world.server?.add(other) { _ in
                    world.server?.remove(other) { world.note("removed", $0) }
                }
            }
            let journal = await world.wait(for: "removed")
            #expect(journal == ["registered application", "unregistered application", "removed"])
            let left = await world.run { $0.daemon.map { Array($0.applications.keys) } }
            #expect(left == first.map { [$0] })
        }
    }

    @Test("A service can be added again in the completion of its removal")
    func addingAgain() async throws {
        try await World.withServer { world in
            await world.publish(Self.plain)
            await world.run { world in
                guard let service = world.service else { return }
                world.server?.remove(service) { _ in world.add() }
            }
            await world.wait(for: "added")
            #expect(await world.read("service0/char0") == .success([1]))
        }
    }

    @Test("Adding twice and removing an unpublished service fail")
    func twice() async throws {
        try await World.withServer { world in
            await world.publish(Self.plain)
            await world.run { world in
                world.add()
                let borrowed = LocalService(
                    uuid: BluetoothUUID(uint16: 0x180F),
                    characteristics: world.service?.characteristics ?? []
                )
                world.server?.add(borrowed) { world.note("borrowed", $0) }
                world.server?.remove(borrowed) { world.note("removed", $0) }
            }
            let journal = await world.wait(
                for: "not removed: removal: 180F is not published; add its service first"
            )
            #expect(
                journal.dropLast() == [
                    "not added: publication: 180D is already published; remove its service first",
                    "not borrowed: publication: 2A37 is already published; remove its service first",
                ]
            )
        }
    }

    @Test("A rejected service fails with BlueZ's message and can be added again")
    func refused() async throws {
        try await World.withServer { world in
            await world.run { world in
                world.daemon?.refusal = BusError(
                    name: "org.bluez.Error.Failed",
                    message: "No object received"
                )
                world.service = LocalService(
                    uuid: BluetoothUUID(uint16: 0x180D),
                    characteristics: [Self.plain(world)]
                )
                world.add()
            }
            await world.wait(
                for:
                    "not added: publication of 180D: BlueZ returned org.bluez.Error.Failed: No object received"
            )
            await world.run { $0.add() }
            await world.wait(for: "added")
        }
    }

    @Test("A registration without a reply times out")
    func silent() async throws {
        try await World.withServer { world in
            await world.run { world in
                world.daemon?.isSilent = true
                world.service = LocalService(
                    uuid: BluetoothUUID(uint16: 0x180D),
                    characteristics: [Self.plain(world)]
                )
                world.add()
            }
            await world.wait(for: "silent")
            await world.run { $0.clock.advance(by: .seconds(25)) }
            await world.wait(
                for: "not added: publication of 180D: Bluetooth is not available: "
                    + "the Bluetooth service does not respond; run `sudo systemctl restart bluetooth`"
            )
        }
    }

    @Test("A removal cancels a pending addition, and both complete")
    func overtaken() async throws {
        try await World.withServer { world in
            await world.run { world in
                world.service = LocalService(
                    uuid: BluetoothUUID(uint16: 0x180D),
                    characteristics: [Self.plain(world)]
                )
                world.add()
                guard let service = world.service else { return }
                world.server?.remove(service) { world.note("removed", $0) }
            }
            let journal = await world.wait(for: "removed")
            #expect(
                journal == [
                    "not added: publication of 180D: cancelled",
                    "registered application", "unregistered application", "removed",
                ]
            )
        }
    }

    @Test("Adding a malformed service fails without a call to bluetoothd")
    func malformed() async throws {
        try await World.withServer { world in
            let isAsked = await world.run { world in
                let service = LocalService(uuid: BluetoothUUID(string: "xyz"), characteristics: [])
                world.server?.add(service) { world.note("added", $0) }
                return world.daemon?.applications.isEmpty == false
            }
            let error = BluejayError.malformedUUID("xyz").localizedDescription
            await world.wait(for: "not added: publication: \(error)")
            #expect(!isAsked)
        }
    }

    @Test("A server cannot remove another server's service")
    func foreign() async throws {
        try await World.withServer { world in
            await world.publish(Self.plain)
            await world.run { world in
                guard let service = world.service else { return }
                let other = GATTServer(mainLoop: world.loop)
                other.remove(service) { world.note("removed", $0) }
            }
            await world.wait(
                for: "not removed: removal: \(BluejayError.notAdded(.init(uint16: 0x180D)))"
            )
            #expect(await world.read("service0/char0") == .success([1]))
        }
    }
}
