import Bluejay
import BluejayGATTServer
import BluejayL2CAP
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

/// Only the simulated BlueZ has scripted channels and a peripheral that types a passkey.
@Suite("Many pending operations at once", .timeLimit(.minutes(15)))
struct EverythingEndsTests {
    private let psm: UInt16 = 0x80

    @Test(
        "Killing bluetoothd ends five links, two subscriptions, a channel and a pairing once each"
    )
    func killed() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let crowd = try await context.foundPeripherals(5)
            try await context.simulate { world in
                world.device("C0:00:00:00:00:01")?.serveChannels(on: 0x80, .echo)
                world.device("C0:00:00:00:00:02")?.pairing = .passkey(123_456)
            }
            let host = try await RecordingServer(
                context,
                on: await context.availableCentral(adapter: "hci0")
            )
            let phones = [
                try await context.testbed.addCentral(named: "First"),
                try await context.testbed.addCentral(named: "Second"),
            ]
            try await crowd.connect()
            for each in phones {
                try await each.enter()
                try await each.subscribe(to: RecordingServer.characteristic)
            }
            await host.central.wait(for: "subscribed true")
            let channel = try await openChannel(to: crowd[0], context)
            await beginPairing(crowd[1].central)
            await crowd[1].central.wait(for: "asked")
            for each in crowd { await each.central.forget() }
            await host.central.forget()

            try await context.testbed.endDaemon(politely: false)
            for each in crowd { await each.central.wait(for: "disconnected") }
            await host.central.wait(for: "subscribed false")
            await crowd[0].central.wait(for: "channel ended")
            await crowd[1].central.wait(for: "not paired")
            await crowd[1].central.wait(for: "over")
            #expect(!channel.isOpen && channel.closeReason == .bluetoothUnavailable)

            try await context.testbed.startDaemon()
            try await comeBack(crowd, context)
            for each in crowd {
                #expect(await each.central.record(of: "disconnected").count == 1)
            }
            #expect(
                await crowd[0].central.record(of: "channel ended") == [
                    "channel ended bluetoothUnavailable", "channel ended closed",
                ]
            )
            #expect(await crowd[1].central.record(of: "not paired").count == 1)
            #expect(await crowd[1].central.record(of: "over").count == 1)
            #expect(await host.central.record(of: "subscribed") == ["subscribed false"])
            await host.stop()
        }
    }

    private func comeBack(_ crowd: [DiscoveredPeripheral], _ context: ScenarioContext) async throws
    {
        for each in crowd {
            await each.central.wait(for: "available true")
            try await each.central.connect(each.identifier, timeout: .seconds(30))
        }
        let next = try await openChannel(to: crowd[0], context)
        try await next.send(Data([1, 2, 3]))
        var packets = next.received.makeAsyncIterator()
        #expect(await packets.next() == Data([1, 2, 3]))
        await next.close()
    }

    private func openChannel(to encounter: DiscoveredPeripheral, _ context: ScenarioContext)
        async throws -> L2CAPChannel
    {
        let central = encounter.central
        let channel = L2CAPChannel(
            to: encounter.identifier,
            psm: psm,
            host: BluetoothHost(
                mainLoop: central.loop,
                adapter: "hci0",
                busAddress: context.testbed.busAddress
            )
        )
        await central.run { central in
            channel.onEnd = { [weak central] in central?.recordEvent("channel ended \($0)") }
        }
        try await channel.open()
        return channel
    }

    private func beginPairing(_ central: RecordingCentral) async {
        await central.run { central in
            central.bluejay.setPairingHandler { [weak central] _, _, answer in
                answer.onEnd = { [weak central] in central?.recordEvent("over") }
                central?.retainedObjects.append(answer)
                central?.recordEvent("asked")
            }
            central.bluejay.pair(timeout: .seconds(60)) { [weak central] in
                if case .failure = $0 { central?.recordEvent("not paired") }
            }
        }
    }
}
