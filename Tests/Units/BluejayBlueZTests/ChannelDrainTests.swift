import TestSupport
import Testing

@testable import BluejayBlueZ

@Suite("Packets that the kernel has accepted but not sent")
struct ChannelDrainTests {
    private typealias Memory = KernelBacklog.Memory

    /// An open channel with a packet of 10 bytes, which occupy 100.
    private static func accepted() -> ChannelStateMachine {
        var machine = ChannelStateMachine(ChannelStateMachine.Limits(unread: 100, unsent: 100))
        _ = machine.accepted()
        _ = machine.send(1, length: 10)
        #expect(
            machine.wrote(1, .written, memory: Memory(before: 0, after: 100))
                == [.sent(1), .startPollTimer(.milliseconds(1))]
        )
        return machine
    }

    @Test("A flush completes at once without packets, otherwise when a poll finds none")
    func flush() {
        var machine = ChannelStateMachine(ChannelStateMachine.Limits(unread: 100, unsent: 100))
        _ = machine.accepted()
        #expect(machine.flush(1) == [.flushed(1)])
        machine = Self.accepted()
        #expect(machine.flush(1) == [])
        #expect(machine.unsentByteCount == 10)
        #expect(machine.pollTimerFired(100) == [.startPollTimer(.milliseconds(1))])
        #expect(machine.pollTimerFired(100) == [.startPollTimer(.milliseconds(2))])
        #expect(machine.pollTimerFired(0) == [.flushed(1)])
        #expect(machine.unsentByteCount == 0)
        #expect(machine.flush(2) == [.flushed(2)])
    }

    @Test("A flush does not wait for the packets after it")
    func laterPackets() {
        var machine = Self.accepted()
        #expect(machine.flush(1) == [])
        #expect(machine.send(2, length: 10) == [.write(2)])
        #expect(machine.wrote(2, .written, memory: Memory(before: 100, after: 200)) == [.sent(2)])
        #expect(machine.flush(2) == [])
        #expect(machine.measured(100) == [.flushed(1)])
        #expect(machine.measured(100) == [])
        machine.cancelFlush(2)
        #expect(machine.measured(0) == [])
    }

    @Test("Polls without progress slow down to 16 ms; progress speeds them up")
    func pollDelays() {
        var machine = Self.accepted()
        _ = machine.send(2, length: 10)
        _ = machine.wrote(2, .written, memory: Memory(before: 100, after: 200))
        for delay in [1, 2, 4, 8, 16, 16] {
            #expect(machine.pollTimerFired(200) == [.startPollTimer(.milliseconds(delay))])
        }
        #expect(machine.pollTimerFired(100) == [.startPollTimer(.milliseconds(1))])
    }

    @Test("A close sends the queued and the accepted packets first")
    func close() {
        var machine = Self.accepted()
        #expect(machine.send(2, length: 10) == [.write(2)])
        #expect(machine.wrote(2, .wouldBlock) == [.watch(reading: true, writing: true)])
        #expect(machine.closeAfterSending(.cancelled) == [])
        #expect(machine.isClosing && !machine.isOpen && !machine.canEnqueue(1))
        #expect(machine.measured(0) == [])
        #expect(machine.mayRead && machine.received(100) == [.watch(reading: false, writing: true)])
        #expect(machine.consumed(100) == [.watch(reading: true, writing: true)])
        #expect(machine.writable() == [.write(2), .watch(reading: true, writing: false)])
        #expect(
            machine.wrote(2, .written, memory: Memory(before: 0, after: 0))
                == [.sent(2), .closeSocket, .releaseLink, .ended(.closed)]
        )
        #expect(machine.unsentByteCount == 0)
    }

    @Test(
        "A close completes at once without packets, before the opening and after the peer's close"
    )
    func closeAtOnce() {
        var machine = ChannelStateMachine(ChannelStateMachine.Limits(unread: 100, unsent: 100))
        _ = machine.accepted()
        let end: [ChannelStateMachine.Action] = [.closeSocket, .releaseLink, .ended(.closed)]
        #expect(machine.closeAfterSending(.cancelled) == end)
        #expect(machine.closeAfterSending(.cancelled) == [])
        machine = ChannelStateMachine(ChannelStateMachine.Limits(unread: 100, unsent: 100))
        _ = machine.open()
        #expect(
            machine.closeAfterSending(.cancelled) == [.releaseLink, .openFailed(.cancelled)]
        )
        machine = Self.accepted()
        _ = machine.send(2, length: 10)
        _ = machine.wrote(2, .closed)
        #expect(
            machine.closeAfterSending(.cancelled)
                == [.closeSocket, .releaseLink, .notSent(2, .closed), .ended(.closed)]
        )
        #expect(machine.unsentByteCount == 20)
    }

    @Test("The timeout of a close fails the flushes and reports the unsent bytes")
    func limit() {
        var machine = Self.accepted()
        _ = machine.closeAfterSending(.cancelled)
        #expect(machine.flush(1) == [])
        #expect(
            machine.close(.closed, .cancelled)
                == [.closeSocket, .releaseLink, .notFlushed(1, .closed), .ended(.closed)]
        )
        #expect(machine.unsentByteCount == 10)
        #expect(machine.pollTimerFired(nil) == [])
    }

    @Test("The peer's close ends a pending close, and later kernel reports are ignored")
    func endDuringClose() {
        var machine = Self.accepted()
        _ = machine.flush(1)
        _ = machine.closeAfterSending(.cancelled)
        #expect(machine.pollTimerFired(nil) == [.startPollTimer(.milliseconds(1))])
        #expect(machine.endOfPackets() == [.closeSocket, .checkLink])
        #expect(machine.measured(0) == [])
        #expect(
            machine.linkChecked(.closedByPeer)
                == [.releaseLink, .notFlushed(1, .closedByPeer), .ended(.closedByPeer)]
        )
        #expect(machine.unsentByteCount == 10)
        machine = Self.accepted()
        _ = machine.closeAfterSending(.cancelled)
        let lost = ChannelCloseReason.link(.lost(reason: nil))
        #expect(
            machine.linkEnded(lost, .unreachable) == [.closeSocket, .releaseLink, .ended(lost)]
        )
    }

    @Test("A close by a peer that is not read fails the flushes and completes a pending close")
    func unread() {
        var machine = Self.accepted()
        _ = machine.flush(1)
        _ = machine.received(100)
        #expect(machine.pollTimerFired(nil) == [.notFlushed(1, .closedByPeer)])
        #expect(machine.isOpen)
        machine = Self.accepted()
        _ = machine.received(100)
        _ = machine.closeAfterSending(.cancelled)
        #expect(machine.pollTimerFired(nil) == [.closeSocket, .checkLink])
    }

    @Test("A peer that closes while its packets fill the channel fails the flushes")
    func unreadLater() {
        var machine = Self.accepted()
        _ = machine.flush(1)
        #expect(machine.pollTimerFired(nil) == [.startPollTimer(.milliseconds(1))])
        _ = machine.received(100)
        #expect(machine.pollTimerFired(nil) == [.notFlushed(1, .closedByPeer)])
    }

    @Test("A write to a peer that has closed and is not read fails the flushes")
    func writeToClosed() {
        var machine = ChannelStateMachine(ChannelStateMachine.Limits(unread: 100, unsent: 100))
        _ = machine.accepted()
        _ = machine.received(100)
        _ = machine.send(1, length: 10)
        #expect(machine.wrote(1, .wouldBlock) == [.watch(reading: false, writing: true)])
        #expect(machine.flush(1) == [])
        #expect(machine.writable() == [.write(1), .watch(reading: false, writing: false)])
        #expect(machine.wrote(1, .closed) == [.notFlushed(1, .closedByPeer)])
        #expect(machine.unsentByteCount == 10)
    }

    @Test("The kernel's memory is counted in packets, even if packets leave during a measurement")
    func backlog() {
        var backlog = KernelBacklog()
        // The kernel sent a packet of 100 between the two measurements.
        backlog.append(length: 10, memory: Memory(before: 100, after: 100))
        for number in 1...3 {
            backlog.append(
                length: 10,
                memory: Memory(before: number * 100, after: number * 100 + 100)
            )
        }
        #expect(backlog.byteCount == 40 && backlog.sentCount == 0)
        backlog.append(length: 4, memory: Memory(before: 400, after: 460))
        backlog.update(memory: 260)
        #expect(backlog.byteCount == 24 && backlog.sentCount == 2)
        // A part of a packet keeps it.
        backlog.update(memory: 161)
        #expect(backlog.byteCount == 24)
        backlog.append(length: 0, memory: Memory(before: 160, after: 160))
        #expect(backlog.byteCount == 14 && backlog.sentCount == 3)
        backlog.append(length: 10, memory: nil)
        #expect(backlog.byteCount == 24)
        backlog.update(memory: 0)
        #expect(backlog.isEmpty && backlog.sentCount == 7)
    }
}

