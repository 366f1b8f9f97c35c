import TestSupport
import TestTraits
import Testing

@testable import BluejayBlueZ

@Suite("Discovery")
struct DiscoveryStateMachineTests {
    private let heart = DiscoveryStateMachine.MergedFilter(reportsDuplicates: false)
    private let all = DiscoveryStateMachine.MergedFilter(reportsDuplicates: true)

    @Test("The filter is set before discovery starts")
    func starts() {
        var machine = DiscoveryStateMachine()
        #expect(machine.updateFilter(heart) == [.setFilter(heart, call: 1)])
        #expect(machine.replied(1, succeeded: true) == [.start(call: 2)])
        #expect(machine.replied(2, succeeded: true) == [])
        #expect(machine.updateFilter(nil) == [.stop(call: 3)])
        #expect(machine.replied(3, succeeded: true) == [])
    }

    @Test("A request that changes while a call is pending is served after this call")
    func changes() {
        var machine = DiscoveryStateMachine()
        _ = machine.updateFilter(heart)
        #expect(machine.updateFilter(all) == [])
        #expect(machine.replied(1, succeeded: true) == [.start(call: 2)])
        #expect(machine.replied(2, succeeded: true) == [.setFilter(all, call: 3)])
        #expect(machine.replied(3, succeeded: true) == [])
    }

    @Test("A request that ends before the start does not start discovery")
    func endsEarly() {
        var machine = DiscoveryStateMachine()
        _ = machine.updateFilter(heart)
        #expect(machine.updateFilter(nil) == [])
        #expect(machine.replied(1, succeeded: true) == [])
        #expect(machine.updateFilter(heart) == [.setFilter(heart, call: 2)])
    }

    @Test("A refused start fails the request")
    func refused() {
        var machine = DiscoveryStateMachine()
        _ = machine.updateFilter(heart)
        _ = machine.replied(1, succeeded: true)
        #expect(machine.replied(2, succeeded: false) == [.fail])
        #expect(machine.updateFilter(nil) == [])
    }

    @Test(
        "A start that finds the controller busy is repeated until it succeeds",
        .pitfall(.discoveryInProgress)
    )
    func busy() {
        var machine = DiscoveryStateMachine()
        _ = machine.updateFilter(heart)
        _ = machine.replied(1, succeeded: true)
        #expect(machine.wasBusy(2) == [.wait(call: 3)])
        #expect(machine.updateFilter(all) == [])
        #expect(machine.waited(3) == [.setFilter(all, call: 4)])
        #expect(machine.replied(4, succeeded: true) == [.start(call: 5)])
        #expect(machine.wasBusy(5) == [.wait(call: 6)])
        #expect(machine.waited(6) == [.setFilter(all, call: 7)])
        _ = machine.replied(7, succeeded: true)
        #expect(machine.replied(8, succeeded: true) == [])
        #expect(machine.updateFilter(nil) == [.stop(call: 9)])
    }

    @Test("A temporarily refused filter or start is repeated ten times")
    func refusedForNow() {
        var machine = DiscoveryStateMachine()
        _ = machine.updateFilter(heart)
        #expect(machine.wasRefused(1) == [.wait(call: 2)])
        #expect(machine.waited(2) == [.setFilter(heart, call: 3)])
        for call in stride(from: 4, through: 28, by: 3) {
            #expect(machine.replied(call - 1, succeeded: true) == [.start(call: call)])
            #expect(machine.wasRefused(call) == [.wait(call: call + 1)])
            #expect(machine.waited(call + 1) == [.setFilter(heart, call: call + 2)])
        }
        #expect(machine.wasRefused(30) == [.fail])
        // The next wish has ten attempts again.
        #expect(machine.updateFilter(all) == [.setFilter(all, call: 32)])
        #expect(machine.wasRefused(32) == [.wait(call: 33)])
    }

    @Test("A request that ends while the controller is busy ends the wait")
    func endsWhileBusy() {
        var machine = DiscoveryStateMachine()
        _ = machine.updateFilter(heart)
        _ = machine.replied(1, succeeded: true)
        _ = machine.wasBusy(2)
        #expect(machine.updateFilter(nil) == [])
        #expect(machine.isOff)
        #expect(machine.waited(3) == [])
        #expect(machine.updateFilter(heart) == [.setFilter(heart, call: 5)])
        #expect(machine.waited(3) == [])
    }

    @Test("An adapter that turns off while the controller is busy fails the request once")
    func droppedWhileBusy() {
        var machine = DiscoveryStateMachine()
        _ = machine.updateFilter(heart)
        _ = machine.replied(1, succeeded: true)
        _ = machine.wasBusy(2)
        #expect(machine.discoveryLost() == [.fail])
        #expect(machine.waited(3) == [])
    }

    @Test("An adapter that turns off fails the request once", .pitfall(.discoveryNotReady))
    func dropped() {
        var machine = DiscoveryStateMachine()
        _ = machine.updateFilter(heart)
        _ = machine.replied(1, succeeded: true)
        _ = machine.replied(2, succeeded: true)
        #expect(machine.discoveryLost() == [.fail])
        #expect(machine.discoveryLost() == [])
    }

    @Test("A reply that arrives after the adapter has left does not complete a new call")
    func lateAnswer() {
        var machine = DiscoveryStateMachine()
        _ = machine.updateFilter(heart)
        _ = machine.discoveryLost()
        #expect(machine.updateFilter(all) == [.setFilter(all, call: 3)])
        #expect(machine.replied(1, succeeded: false) == [])
        #expect(machine.replied(3, succeeded: true) == [.start(call: 4)])
    }

    @Test(
        "Random sequences end in the requested state, and starts and stops alternate",
        arguments: 0..<200
    )
    func conservation(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var machine = DiscoveryStateMachine()
        var isOn = false
        var pending: DiscoveryStateMachine.Action?
        func perform(_ actions: [DiscoveryStateMachine.Action]) {
            for action in actions where action != .fail {
                // A superseded wait has no effect.
                if case .wait = pending { pending = nil }
                #expect(pending == nil, "seed \(seed): two calls are pending")
                if case .start = action { #expect(!isOn, "seed \(seed): discovery started twice") }
                pending = action
            }
        }
        func reply() {
            guard let action = pending else { return }
            pending = nil
            switch action {
            case .setFilter(_, let call): perform(machine.replied(call, succeeded: true))
            case .start(let call) where Int.random(in: 0..<4, using: &random) == 0:
                perform(machine.wasBusy(call))
            case .start(let call) where Int.random(in: 0..<4, using: &random) == 0:
                perform(machine.wasRefused(call))
            case .wait(let call): perform(machine.waited(call))
            case .start(let call):
                isOn = true
                perform(machine.replied(call, succeeded: true))
            case .stop(let call):
                isOn = false
                perform(machine.replied(call, succeeded: true))
            case .fail: break
            }
        }
        for _ in 0..<100 {
            if Bool.random(using: &random) { reply() }
            perform(machine.updateFilter([nil, heart, all].randomElement(using: &random) ?? nil))
        }
        perform(machine.updateFilter(nil))
        for _ in 0..<8 { reply() }
        #expect(!isOn && pending == nil, "seed \(seed)")
    }
}
