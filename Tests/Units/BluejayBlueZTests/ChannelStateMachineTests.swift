import TestSupport
import Testing

@testable import BluejayBlueZ

@Suite("The life cycle of a channel")
struct ChannelMachineTests {
    private static let limits = ChannelStateMachine.Limits(unread: 100, unsent: 100)

    private static func open() -> ChannelStateMachine {
        var machine = ChannelStateMachine(limits)
        _ = machine.accepted()
        return machine
    }

    @Test("A channel connects the link, then the socket, then opens and reads")
    func opening() {
        var machine = ChannelStateMachine(Self.limits)
        #expect(machine.open() == [.acquireLink])
        #expect(machine.linkUp() == [.connect])
        #expect(machine.connected() == [.watch(reading: true, writing: false), .opened])
        #expect(machine.isOpen)
        #expect(machine.open() == [])
    }

    @Test("A failed opening releases the link and is reported once")
    func failing() {
        var machine = ChannelStateMachine(Self.limits)
        _ = machine.open()
        #expect(machine.linkFailed(.unavailable) == [.releaseLink, .openFailed(.unavailable)])
        #expect(machine.close(.closed, .cancelled) == [])
        machine = ChannelStateMachine(Self.limits)
        _ = machine.open()
        _ = machine.linkUp()
        #expect(machine.connectFailed(.refused) == [.releaseLink, .openFailed(.refused)])
        #expect(machine.linkEnded(.link(.unavailable), .unavailable) == [])
    }

    @Test("A refusal on a new link is retried once; on an existing link the opening fails")
    func again() {
        var machine = ChannelStateMachine(Self.limits)
        _ = machine.open()
        #expect(machine.linkUp(isNew: true) == [.connect])
        #expect(machine.connectFailed(.refused) == [.startRetryTimer])
        #expect(machine.retryTimerFired() == [.connect])
        #expect(machine.connectFailed(.refused) == [.releaseLink, .openFailed(.refused)])
        #expect(machine.retryTimerFired() == [])
        machine = ChannelStateMachine(Self.limits)
        _ = machine.open()
        _ = machine.linkUp(isNew: true)
        #expect(
            machine.connectFailed(.insufficientSecurity) == [
                .releaseLink, .openFailed(.insufficientSecurity),
            ]
        )
    }

    @Test("A close cancels a pending opening")
    func closing() {
        var machine = ChannelStateMachine(Self.limits)
        _ = machine.open()
        #expect(machine.close(.closed, .timedOut) == [.releaseLink, .openFailed(.timedOut)])
        machine = ChannelStateMachine(Self.limits)
        _ = machine.open()
        _ = machine.linkUp()
        #expect(
            machine.close(.closed, .cancelled)
                == [.cancelConnect, .releaseLink, .openFailed(.cancelled)]
        )
        machine = ChannelStateMachine(Self.limits)
        #expect(machine.close(.closed, .cancelled) == [])
        #expect(machine.open() == [])
    }

    @Test("Packets are written one at a time, and none while the kernel buffer is full")
    func sending() {
        var machine = Self.open()
        #expect(machine.send(1, length: 10) == [.write(1)])
        #expect(machine.send(2, length: 10) == [])
        #expect(machine.wrote(1, .written) == [.sent(1), .write(2)])
        #expect(machine.wrote(2, .wouldBlock) == [.watch(reading: true, writing: true)])
        #expect(machine.send(3, length: 10) == [])
        #expect(machine.writable() == [.write(2), .watch(reading: true, writing: false)])
        #expect(machine.wrote(2, .written) == [.sent(2), .write(3)])
        #expect(machine.wrote(3, .written) == [.sent(3)])
        #expect(machine.writable() == [])
    }

    @Test("The send queue has a byte limit, and accepts one packet of any length when empty")
    func unsent() {
        var machine = Self.open()
        #expect(machine.canEnqueue(1000))
        _ = machine.send(1, length: 60)
        #expect(machine.canEnqueue(40))
        #expect(!machine.canEnqueue(41))
        _ = machine.send(2, length: 40)
        #expect(machine.send(3, length: 1) == [])
        #expect(machine.wrote(1, .written) == [.sent(1), .write(2)])
        #expect(machine.canEnqueue(60))
    }

    @Test("Reading pauses at the limit of unread bytes until the user consumes some")
    func unread() {
        var machine = Self.open()
        #expect(machine.received(60) == [])
        #expect(machine.mayRead)
        #expect(machine.received(60) == [.watch(reading: false, writing: false)])
        #expect(!machine.mayRead)
        #expect(machine.consumed(60) == [.watch(reading: true, writing: false)])
        #expect(machine.consumed(60) == [])
    }

    @Test("An end of file closes the socket and checks the link")
    func endOfPackets() {
        var machine = Self.open()
        _ = machine.send(1, length: 1)
        _ = machine.wrote(1, .wouldBlock)
        #expect(machine.endOfPackets() == [.closeSocket, .checkLink])
        #expect(!machine.isOpen)
        #expect(
            machine.linkChecked(.closedByPeer)
                == [.releaseLink, .notSent(1, .closedByPeer), .ended(.closedByPeer)]
        )
        #expect(machine.linkEnded(.link(.unavailable), .unavailable) == [])
    }

    @Test("A lost link ends the channel, even during the opening or the check of the link")
    func linkEnded() {
        let lost = ChannelCloseReason.link(.lost(reason: nil))
        var machine = Self.open()
        _ = machine.send(1, length: 1)
        #expect(
            machine.linkEnded(lost, .unreachable)
                == [.closeSocket, .releaseLink, .notSent(1, lost), .ended(lost)]
        )
        machine = Self.open()
        _ = machine.endOfPackets()
        #expect(machine.linkEnded(lost, .unreachable) == [.releaseLink, .ended(lost)])
        machine = ChannelStateMachine(Self.limits)
        _ = machine.open()
        _ = machine.linkUp()
        #expect(
            machine.linkEnded(lost, .unreachable)
                == [.cancelConnect, .releaseLink, .openFailed(.unreachable)]
        )
    }

    @Test("Packets to a peer that has closed are not sent, and its earlier packets are read")
    func shut() {
        var machine = Self.open()
        _ = machine.send(1, length: 1)
        #expect(machine.wrote(1, .closed) == [])
        #expect(machine.send(2, length: 1) == [])
        #expect(machine.mayRead)
        _ = machine.endOfPackets()
        #expect(
            machine.linkChecked(.closedByPeer) == [
                .releaseLink, .notSent(1, .closedByPeer), .notSent(2, .closedByPeer),
                .ended(.closedByPeer),
            ]
        )
    }
}

@Suite("A link with a channel of the peer")
struct HeldLinkTests {
    @Test(
        "The last release keeps a link that a channel of the peer uses, and disconnects it otherwise"
    )
    func held() {
        for isHeld in [true, false] {
            var machine = LinkStateMachine()
            _ = machine.addLease(1)
            _ = machine.proceed(
                LinkStateMachine.DeviceState(isKnown: true, isConnected: true, services: .all),
                now: .zero
            )
            _ = machine.attempt { $0.checked(1, .lasting, now: .zero) }
            #expect(machine.isUp)
            machine.isRetained = isHeld
            let actions = machine.release(1, now: .zero)
            #expect(actions.contains(.released(1)) == isHeld)
            #expect(actions.contains(.disconnect(1)) != isHeld)
            #expect(!machine.isUp)
        }
    }
}
