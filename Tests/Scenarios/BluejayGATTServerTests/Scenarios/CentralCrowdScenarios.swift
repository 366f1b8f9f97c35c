import Bluejay
import BluejayGATTServer
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@Suite("Several centrals at once", .timeLimit(.minutes(15)))
struct CentralCrowdScenarios {
    @Test(
        "Two centrals read, write and subscribe, and one can reconnect without affecting the other"
    )
    func two() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let host = try await RecordingServer(
                context,
                on: await context.availableCentral(adapter: "hci0")
            )
            let centrals = [
                try await context.testbed.addCentral(named: "First"),
                try await context.testbed.addCentral(named: "Second"),
            ]
            try await withThrowingTaskGroup { group in
                for each in centrals { group.addTask { try await each.enter() } }
                try await group.waitForAll()
            }
            try await wait { host.connectedCount == 2 }
            for (number, each) in zip(UInt8(1)..., centrals) {
                #expect(try await each.read(RecordingServer.characteristic) == [7])
                try await each.write([number], to: RecordingServer.characteristic, isAnswered: true)
                try await each.subscribe(to: RecordingServer.characteristic)
            }
            let writes = await host.central.record(of: "write")
            try #require(writes.count == 2)
            // Each write carried its sender's address.
            #expect(writes[0].hasPrefix("write 1 by") && writes[1].hasPrefix("write 2 by"))
            #expect(Set(writes.map { $0.dropFirst("write 1 by".count) }).count == 2)
            await host.central.wait(for: "subscribed true")
            for value in UInt8(1)...3 { try await host.notify(value) }
            for each in centrals { #expect(try await each.heard(3) == [1, 2, 3]) }
            try await oneLeaves(centrals[0], other: centrals[1], host)
            await host.stop()
        }
    }

    private func oneLeaves(
        _ first: any TestbedCentral,
        other: any TestbedCentral,
        _ host: RecordingServer
    ) async throws {
        try await first.disconnect()
        try await wait { host.connectedCount == 1 }
        try await host.notify(4)
        #expect(try await other.heard(4) == [1, 2, 3, 4])
        #expect(await !host.central.record().contains("subscribed false"))
        try await first.enter()
        try await first.subscribe(to: RecordingServer.characteristic)
        try await host.notify(5)
        #expect(try await first.heard(4) == [1, 2, 3, 5])
        #expect(try await other.heard(5) == [1, 2, 3, 4, 5])
        for each in [first, other] { try await each.disconnect() }
        await host.central.wait(for: "subscribed false")
        try await wait { host.connectedCount == 0 }
    }

    @Test("If BlueZ reports the first subscriber only, no central receives another one's value")
    func toOne() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let host = try await RecordingServer(
                context,
                on: await context.availableCentral(adapter: "hci0"),
                subscriptions: .perCentral
            )
            let first = try await context.testbed.addCentral(named: "First")
            let second = try await context.testbed.addCentral(named: "Second")
            try await first.enter()
            try await first.subscribe(to: RecordingServer.characteristic)
            await host.central.wait(for: "subscribed true")
            #expect(host.addressing == .broadcast)
            let named = try #require(await host.subscribers().first)
            try await host.notify(1, to: named)
            #expect(try await first.heard(1) == [1])
            try await second.enter()
            try await second.subscribe(to: RecordingServer.characteristic)
            #expect(await host.subscribers() == [named])
            await #expect(throws: BluejayError.notAddressable(named)) {
                try await host.notify(2, to: named)
            }
            try await host.notify(3)
            #expect(try await first.heard(2) == [1, 3])
            #expect(try await second.heard(1) == [3])
            try await firstLeaves(first, second, host)
            await host.stop()
        }
    }

    // The second central inherits the first one's socket; the first is not reported again when it returns.
    private func firstLeaves(
        _ first: any TestbedCentral,
        _ second: any TestbedCentral,
        _ host: RecordingServer
    ) async throws {
        try await first.disconnect()
        try await wait { host.connectedCount == 1 }
        try await host.notify(4)
        #expect(try await second.heard(2) == [3, 4])
        #expect(await host.subscribers() == [])
        try await first.enter()
        try await first.subscribe(to: RecordingServer.characteristic)
        try await host.notify(5)
        #expect(try await second.heard(3) == [3, 4, 5])
        #expect(try await first.heard(3) == [1, 3, 5])
        #expect(await host.subscribers() == [])
        for each in [first, second] { try await each.disconnect() }
        await host.central.wait(for: "subscribed false")
    }

    @Test("One adapter can be central and peripheral at the same time")
    func bothRoles() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let gadget = PeripheralScript.gadget([
                ScriptedCharacteristic("2A37", ["notify"], .value([])),
                ScriptedCharacteristic("2A38", ["read"], .value([1])),
            ])
            let found = try await context.found(gadget)
            let host = try await RecordingServer(context, on: found.central)
            let phone = try await context.testbed.addCentral(named: "Phone")
            async let entry: Void = phone.enter()
            try await found.central.connect(found.identifier, timeout: .seconds(30))
            try await entry
            try await wait { host.connectedCount == 2 && host.centralCount == 1 }
            await found.central.listen(measurement)
            await found.central.settle()
            try await phone.subscribe(to: RecordingServer.characteristic)
            await found.central.wait(for: "subscribed true")
            for value in UInt8(1)...3 {
                try await found.peripheral.send([value], on: "2A37")
                try await host.notify(value + 10)
            }
            await found.central.wait(for: "value 3")
            #expect(try await phone.heard(3) == [11, 12, 13])
            let values = await found.central.record(of: "value")
            #expect(values == ["value 1", "value 2", "value 3"])
            try await phone.disconnect()
            await found.central.wait(for: "subscribed false")
            #expect(try await found.central.value(of: location) == UInt8(1))
            try await phone.enter()
            try await found.peripheral.dropLink()
            await found.central.wait(for: "disconnected Gadget")
            #expect(try await phone.read(RecordingServer.characteristic) == [7])
            try await phone.disconnect()
            await host.stop()
        }
    }
}
