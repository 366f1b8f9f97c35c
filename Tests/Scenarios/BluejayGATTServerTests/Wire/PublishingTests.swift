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
    static let plain: @Sendable (ServerStage) -> LocalCharacteristic = { _ in
        LocalCharacteristic(
            uuid: BluetoothUUID(uint16: 0x2A37),
            properties: [.read, .notify],
            value: Data([1]),
            descriptors: [LocalDescriptor(uuid: BluetoothUUID(uint16: 0x2901), value: Data([2]))]
        )
    }

    @Test("Remedy for a service that another server publishes: remove it there")
    func publishedElsewhere() async throws {
        try await ServerStage.withServer { stage in
            await stage.publish(PublishingTests.plain)
            await stage.run { stage in
                guard let engine = stage.engine, let service = stage.service
                else { return }
                let second = GATTServer(mainLoop: stage.loop, adapter: nil) { engine }
                second.start()
                second.add(service) { stage.note("added", $0) }
                second.remove(service) { stage.note("removed", $0) }
                stage.server?.remove(service) { _ in
                    second.add(service) { result in
                        withExtendedLifetime(second) { stage.note("second", result) }
                    }
                }
            }
            let journal = await stage.wait(for: "second")
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
        try await ServerStage.withServer { stage in
            await stage.run { stage in
                let characteristic = PublishingTests.plain(stage)
                stage.service = LocalService(
                    uuid: BluetoothUUID(uint16: 0x180D),
                    characteristics: [characteristic, characteristic]
                )
                stage.add()
            }
            await stage.wait(
                for: "not added: publication: the service contains the same 2A37 twice; create "
                    + "another LocalCharacteristic"
            )
            await stage.run { stage in
                stage.service = LocalService(
                    uuid: BluetoothUUID(uint16: 0x180D),
                    characteristics: [PublishingTests.plain(stage), PublishingTests.plain(stage)]
                )
                stage.add()
            }
            await stage.wait(for: "added")
        }
    }

    @Test(
        "bluetoothd receives the service, its characteristics and their descriptors, in this order"
    )
    func tree() async throws {
        try await ServerStage.withServer { stage in
            await stage.publish(Self.plain)
            let objects = await stage.run { $0.daemon?.applications.values.first?.content }
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
        try await ServerStage.withServer { stage in
            await stage.publish(Self.plain)
            let first = await stage.run { $0.daemon?.applications.keys.first }
            await stage.run { stage in
                let other = LocalService(uuid: BluetoothUUID(uint16: 0x180F), characteristics: [])
                stage.server?.add(other) { _ in
                    stage.server?.remove(other) { stage.note("removed", $0) }
                }
            }
            let journal = await stage.wait(for: "removed")
            #expect(journal == ["registered application", "unregistered application", "removed"])
            let left = await stage.run { $0.daemon.map { Array($0.applications.keys) } }
            #expect(left == first.map { [$0] })
        }
    }

    @Test("A service can be added again in the completion of its removal")
    func addingAgain() async throws {
        try await ServerStage.withServer { stage in
            await stage.publish(Self.plain)
            await stage.run { stage in
                guard let service = stage.service else { return }
                stage.server?.remove(service) { _ in stage.add() }
            }
            await stage.wait(for: "added")
            #expect(await stage.read("service0/char0") == .success([1]))
        }
    }

    @Test("Adding twice and removing an unpublished service fail")
    func twice() async throws {
        try await ServerStage.withServer { stage in
            await stage.publish(Self.plain)
            await stage.run { stage in
                stage.add()
                let borrowed = LocalService(
                    uuid: BluetoothUUID(uint16: 0x180F),
                    characteristics: stage.service?.characteristics ?? []
                )
                stage.server?.add(borrowed) { stage.note("borrowed", $0) }
                stage.server?.remove(borrowed) { stage.note("removed", $0) }
            }
            let journal = await stage.wait(
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
        try await ServerStage.withServer { stage in
            await stage.run { stage in
                stage.daemon?.refusal = BusError(
                    name: "org.bluez.Error.Failed",
                    message: "No object received"
                )
                stage.service = LocalService(
                    uuid: BluetoothUUID(uint16: 0x180D),
                    characteristics: [Self.plain(stage)]
                )
                stage.add()
            }
            await stage.wait(
                for:
                    "not added: publication of 180D: BlueZ returned org.bluez.Error.Failed: No object received"
            )
            await stage.run { $0.add() }
            await stage.wait(for: "added")
        }
    }

    @Test("A registration without a reply times out")
    func silent() async throws {
        try await ServerStage.withServer { stage in
            await stage.run { stage in
                stage.daemon?.isSilent = true
                stage.service = LocalService(
                    uuid: BluetoothUUID(uint16: 0x180D),
                    characteristics: [Self.plain(stage)]
                )
                stage.add()
            }
            await stage.wait(for: "silent")
            await stage.run { $0.clock.advance(by: .seconds(25)) }
            await stage.wait(
                for: "not added: publication of 180D: Bluetooth is not available: "
                    + "the Bluetooth service does not respond; run `sudo systemctl restart bluetooth`"
            )
        }
    }

    @Test("A removal cancels a pending addition, and both complete")
    func overtaken() async throws {
        try await ServerStage.withServer { stage in
            await stage.run { stage in
                stage.service = LocalService(
                    uuid: BluetoothUUID(uint16: 0x180D),
                    characteristics: [Self.plain(stage)]
                )
                stage.add()
                guard let service = stage.service else { return }
                stage.server?.remove(service) { stage.note("removed", $0) }
            }
            let journal = await stage.wait(for: "removed")
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
        try await ServerStage.withServer { stage in
            let isAsked = await stage.run { stage in
                let service = LocalService(uuid: BluetoothUUID(string: "xyz"), characteristics: [])
                stage.server?.add(service) { stage.note("added", $0) }
                return stage.daemon?.applications.isEmpty == false
            }
            let error = BluejayError.malformedUUID("xyz").localizedDescription
            await stage.wait(for: "not added: publication: \(error)")
            #expect(!isAsked)
        }
    }

    @Test("A server cannot remove another server's service")
    func foreign() async throws {
        try await ServerStage.withServer { stage in
            await stage.publish(Self.plain)
            await stage.run { stage in
                guard let service = stage.service else { return }
                let other = GATTServer(mainLoop: stage.loop)
                other.remove(service) { stage.note("removed", $0) }
            }
            await stage.wait(
                for: "not removed: removal: \(BluejayError.notAdded(.init(uint16: 0x180D)))"
            )
            #expect(await stage.read("service0/char0") == .success([1]))
        }
    }
}
