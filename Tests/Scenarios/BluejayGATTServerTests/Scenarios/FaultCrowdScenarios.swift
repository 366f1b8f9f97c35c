import Bluejay
import BluejayGATTServer
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@Suite("Faults with several connections", .timeLimit(.minutes(15)))
struct FaultCrowdScenarios {
    @Test("Killing bluetoothd ends each of five links once, and all can reconnect")
    func killed() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let crowd = try await context.foundPeripherals(3)
            let host = try await RecordingServer(
                context,
                on: await context.availableCentral(adapter: "hci0")
            )
            let phones = [
                try await context.testbed.addCentral(named: "First"),
                try await context.testbed.addCentral(named: "Second"),
            ]
            try await crowd.connect()
            for each in crowd {
                await each.central.listen(measurement)
                await each.central.settle()
                await each.central.forget()
            }
            for each in phones {
                try await each.enter()
                try await each.subscribe(to: RecordingServer.characteristic)
            }
            await host.central.wait(for: "subscribed true")
            await host.central.forget()
            try await context.testbed.endDaemon(politely: false)
            for each in crowd { await each.central.wait(for: "disconnected") }
            await host.central.wait(for: "subscribed false")
            try await context.testbed.startDaemon()
            try await comeBack(crowd, phones, host)
            #expect(
                await host.central.record(of: "subscribed") == [
                    "subscribed false", "subscribed true",
                ]
            )
            await host.stop()
        }
    }

    private func comeBack(
        _ crowd: [DiscoveredPeripheral],
        _ phones: [any TestbedCentral],
        _ host: RecordingServer
    ) async throws {
        for (number, each) in zip(UInt8(1)..., crowd) {
            await each.central.wait(for: "available true")
            try await each.central.connect(each.identifier, timeout: .seconds(60))
            #expect(try await each.central.value(of: location) == number)
            let ends = await each.central.record(of: "disconnected")
            #expect(ends == ["disconnected Gadget \(number)"])
        }
        for each in phones {
            // The kernel may have kept bluetoothd's link.
            if try await each.isConnected() { try await each.disconnect() }
            try await each.enter()
            try await each.subscribe(to: RecordingServer.characteristic)
        }
        await host.central.wait(for: "subscribed true")
        try await host.notify(9)
        for each in phones { #expect(try await each.heard(1) == [9]) }
    }

    @Test("A central that loses its link is reported once, and the other one still receives values")
    func vanished() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let host = try await RecordingServer(
                context,
                on: await context.availableCentral(adapter: "hci0")
            )
            let lost = try await context.testbed.addCentral(named: "Lost")
            let other = try await context.testbed.addCentral(named: "Other")
            for each in [lost, other] {
                try await each.enter()
                try await each.subscribe(to: RecordingServer.characteristic)
            }
            await host.central.wait(for: "subscribed true")
            try await wait { host.connectedCount == 2 }
            try await lost.loseLink()
            try await wait { host.connectedCount == 1 }
            try await host.notify(1)
            #expect(try await other.heard(1) == [1])
            #expect(await host.central.record().filter { $0.hasSuffix(" disconnected") }.count == 1)
            try await other.disconnect()
            await host.central.wait(for: "subscribed false")
            await host.stop()
        }
    }
}
