import Bluejay
import BluejayGATTServer
import BluejayGLib
import BluejayL2CAP
import Foundation
import Staging
import TestSupport
import TestTraits
import Testing

/// A listener on hci1, which advertises, and the data for hci0 to reach it.
struct AdapterPair {
    let near: BluetoothHost
    let far: BluetoothHost
    let server: GATTServer
    let listener: L2CAPListener
    let psm: UInt16
    let peer: PeripheralIdentifier

    init(_ context: ScenarioContext, psm: UInt16 = 0) async throws {
        try await context.testbed.freeSecondAdapter()
        let loop = MainLoop(threadName: "channels")
        func host(_ adapter: String) -> BluetoothHost {
            BluetoothHost(mainLoop: loop, adapter: adapter, busAddress: context.testbed.busAddress)
        }
        near = host("hci0")
        far = host("hci1")
        peer = try PeripheralIdentifier(
            address: "00:AA:01:01:00:01",
            isRandomAddress: false,
            name: "hci1"
        )
        let server = GATTServer(host: far)
        self.server = server
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            loop.post {
                server.start()
                server.startAdvertising(
                    LocalAdvertisement(serviceUUIDs: [BluetoothUUID(uint16: 0x180D)])
                ) { continuation.resume(with: $0) }
            }
        }
        listener = L2CAPListener(psm: psm, host: far)
        self.psm = try await listener.start()
    }

    func channel() -> L2CAPChannel { L2CAPChannel(to: peer, psm: psm, host: near) }

    func open() async throws -> (near: L2CAPChannel, far: L2CAPChannel) {
        let channel = channel()
        try await channel.open()
        var channels = listener.channels.makeAsyncIterator()
        return (channel, try #require(await channels.next()))
    }
}

/// Tests `ChannelSocket` and `SimulatedKernelObject`.
@Suite("Channels between two adapters", .timeLimit(.minutes(15)))
struct ChannelScenarios {
    @Test("1 MiB arrives intact in both directions")
    func bothWays() async throws {
        try await withTestbed(isRecorded: false) { context in
            let pair = try await AdapterPair(context)
            let (near, far) = try await pair.open()
            #expect(near.maximumSDU == 2048 && far.maximumSDU == 2048)
            #expect(far.peer.address == "00:AA:01:00:00:00")
            let (up, down) = (pattern(1 << 20), pattern(1 << 20, seed: 1))
            async let sendingUp: Void = near.sendAll(up)
            async let sendingDown: Void = far.sendAll(down)
            async let receivedDown = near.receiveAll(down.count)
            #expect(await far.receiveAll(up.count) == up)
            #expect(await receivedDown == down)
            _ = try await (sendingUp, sendingDown)
            await near.close()
            #expect(await far.untilEnd() != nil)
            #expect(near.closeReason == .closed)
        }
    }

    @Test("A receiver that does not read slows down the sender, and no data is lost")
    func backPressure() async throws {
        try await withTestbed(isRecorded: false) { context in
            let pair = try await AdapterPair(context)
            let (near, far) = try await pair.open()
            let data = pattern(1 << 21)
            let sent = LockedValue(0)
            let sending = Task {
                for start in stride(from: 0, to: data.count, by: 2048) {
                    try await near.send(data[start..<start + 2048])
                    sent.value = start + 2048
                }
            }
            // The receiver does not read, so the sender stalls.
            var (last, looks) = (-1, 0)
            try await wait {
                looks = sent.value == last && last > 0 ? looks + 1 : 0
                last = sent.value
                return looks == 50
            }
            #expect(last < data.count)
            var packets = far.received.makeAsyncIterator()
            var all = Data()
            while all.count < data.count, let packet = await packets.next() { all += packet }
            #expect(all == data)
            try await sending.value
        }
    }

    @Test("A channel without a listener is refused")
    func refused() async throws {
        try await withTestbed(isRecorded: false) { context in
            let pair = try await AdapterPair(context, psm: 0x90)
            let channel = L2CAPChannel(to: pair.peer, psm: 0x91, host: pair.near)
            await #expect(throws: BluejayError.channelRefused) { try await channel.open() }
            let (near, _) = try await pair.open()
            await near.close()
        }
    }

