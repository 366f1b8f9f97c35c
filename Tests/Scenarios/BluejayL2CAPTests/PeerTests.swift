import Bluejay
import BluejayAsync
import BluejayGLib
import BluejayL2CAP
import BluejaySimulator
import Foundation
import TestSupport
import TestTraits
import Testing

/// Tests `ChannelLink`.
@Suite("Channels to a simulated device", .timeLimit(.minutes(15)))
struct PeerTests {
    @Test("1 MiB is echoed intact")
    func echo() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor { $0.serveChannels(on: 0x80, .echo) }
        let channel = try await stage.channel()
        #expect(channel.isOpen && channel.maximumSDU == 2048 && channel.closeReason == nil)
        let data = pattern(1 << 20)
        async let sending: Void = channel.sendAll(data)
        #expect(await channel.receiveAll(data.count) == data)
        try await sending
        await channel.close()
        #expect(channel.closeReason == .closed && !channel.isOpen)
        try await wait { await stage.withSensor { $0.isConnected } == false }
    }

    @Test("Packet boundaries are preserved, and an empty packet is not sent")
    func borders() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor { $0.serveChannels(on: 0x80, .echo) }
        let channel = try await stage.channel()
        for count in [1, 2048, 0, 7] { try await channel.send(pattern(count)) }
        var packets: [Int] = []
        for await packet in channel.received {
            packets.append(packet.count)
            if packets.count == 3 { break }
        }
        #expect(packets == [1, 2048, 7])
    }

    @Test("Callbacks run in order, and a completion that sends again does not recurse")
    func callbacks() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor { $0.serveChannels(on: 0x80, .echo, mtu: 100) }
        let channel = L2CAPChannel(to: try stage.sensor, psm: 0x80, host: stage.host)
        let (lines, feed) = AsyncStream<String>.makeStream()
        await stage.onLoop {
            channel.onEnd = { feed.yield("end \($0)") }
            channel.onReceive = { feed.yield("got \($0.count)") }
            channel.open { result in
                feed.yield("open \((try? result.get()) != nil)")
                @Sendable func sendNext(_ count: Int) {
                    channel.send(pattern(count)) { result in
                        feed.yield("sent \(count)")
                        if count < 3 { sendNext(count + 1) }
                    }
                }
                sendNext(1)
            }
            feed.yield("called")
        }
        var record: [String] = []
        for await line in lines {
            record.append(line)
            if record.count == 8 { break }
        }
        #expect(record.prefix(2) == ["called", "open true"])
        #expect(record.filter { $0.hasPrefix("got") } == ["got 1", "got 2", "got 3"])
        #expect(record.filter { $0.hasPrefix("sent") } == ["sent 1", "sent 2", "sent 3"])
        await stage.onLoop { channel.close { feed.yield("closed") } }
        record = []
        for await line in lines {
            record.append(line)
            if record.count == 2 { break }
        }
        #expect(Set(record) == ["end closed", "closed"])
    }

    @Test(
        "Closing a channel whose link failed completes, also after the channel is released"
    )
    func closeAfterFailure() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor { $0.serveChannels(on: 0x80, .echo) }
        await stage.system.perform {
            $0.apply(.callsRefused("Connect", name: "org.bluez.Error.Failed", text: "abort"))
        }
        let (closings, closing) = AsyncStream<Int>.makeStream()
        let peer = try stage.sensor
        await stage.onLoop {
            let channel = L2CAPChannel(to: peer, psm: 0x80, host: stage.host)
            channel.open { result in
                #expect(throws: BluejayError.self) { try result.get() }
                channel.close(timeout: .seconds(10)) { closing.yield($0) }
            }
        }
        #expect(await closings.first { _ in true } == 0)
        let channel = L2CAPChannel(to: peer, psm: 0x80, host: stage.host)
        await #expect(throws: BluejayError.self) { try await channel.open() }
        await channel.close()
    }

    @Test(
        "An invalid PSM is rejected immediately",
        arguments: [0, 0x100, 0x1001]
    )
    func invalidPSM(psm: UInt16) async throws {
        let stage = try await ChannelStage()
        let channel = L2CAPChannel(to: try stage.sensor, psm: psm, host: stage.host)
        await #expect(throws: BluejayError.invalidPSM(psm)) { try await channel.open() }
    }

    @Test("A channel without a listener is refused, and the link made for it is dropped")
    func refused() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor { _ in }
        let channel = L2CAPChannel(to: try stage.sensor, psm: 0x81, host: stage.host)
        await #expect(throws: BluejayError.channelRefused) { try await channel.open() }
        #expect(channel.closeReason == nil)
        try await wait { await stage.withSensor { $0.isConnected } == false }
    }

    @Test("Opening a channel to an absent peer times out")
    func absent() async throws {
        let stage = try await ChannelStage()
        let channel = L2CAPChannel(to: try stage.sensor, psm: 0x80, host: stage.host)
        await #expect(throws: BluejayError.connectionTimedOut) {
            try await channel.open(timeout: .seconds(0.2))
        }
    }

    @Test("A packet that is too long is rejected, and the channel stays open")
    func tooLong() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor { $0.serveChannels(on: 0x80, .echo, mtu: 23) }
        let channel = try await stage.channel()
        await #expect(throws: BluejayError.valueTooLong(length: 24, limit: 23)) {
            try await channel.send(pattern(24))
        }
        try await channel.send(pattern(23))
        #expect(await channel.receiveAll(23) == pattern(23))
    }

    @Test("Sending before a channel is open or after its close fails")
    func closed() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor { $0.serveChannels(on: 0x80, .echo) }
        let channel = L2CAPChannel(to: try stage.sensor, psm: 0x80, host: stage.host)
        await #expect(throws: BluejayError.channelClosed) { try await channel.send(pattern(1)) }
        try await channel.open()
        await #expect(throws: BluejayError.inUse("the channel")) { try await channel.open() }
        await channel.close()
        await channel.close()
        await #expect(throws: BluejayError.channelClosed) { try await channel.send(pattern(1)) }
    }

    @Test("An encrypted channel requires an agent that accepts the pairing")
    func security() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor { $0.serveChannels(on: 0x80, .echo, isEncrypted: true) }
        let low = L2CAPChannel(to: try stage.sensor, psm: 0x80, host: stage.host)
        await #expect(throws: BluejayError.notPaired) { try await low.open() }
        await stage.system.perform { $0.userAgreesToPairing = true }
        let channel = try await stage.channel(security: .medium)
        try await channel.send(pattern(5))
        #expect(await channel.receiveAll(5) == pattern(5))
    }

    @Test("Opening a secure channel fails with pairingFailed if the peer rejects pairing")
    func refusedPairing() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor {
            $0.serveChannels(on: 0x80, .echo)
            $0.pairing = .refused
        }
        await stage.system.perform { $0.userAgreesToPairing = true }
        let channel = L2CAPChannel(
            to: try stage.sensor,
            psm: 0x80,
            security: .medium,
            host: stage.host
        )
        let error = await #expect(throws: BluejayError.self) { try await channel.open() }
        #expect(error?.code == .pairingFailed)
        let low = try await stage.channel()
        await low.close()
    }

    @Test("Opening a secure channel fails with pairingFailed if the peer ignores the pairing")
    func unansweredPairing() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor {
            $0.serveChannels(on: 0x80, .echo)
            $0.pairing = .silent
        }
        await stage.system.perform { $0.userAgreesToPairing = true }
        let channel = L2CAPChannel(
            to: try stage.sensor,
            psm: 0x80,
            security: .high,
            host: stage.host
        )
        let error = await #expect(throws: BluejayError.self) {
            try await channel.open(timeout: .seconds(1))
        }
        #expect(error?.code == .pairingFailed)
    }

    @Test(
        "Pairing without a passkey satisfies medium security only, even with an existing bond"
    )
    func unauthenticatedPairing() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor {
            $0.serveChannels(on: 0x80, .echo)
            $0.pairing = .justWorks
        }
        await stage.system.perform { $0.userAgreesToPairing = true }
        let listeners = [L2CAPSecurity.medium, .high].map {
            L2CAPListener(security: $0, host: stage.host)
        }
        let numbers = [try await listeners[0].start(), try await listeners[1].start()]
        let channel = try await stage.channel(security: .medium)
        for security in [L2CAPSecurity.high, .secureConnections] {
            await #expect(throws: BluejayError.self) { try await stage.channel(security: security) }
        }
        let opened = await stage.withSensor { sensor in
            numbers.map { sensor.openChannel(to: $0, .sink) }
        }
        #expect(opened == [true, false])
        await channel.close()
    }

    @Test(
        "Without requested security, a link that breaks during pairing fails with connectionFailed"
    )
    func brokenLink() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor {
            $0.serveChannels(on: 0x80, .echo, isEncrypted: true)
            $0.pairing = .refused
        }
        await stage.system.perform { $0.userAgreesToPairing = true }
        let channel = L2CAPChannel(to: try stage.sensor, psm: 0x80, host: stage.host)
        let error = await #expect(throws: BluejayError.self) { try await channel.open() }
        #expect(error?.code == .connectionFailed)
    }

    @Test("A cancelled task cancels the open")
    func cancelled() async throws {
        let stage = try await ChannelStage()
        let channel = L2CAPChannel(to: try stage.sensor, psm: 0x80, host: stage.host)
        let task = Task { try await channel.open() }
        await stage.onLoop {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("A second open of a channel fails with inUse")
    func once() async throws {
        let stage = try await ChannelStage()
        let channel = L2CAPChannel(to: try stage.sensor, psm: 0x80, host: stage.host)
        await stage.onLoop { channel.open { _ in } }
        await #expect(throws: BluejayError.inUse("the channel")) { try await channel.open() }
    }

    @Test("Without L2CAP support in the kernel and in BlueZ, opening fails with notSupported")
    func noBluetooth() async throws {
        let stage = try await ChannelStage { $0.makesChannels = false }
        await stage.addSensor { $0.serveChannels(on: 0x80, .echo) }
        let channel = L2CAPChannel(to: try stage.sensor, psm: 0x80, host: stage.host)
        await #expect(throws: BluejayError.notSupported("this kernel has no Bluetooth")) {
            try await channel.open()
        }
        let listener = L2CAPListener(host: stage.host)
        await #expect(throws: BluejayError.notSupported("this kernel has no Bluetooth")) {
            try await listener.start()
        }
    }

    @Test("Opening a channel fails if the adapter is powered off")
    func off() async throws {
        let stage = try await ChannelStage { $0.isPowered = false }
        let channel = L2CAPChannel(to: try stage.sensor, psm: 0x80, host: stage.host)
        await #expect(throws: BluejayError.bluetoothUnavailable(.poweredOff)) {
            try await channel.open()
        }
    }
}