/// Random events of a channel, and the completions that they caused.
private struct RandomChannel {
    var machine = ChannelStateMachine(ChannelStateMachine.Limits(unread: 100, unsent: 100))
    private var dice: SeededGenerator
    private(set) var pending: Set<Int> = []
    private var completed: Set<Int> = []
    private(set) var endCount = 0
    private var last = 0
    private var writing: Int?
    private var memory = 0

    init(seed: UInt64) {
        dice = SeededGenerator(seed: seed)
        _ = machine.accepted()
    }

    // Flushes have negative numbers.
    mutating func perform(_ actions: [ChannelStateMachine.Action]) {
        for action in actions {
            switch action {
            case .write(let id):
                #expect(writing == nil)
                writing = id
            case .sent(let id), .notSent(let id, _): complete(id)
            case .flushed(let id), .notFlushed(let id, _): complete(-id)
            case .ended: endCount += 1
            case .opened, .openFailed, .connect, .acquireLink: Issue.record("\(action)")
            default: break
            }
        }
    }

    private mutating func complete(_ id: Int) {
        #expect(completed.insert(id).inserted && pending.remove(id) != nil)
    }

    private mutating func begin(_ sign: Int) -> Int {
        last += 1
        pending.insert(last * sign)
        return last
    }

    /// - Parameter mayEnd: Whether the channel may be closed.
    mutating func step(mayEnd: Bool) {
        switch Int.random(in: 0..<(mayEnd ? 12 : 9), using: &dice) {
        case 0, 1: if machine.canEnqueue(30) { perform(machine.send(begin(1), length: 30)) }
        case 2, 3: write()
        case 4: perform(machine.writable())
        case 5: if machine.mayRead { perform(machine.received(30)) }
        case 6: perform(machine.consumed(0))
        case 7: if machine.isOpen { perform(machine.flush(begin(-1))) }
        case 8:
            memory = Bool.random(using: &dice) ? memory / 2 : 0
            perform(machine.pollTimerFired(Int.random(in: 0..<9, using: &dice) == 0 ? nil : memory))
        case 9: perform(machine.closeAfterSending(.cancelled))
        case 10: perform(machine.endOfPackets())
        default: perform(machine.linkChecked(.closedByPeer))
        }
    }

    private mutating func write() {
        guard let id = writing else { return }
        writing = nil
        guard Bool.random(using: &dice) else { return perform(machine.wrote(id, .wouldBlock)) }
        let before = memory
        memory += 50
        perform(
            machine.wrote(
                id,
                .written,
                memory: KernelBacklog.Memory(before: before, after: memory)
            )
        )
    }
}

extension ChannelDrainTests {
    @Test(
        "In random sequences, each packet and each flush completes once, and the channel ends once",
        arguments: 1...100
    )
    func conservation(seed: UInt64) {
        var channel = RandomChannel(seed: seed)
        for step in 0..<200 { channel.step(mayEnd: step > 150) }
        channel.perform(channel.machine.close(.closed, .cancelled))
        channel.perform(channel.machine.linkChecked(.closed))
        #expect(channel.pending.isEmpty, "seed \(seed)")
        #expect(channel.endCount == 1, "seed \(seed)")
    }
}
