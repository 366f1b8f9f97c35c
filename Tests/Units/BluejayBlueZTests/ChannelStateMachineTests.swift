import TestSupport
import Testing

@testable import BluejayBlueZ

@Suite("The life of a channel")
struct ChannelMachineTests {
    private static let limits = ChannelStateMachine.Limits(unread: 100, unsent: 100)

    private static func open() -> ChannelStateMachine {
        var machine = ChannelStateMachine(limits)
        _ = machine.accepted()
        return machine
    }

    @Test("First the link, then the socket, then it is open and read")
    func opening() {
        var machine = ChannelStateMachine(Self.limits)
        #expect(machine.open() == [.acquireLink])
        #expect(machine.linkUp() == [.connect])
        #expect(machine.connected() == [.watch(reading: true, writing: false), .opened])
        #expect(machine.isOpen)
        #expect(machine.open() == [])
    }

    @Test("What fails gives the link back, and is told once")
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

    @Test("A refusal on a link that is new is tried once more; on another it counts")
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

    @Test("A close before it is open takes back what is under way")
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

    @Test("One packet after the other, and none while the kernel takes nothing")
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

    @Test("So much may wait to be sent, and one packet of any length")
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

    @Test("When so much is unread no more is read, until somebody takes it")
    func unread() {
        var machine = Self.open()
        #expect(machine.received(60) == [])
        #expect(machine.mayRead)
        #expect(machine.received(60) == [.watch(reading: false, writing: false)])
        #expect(!machine.mayRead)
        #expect(machine.consumed(60) == [.watch(reading: true, writing: false)])
        #expect(machine.consumed(60) == [])
    }

    @Test("At the end of the packets it is asked whether the link is there")
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

    @Test("The link's end is the channel's, also while it is being asked for")
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

    @Test("To a peer that has closed nothing is sent, and what it had sent is read")
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

@Suite("A link that a channel of the peer holds")
struct HeldLinkTests {
    @Test("The last user leaves it, and it is not cut; without the channel it is")
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