@Suite("Faults of channels", .timeLimit(.minutes(15)))
struct ChannelFaultTests {
    @Test("A peer that never reads slows down the sender, and the send queue is bounded")
    func neverReads() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor { $0.serveChannels(on: 0x80, .neverReads) }
        let channel = try await stage.channel()
        let packet = pattern(2048)
        // Send at full speed until the kernel's buffers are full, and then those of the channel.
        let full = await withCheckedContinuation { continuation in
            stage.loop.post { @Sendable [channel] in
                let answer = LockedValue(false)
                for _ in 0..<2000 {
                    channel.send(packet) { result in
                        guard case .failure(let error) = result, !answer.value else { return }
                        answer.value = true
                        continuation.resume(returning: error as? BluejayError)
                    }
                }
            }
        }
        #expect(full == .channelFull(limit: 262_144))
        let waiting = Task { try await channel.send(packet) }
        await channel.close()
        await #expect(throws: BluejayError.self) { try await waiting.value }
        #expect(channel.closeReason == .closed)
    }

    @Test(
        "A receiver that does not read slows down the peer and later receives everything in order"
    )
    func unread() async throws {
        let stage = try await ChannelStage()
        let packets = (0..<2000).map { [UInt8](pattern(2048, seed: UInt8($0 & 0xFF))) }
        await stage.addSensor { $0.serveChannels(on: 0x80, .source(packets)) }
        let channel = try await stage.channel()
        var last = -1
        // The sender stalls long before everything is sent.
        try await wait {
            let sent = await stage.withSensor { $0.channels.first?.sent ?? 0 } ?? 0
            defer { last = sent }
            return sent > 0 && sent == last
        }
        #expect(last < 2_000_000)
        let all = await channel.receiveAll(packets.count * 2048)
        #expect(all == Data(packets.joined()))
    }

    @Test("A channel closed by the peer during a transfer ends once, after the received data")
    func closedByPeer() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor { $0.serveChannels(on: 0x80, .closes(afterBytes: 10_000)) }
        let channel = try await stage.channel()
        await #expect(throws: BluejayError.channelClosed) {
            try await channel.sendAll(pattern(1 << 22))
        }
        #expect(await channel.untilEnd() == .closedByPeer)
        try await wait { await stage.withSensor { $0.isConnected } == false }
    }

    @Test("A lost link closes the channel with linkLost", .fault(.linkLost, during: .channel))
    func linkLost() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor { $0.serveChannels(on: 0x80, .goesAway(afterBytes: 10_000)) }
        let channel = try await stage.channel()
        await #expect(throws: BluejayError.linkLost(.unknown)) {
            try await channel.sendAll(pattern(1 << 22))
        }
        #expect(await channel.untilEnd() == .linkLost(.unknown))
    }

    @Test("Killing bluetoothd closes a channel, and another one can be opened after the restart")
    func killed() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor { $0.serveChannels(on: 0x80, .echo) }
        let channel = try await stage.channel()
        await stage.system.killDaemon()
        #expect(await channel.untilEnd() == .bluetoothUnavailable)
        try await stage.system.startDaemon()
        let again = try await stage.channel()
        try await again.send(pattern(9))
        #expect(await again.receiveAll(9) == pattern(9))
    }

    @Test("Powering off the adapter closes a channel")
    func off() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor { $0.serveChannels(on: 0x80, .echo) }
        let channel = try await stage.channel()
        await stage.system.perform { $0.setPowered(false, ofAdapter: 0) }
        let end = await channel.untilEnd()
        #expect(end == .bluetoothUnavailable || end == .linkLost(.unknown))
    }

    @Test(
        "Bluejay's disconnect keeps the link of an open channel, and closing the channel drops it"
    )
    func sharedLink() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor { $0.serveChannels(on: 0x80, .echo) }
        let bluejay = Bluejay(host: stage.host)
        await bluejay.start()
        try await bluejay.connect(try stage.sensor)
        let channel = try await stage.channel()
        try await bluejay.disconnect()
        #expect(await stage.withSensor { $0.isConnected } == true)
        try await channel.send(pattern(3))
        #expect(await channel.receiveAll(3) == pattern(3))
        await channel.close()
        try await wait { await stage.withSensor { $0.isConnected } == false }
    }

    @Test("Releasing a channel closes it")
    func released() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor { $0.serveChannels(on: 0x80, .echo) }
        do {
            let channel = try await stage.channel()
            try await channel.send(pattern(1))
        }
        try await wait { await stage.withSensor { $0.channels.first?.isOpen } == false }
        try await wait { await stage.withSensor { $0.isConnected } == false }
    }

    @Test("A thousand channels leak no descriptor")
    func descriptors() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor { $0.serveChannels(on: 0x80, .echo) }
        let kept = try await stage.channel()
        func cycle() async throws {
            let channel = try await stage.channel()
            try await channel.send(pattern(20))
            #expect(await channel.receiveAll(20).count == 20)
            await channel.close()
        }
        func count() async -> Int {
            await stage.onLoop {
                let all = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
                return all?.filter { number in
                    let file = "/proc/self/fd/\(number)"
                    let target = try? FileManager.default.destinationOfSymbolicLink(atPath: file)
                    return target?.hasPrefix("socket:") == true
                }.count ?? 0
            }
        }
        for _ in 0..<10 { try await cycle() }
        let open = { await stage.withSensor { $0.channels.filter(\.isOpen).count } }
        try await wait { await open() == 1 }
        let before = await count()
        for _ in 0..<1000 { try await cycle() }
        try await wait { await open() == 1 }
        // Other tests of this process open and close sockets meanwhile.
        #expect(await count() < before + 300)
        #expect(kept.isOpen)
    }
}
