import TestSupport
import Testing

@testable import BluejayGATTServer

@Suite("Who is subscribed")
struct NotifyingStateMachineTests {
    enum Event { case started, stopped, arrived, left, lost }

    static let table: [(rule: String, events: [Event], isSubscribed: Bool)] = [
        ("nobody is subscribed at first", [], false),
        ("StartNotify subscribes, even when no connection was seen", [.started], true),
        ("StopNotify comes after the last one", [.started, .stopped], false),
        ("the last central's leaving ends it without StopNotify", [.started, .left], false),
        ("a bonded central is not announced again", [.started, .left, .arrived], true),
        ("StopNotify while nobody is there counts", [.started, .left, .stopped, .arrived], false),
        ("a connection alone is no subscription", [.arrived], false),
        ("a lost daemon forgets", [.arrived, .started, .lost], false),
        ("after a lost daemon a connection is not enough", [.started, .lost, .arrived], false),
        ("a new StartNotify counts after everything", [.left, .lost, .left, .started], true),
    ]

    @Test("Subscribed is what bluetoothd said, while somebody is there", arguments: table)
    func subscribed(rule: String, events: [Event], isSubscribed: Bool) {
        var machine = NotifyingStateMachine()
        for event in events { _ = machine.apply(event) }
        #expect(machine.isSubscribed == isSubscribed, "\(rule)")
    }

    @Test("A change is told when there is one, and only then", arguments: 0..<20 as Range<UInt64>)
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