    @Test("A PSM in use and one above 0x00FF are rejected, and 0 selects a free one")
    func numbers() async throws {
        try await withTestbed(isRecorded: false) { context in
            let pair = try await AdapterPair(context)
            #expect((0x80...0xFF).contains(pair.psm))
            await #expect(throws: BluejayError.psmInUse(pair.psm)) {
                try await L2CAPListener(psm: pair.psm, host: pair.far).start()
            }
            let (near, far) = try await pair.open()
            #expect(try await L2CAPListener(psm: 0x80, host: pair.near).start() == 0x80)
            #expect(near.isOpen && far.isOpen)
            let other = L2CAPListener(host: pair.far)
            #expect(try await other.start() != pair.psm)
            await #expect(throws: BluejayError.invalidPSM(0x100)) {
                try await L2CAPListener(psm: 0x100, host: pair.far).start()
            }
        }
    }

    @Test("An encrypted channel without an agent is rejected")
    func insecure() async throws {
        try await withTestbed(isRecorded: false) { context in
            let pair = try await AdapterPair(context)
            let channel = L2CAPChannel(
                to: pair.peer,
                psm: pair.psm,
                security: .medium,
                host: pair.near
            )
            let error = await #expect(throws: BluejayError.self) { try await channel.open() }
            // A busy Linux reports the failed pairing as a lost link, or as no reply within 30 s.
            let isPairingFailure = isRealBlueZ && error?.code == .pairingFailed
            #expect(error == .notPaired || isPairingFailure)
        }
    }

    @Test("A close reaches the other end after the data sent before")
    func closed() async throws {
        try await withTestbed(isRecorded: false) { context in
            let pair = try await AdapterPair(context)
            let (near, far) = try await pair.open()
            try await far.send(pattern(2048))
            #expect(await near.receiveAll(2048) == pattern(2048))
            await far.close()
            #expect(await near.untilEnd() == .closedByPeer)
            await #expect(throws: BluejayError.channelClosed) { try await near.send(pattern(1)) }
        }
    }

    @Test(
        "A link lost during a transfer closes both ends, and the received data is a prefix",
        .fault(.bluetoothOff, during: .channel)
    )
    func cut() async throws {
        try await withTestbed(isRecorded: false) { context in
            let pair = try await AdapterPair(context)
            let (near, far) = try await pair.open()
            let data = pattern(1 << 22)
            let sending = Task { try await near.sendAll(data) }
            var all = await far.receiveAll(100_000)
            try await context.testbed.setPowered(false)
            for await packet in far.received { all += packet }
            await #expect(throws: BluejayError.self) { try await sending.value }
            #expect(await near.untilEnd() != nil)
            #expect(far.closeReason != nil && far.closeReason != .closed)
            #expect(all.count < data.count && all == data.prefix(all.count))
            try await context.testbed.setPowered(true)
        }
    }

    @Test(
        "Killing bluetoothd closes the channels, and the listener continues with the next daemon",
        .fault(.daemonKilled, during: .channel)
    )
    func killed() async throws {
        try await withTestbed(isRecorded: false) { context in
            let pair = try await AdapterPair(context)
            let (near, far) = try await pair.open()
            try await context.testbed.endDaemon(politely: false)
            #expect(await near.untilEnd() == .bluetoothUnavailable)
            #expect(await far.untilEnd() != nil)
            try await context.testbed.startDaemon()
            try await wait {
                do {
                    let channel = pair.channel()
                    try await channel.open(timeout: .seconds(20))
                    var channels = pair.listener.channels.makeAsyncIterator()
                    let other = try #require(await channels.next())
                    try await channel.send(pattern(10))
                    return await other.receiveAll(10) == pattern(10)
                } catch let error as BluejayError where error.isRetryable {
                    return false
                } catch BluejayError.bluetoothUnavailable {
                    return false
                }
            }
        }
    }
}
