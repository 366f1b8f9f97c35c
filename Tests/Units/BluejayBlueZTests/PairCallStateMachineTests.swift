import TestSupport
import TestTraits
import Testing

@testable import BluejayBlueZ

@Suite("Calls of Pair")
struct PairCallStateMachineTests {
    /// Returns a machine whose first caller waits for `Pair`, until 60 s.
    private func pairing() -> PairCallStateMachine {
        var machine = PairCallStateMachine()
        #expect(
            machine.start(1, of: 10, deadline: .seconds(60), isPaired: false) == [
                .prepare(1), .setTimer(.seconds(60)),
            ]
        )
        #expect(machine.prepared(1, isPaired: false) == [.pair(1)])
        return machine
    }

    @Test("A call waits for the agent, pairs and completes")
    func whole() {
        var machine = pairing()
        #expect(machine.replied(1, nil) == [.complete(1, nil), .setTimer(nil)])
        #expect(machine.isIdle)
    }

    @Test(
        "A paired device completes without a call, because 5.66 would never reply",
        .pitfall(.pairOfPairedDevice)
    )
    func already() {
        var machine = PairCallStateMachine()
        #expect(
            machine.start(1, of: 10, deadline: .seconds(60), isPaired: true) == [.complete(1, nil)]
        )
        _ = machine.start(2, of: 10, deadline: .seconds(60), isPaired: false)
        #expect(machine.prepared(1, isPaired: true) == [.complete(2, nil), .setTimer(nil)])
    }

    @Test("Two callers share one call, and each completes with its result")
    func shared() {
        var machine = pairing()
        #expect(machine.start(2, of: 20, deadline: .seconds(70), isPaired: false) == [])
        #expect(
            machine.replied(1, .rejected) == [
                .complete(1, .rejected), .complete(2, .rejected), .setTimer(nil),
            ]
        )
    }

    @Test("The last cancellation cancels the pairing, and a new caller waits for its end")
    func cancelled() {
        var machine = pairing()
        _ = machine.start(2, of: 20, deadline: .seconds(70), isPaired: false)
        #expect(
            machine.cancelCall(1, .cancelled) == [
                .complete(1, .cancelled), .setTimer(.seconds(70)),
            ]
        )
        #expect(
            machine.cancelCalls(20, .cancelled) == [
                .cancelPairing(1), .complete(2, .cancelled), .setTimer(nil),
            ]
        )
        #expect(
            machine.start(3, of: 30, deadline: .seconds(80), isPaired: false) == [
                .setTimer(.seconds(80))
            ]
        )
        // The reply to the cancelled call is ignored.
        #expect(machine.replied(1, .cancelled) == [])
        #expect(machine.cancelReplied(1) == [.cancelled, .prepare(2)])
        #expect(machine.prepared(1, isPaired: false) == [])
        #expect(machine.prepared(2, isPaired: false) == [.pair(2)])
    }

    @Test("A call without a reply is cancelled at its deadline")
    func time() {
        var machine = pairing()
        #expect(machine.timerFired(now: .seconds(59)) == [.setTimer(.seconds(60))])
        #expect(
            machine.timerFired(now: .seconds(60)) == [.cancelPairing(1), .complete(1, .timedOut)]
        )
        #expect(machine.isCancelling)
    }

    @Test("A device that reports Paired completes the call, whatever Pair returns")
    func paired() {
        var machine = pairing()
        #expect(machine.paired() == [.complete(1, nil), .setTimer(nil)])
        #expect(machine.replied(1, .timedOut) == [])
        #expect(machine.paired() == [])
    }

    @Test("The end of the link completes the call in any state")
    func ended() {
        var machine = pairing()
        #expect(
            machine.ended(.linkLost) == [
                .disconnect, .complete(1, .bluez(.linkLost)), .setTimer(nil),
            ]
        )
        var waiting = PairCallStateMachine()
        _ = waiting.start(1, of: 10, deadline: .seconds(60), isPaired: false)
        #expect(waiting.ended(.daemonLost).first == .complete(1, .bluez(.daemonLost)))
        #expect(waiting.prepared(1, isPaired: false) == [])
        var cancelling = pairing()
        _ = cancelling.cancelCall(1, .cancelled)
        #expect(cancelling.ended(.linkLost) == [.cancelled])
        #expect(cancelling.cancelReplied(1) == [])
    }

    @Test("Each caller completes exactly once in random sequences", arguments: 1...50)
    func conservation(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var machine = PairCallStateMachine()
        var actions: [PairCallStateMachine.Action] = []
        for step in 1...300 {
            let any = Int.random(in: 1...step, using: &random)
            let deadline = Duration.seconds(step + any)
            let isPaired = Int.random(in: 0..<10, using: &random) == 0
            switch Int.random(in: 0..<9, using: &random) {
            case 0: actions += machine.replied(any, .rejected)
            case 1: actions += machine.cancelCall(any, .cancelled)
            case 2: actions += machine.cancelCalls(any % 4, .cancelled)
            case 3: actions += machine.timerFired(now: .seconds(step))
            case 4: actions += machine.ended(.linkLost)
            case 5: actions += machine.cancelReplied(any)
            case 6: actions += machine.paired()
            default: actions += machine.prepared(any, isPaired: isPaired)
            }
            actions += machine.start(step, of: step % 4, deadline: deadline, isPaired: isPaired)
        }
        actions += machine.ended(.daemonLost)
        for caller in 1...300 {
            let told = actions.filter { if case .complete(caller, _) = $0 { true } else { false } }
            #expect(told.count == 1, "seed \(seed), caller \(caller)")
        }
    }
}
