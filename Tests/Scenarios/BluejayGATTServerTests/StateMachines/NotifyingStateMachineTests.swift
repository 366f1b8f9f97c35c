import TestSupport
import Testing

@testable import BluejayGATTServer

@Suite("Subscription state of a characteristic")
struct NotifyingStateMachineTests {
    enum Event { case started, stopped, arrived, left, lost }

    static let table: [(rule: String, events: [Event], isSubscribed: Bool)] = [
        ("no subscription at first", [], false),
        ("StartNotify subscribes even without a known connection", [.started], true),
        ("StopNotify unsubscribes", [.started, .stopped], false),
        ("the last disconnection unsubscribes, too", [.started, .left], false),
        ("a bonded central remains subscribed", [.started, .left, .arrived], true),
        ("StopNotify unsubscribes while away", [.started, .left, .stopped, .arrived], false),
        ("a connection alone does not subscribe", [.arrived], false),
        ("a lost daemon unsubscribes", [.arrived, .started, .lost], false),
        ("a later connection does not subscribe", [.started, .lost, .arrived], false),
        ("a new StartNotify subscribes again", [.left, .lost, .left, .started], true),
    ]

    @Test(
        "A characteristic is subscribed after StartNotify while a central is connected",
        arguments: table
    )
    func subscribed(rule: String, events: [Event], isSubscribed: Bool) {
        var machine = NotifyingStateMachine()
        for event in events { _ = machine.apply(event) }
        #expect(machine.isSubscribed == isSubscribed, "\(rule)")
    }

    @Test("Each change is reported exactly once", arguments: 0..<20 as Range<UInt64>)
    func changes(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var machine = NotifyingStateMachine()
        for _ in 0..<200 {
            let before = machine.isSubscribed
            let events: [Event] = [.started, .stopped, .arrived, .left, .lost]
            guard let event = events.randomElement(using: &random) else { return }
            let isTold = machine.apply(event)
            #expect(isTold == (before != machine.isSubscribed), "seed \(seed), \(event)")
        }
    }
}

extension NotifyingStateMachine {
    fileprivate mutating func apply(_ event: NotifyingStateMachineTests.Event) -> Bool {
        switch event {
        case .started: started()
        case .stopped: stopped()
        case .arrived: centralsChanged(hasCentrals: true)
        case .left: centralsChanged(hasCentrals: false)
        case .lost: lost()
        }
    }
}
