import Testing

@testable import Bleu

@Suite("Calls of one central to one actor")
struct ServedCallStateMachineTests {
    private typealias Machine = ServedCallStateMachine
    private typealias Key = ServedCallStateMachine.Key

    private static func machine(_ change: (inout Machine.Settings) -> Void = { _ in }) -> Machine {
        var settings = Machine.Settings(
            queueCapacity: 64,
            maximumByteCount: 1000,
            maximumReadLength: 512
        )
        change(&settings)
        return Machine(settings)
    }

    private static func key(_ call: UInt16) -> Key { Key(session: 7, call: call) }

    @Test("The second call starts when the first has ended")
    func order() {
        var machine = Self.machine()
        #expect(machine.called(1, 0, Self.key(1), bytes: 2, needsReply: true) == [.run(1)])
        #expect(machine.called(2, 1, Self.key(2), bytes: 2, needsReply: true) == [])
        #expect(
            machine.finished(1, .value(length: 600)) == [
                .reply(1, Self.key(1)), .discard(1), .run(2),
            ]
        )
        #expect(machine.finished(2, .failure) == [.reply(2, Self.key(2)), .discard(2)])
    }

    @Test("A call without an answer runs, and its result is discarded")
    func unanswered() {
        var machine = Self.machine()
        #expect(machine.called(1, 0, Self.key(1), bytes: 0, needsReply: false) == [.run(1)])
        #expect(machine.finished(1, .failure) == [.discard(1)])
    }

    @Test("Of 66 calls one runs, 64 wait and the last is refused")
    func busy() {
        var machine = Self.machine()
        for number in 1...65 {
            _ = machine.called(number, 0, Self.key(UInt16(number)), bytes: 0, needsReply: true)
        }
        #expect(
            machine.called(66, 0, Self.key(66), bytes: 0, needsReply: true) == [
                .refuse(Self.key(66), .busy, method: 0), .discard(66),
            ]
        )
        #expect(machine.read(67, 0, now: .zero) == [.rejectRead(67, .busy), .discard(67)])
        #expect(
            machine.called(68, 0, Self.key(68), bytes: 0, needsReply: false) == [.discard(68)]
        )
    }

    @Test("Waiting arguments have a limit of bytes")
    func bytes() {
        var machine = Self.machine()
        _ = machine.called(1, 0, Self.key(1), bytes: 900, needsReply: true)
        #expect(machine.called(2, 0, Self.key(2), bytes: 900, needsReply: true) == [])
        #expect(
            machine.called(3, 0, Self.key(3), bytes: 101, needsReply: true) == [
                .refuse(Self.key(3), .busy, method: 0), .discard(3),
            ]
        )
    }

    @Test("A repeated call runs once, even if the first has ended")
    func doubled() {
        var machine = Self.machine()
        _ = machine.called(1, 0, Self.key(1), bytes: 0, needsReply: true)
        #expect(machine.called(2, 0, Self.key(1), bytes: 0, needsReply: true) == [.discard(2)])
        _ = machine.finished(1, .value(length: 1))
        #expect(machine.called(3, 0, Self.key(1), bytes: 0, needsReply: true) == [.discard(3)])
        let other = Key(session: 8, call: 1)
        #expect(machine.called(4, 0, other, bytes: 0, needsReply: true) == [.run(4)])
    }

    @Test("A read returns at most 512 bytes, and a longer result is kept for one fetch")
    func longResult() {
        var machine = Self.machine()
        #expect(machine.read(1, 3, now: .zero) == [.run(1), .setTimer(.milliseconds(80))])
        #expect(
            machine.finished(1, .value(length: 512)) == [
                .respond(1), .discard(1), .setTimer(nil),
            ]
        )
        _ = machine.read(2, 3, now: .zero)
        #expect(
            machine.finished(2, .value(length: 513)) == [.rejectRead(2, .fetch), .setTimer(nil)]
        )
        #expect(machine.fetched(4, Self.key(1)) == [.refuse(Self.key(1), .unknownCall, method: 4)])
        #expect(machine.fetched(3, Self.key(2)) == [.reply(2, Self.key(2)), .discard(2)])
        #expect(machine.fetched(3, Self.key(3)) == [.refuse(Self.key(3), .unknownCall, method: 3)])
    }

    @Test("The error of a read is kept until the next read of the method")
    func failedRead() {
        var machine = Self.machine()
        _ = machine.read(1, 0, now: .zero)
        #expect(machine.finished(1, .failure) == [.rejectRead(1, .failed), .setTimer(nil)])
        #expect(
            machine.read(2, 0, now: .zero) == [.discard(1), .run(2), .setTimer(.milliseconds(80))]
        )
    }

    @Test(
        "A read is refused after 80 ms, and its result is fetched before or after its method ends"
    )
    func slowRead() {
        var machine = Self.machine()
        _ = machine.read(1, 0, now: .zero)
        #expect(machine.timerFired(now: .milliseconds(80)) == [.rejectRead(1, .fetch)])
        var other = machine
        #expect(machine.fetched(0, Self.key(1)) == [])
        #expect(machine.finished(1, .failure) == [.reply(1, Self.key(1)), .discard(1)])
        #expect(other.finished(1, .value(length: 1)) == [])
        #expect(other.fetched(0, Self.key(1)) == [.reply(1, Self.key(1)), .discard(1)])
    }

    @Test("A read that waits for 80 ms after another call is fetched as well")
    func waitingRead() {
        var machine = Self.machine()
        _ = machine.called(1, 1, Self.key(1), bytes: 0, needsReply: true)
        #expect(machine.read(2, 0, now: .seconds(1)) == [.setTimer(.milliseconds(1_080))])
        #expect(machine.timerFired(now: .milliseconds(1_080)) == [.rejectRead(2, .fetch)])
        #expect(machine.fetched(0, Self.key(2)) == [])
        #expect(
            machine.finished(1, .value(length: 0)) == [
                .reply(1, Self.key(1)), .discard(1), .run(2),
            ]
        )
        #expect(machine.finished(2, .value(length: 9)) == [.reply(2, Self.key(2)), .discard(2)])
    }

    @Test("A new read of a method cancels the earlier one whose result was not fetched")
    func replacedRead() {
        var machine = Self.machine()
        _ = machine.read(1, 0, now: .zero)
        _ = machine.timerFired(now: .seconds(4))
        #expect(
            machine.read(2, 0, now: .seconds(5)) == [
                .cancel(1), .run(2), .setTimer(.milliseconds(5_080)),
            ]
        )
        #expect(machine.finished(1, .failure) == [.discard(1)])
        #expect(
            machine.finished(2, .value(length: 1)) == [.respond(2), .discard(2), .setTimer(nil)]
        )
    }

    @Test("A cancelled call stops blocking the queue, and counts until its method ends")
    func cancelled() {
        var machine = Self.machine { $0.queueCapacity = 1 }
        _ = machine.called(1, 0, Self.key(1), bytes: 0, needsReply: true)
        _ = machine.called(2, 0, Self.key(2), bytes: 0, needsReply: true)
        #expect(machine.cancelled(Self.key(1)) == [.cancel(1), .run(2)])
        #expect(
            machine.called(3, 0, Self.key(3), bytes: 0, needsReply: true) == [
                .refuse(Self.key(3), .busy, method: 0), .discard(3),
            ]
        )
        #expect(machine.finished(1, .value(length: 1)) == [.discard(1)])
        #expect(machine.called(4, 0, Self.key(4), bytes: 0, needsReply: true) == [])
        #expect(machine.cancelled(Self.key(4)) == [.discard(4)])
        #expect(machine.cancelled(Self.key(4)) == [])
    }

    @Test("A stream does not block the next call, and ends with its cancellation")
    func stream() {
        var machine = Self.machine()
        _ = machine.called(1, 0, Self.key(1), bytes: 0, needsReply: true)
        _ = machine.called(2, 0, Self.key(2), bytes: 0, needsReply: true)
        #expect(
            machine.finished(1, .stream) == [
                .startStream(1, Self.key(1)), .discard(1), .run(2),
            ]
        )
        #expect(machine.cancelled(Self.key(1)) == [.endStream(1)])
        #expect(machine.streamEnded(1) == [])
    }

    @Test("The end of a subscription ends the calls and streams of its method only")
    func unsubscribed() {
        var machine = Self.machine()
        _ = machine.called(1, 0, Self.key(1), bytes: 0, needsReply: true)
        _ = machine.finished(1, .stream)
        _ = machine.called(2, 1, Self.key(2), bytes: 0, needsReply: true)
        _ = machine.called(3, 0, Self.key(3), bytes: 0, needsReply: true)
        _ = machine.called(4, 0, Self.key(4), bytes: 0, needsReply: false)
        #expect(machine.unsubscribed(0, now: .zero) == [.discard(3), .endStream(1)])
        #expect(machine.unsubscribed(1, now: .zero) == [.cancel(2), .setTimer(.milliseconds(500))])
        #expect(machine.timerFired(now: .milliseconds(500)) == [.run(4)])
    }

    @Test("While a central leaves, its next call does not start")
    func leaving() {
        var machine = Self.machine()
        _ = machine.called(1, 0, Self.key(1), bytes: 0, needsReply: true)
        _ = machine.called(2, 1, Self.key(2), bytes: 0, needsReply: true)
        _ = machine.unsubscribed(0, now: .zero)
        #expect(machine.finished(1, .failure) == [.discard(1)])
        #expect(machine.called(3, 1, Self.key(3), bytes: 0, needsReply: true) == [])
        #expect(machine.unsubscribed(1, now: .zero) == [.discard(2), .discard(3)])
        #expect(machine.centralDisconnected() == [.setTimer(nil)])
        #expect(machine.called(4, 1, Self.key(4), bytes: 0, needsReply: true) == [.run(4)])
    }

    @Test("A call that arrives while its central leaves does not start")
    func lateCall() {
        var machine = Self.machine()
        _ = machine.called(1, 0, Self.key(1), bytes: 0, needsReply: true)
        _ = machine.unsubscribed(1, now: .zero)
        _ = machine.unsubscribed(0, now: .zero)
        #expect(machine.called(2, 1, Self.key(2), bytes: 0, needsReply: true) == [])
        #expect(machine.centralDisconnected() == [.discard(2), .setTimer(nil)])
    }

    @Test("A central that leaves ends its calls, streams and results")
    func left() {
        var machine = Self.machine()
        _ = machine.called(1, 0, Self.key(1), bytes: 0, needsReply: true)
        _ = machine.finished(1, .stream)
        _ = machine.read(2, 1, now: .zero)
        _ = machine.finished(2, .failure)
        _ = machine.read(3, 2, now: .zero)
        _ = machine.called(4, 0, Self.key(4), bytes: 0, needsReply: true)
        #expect(
            machine.centralDisconnected() == [
                .cancel(3), .discard(4), .endStream(1), .discard(2), .setTimer(nil),
            ]
        )
        #expect(machine.finished(3, .value(length: 1)) == [.discard(3)])
    }

    @Test("A subscription calls its method, and its stream ends with it")
    func subscription() {
        var machine = Self.machine()
        #expect(machine.subscribed(1, 0) == [.run(1)])
        #expect(machine.hasSubscription(0))
        #expect(machine.finished(1, .stream) == [.startStream(1, nil), .discard(1)])
        #expect(machine.hasSubscription(0))
        #expect(machine.subscribed(2, 1) == [.run(2)])
        #expect(machine.unsubscribed(0, now: .zero) == [.endStream(1)])
        #expect(!machine.hasSubscription(0))
        #expect(machine.unsubscribed(1, now: .zero) == [.cancel(2), .setTimer(.milliseconds(500))])
        #expect(machine.finished(2, .stream) == [.discard(2)])
    }

    @Test("A central has one subscription stream for each method: that of its last subscription")
    func doubledSubscription() {
        var machine = Self.machine()
        _ = machine.subscribed(1, 0)
        #expect(machine.subscribed(2, 0) == [.discard(2)])
        _ = machine.finished(1, .stream)
        #expect(machine.subscribed(3, 0) == [.endStream(1), .run(3)])
        #expect(machine.finished(3, .failure) == [.logUnstarted(3), .discard(3)])
        #expect(machine.subscribed(4, 0) == [.run(4)])
    }

    @Test("A frame ends only the streams of subscriptions")
    func frameEndsSubscriptions() {
        var machine = Self.machine()
        _ = machine.called(1, 0, Self.key(1), bytes: 0, needsReply: true)
        _ = machine.finished(1, .stream)
        _ = machine.subscribed(2, 1)
        _ = machine.finished(2, .stream)
        _ = machine.subscribed(3, 2)
        _ = machine.called(4, 1, Self.key(4), bytes: 0, needsReply: true)
        #expect(machine.endSubscriptions() == [.cancel(3), .endStream(2), .run(4)])
        #expect(machine.endSubscriptions() == [])
        #expect(machine.finished(4, .stream) == [.startStream(4, Self.key(4)), .discard(4)])
    }

    @Test("A subscription has the limits of a call")
    func busySubscription() {
        var machine = Self.machine { $0.queueCapacity = 2 }
        machine.otherWork = 1
        _ = machine.subscribed(1, 0)
        _ = machine.finished(1, .stream)
        #expect(machine.subscribed(2, 1) == [.logUnstarted(2), .discard(2)])
        #expect(machine.subscribed(3, 0) == [.endStream(1), .logUnstarted(3), .discard(3)])
        #expect(machine.subscribed(4, 0) == [.run(4)])
        #expect(machine.centralDisconnected() == [.cancel(4)])
    }
}
