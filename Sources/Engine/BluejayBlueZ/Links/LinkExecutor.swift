internal import BluejayGLib

/// The state machine of a link, which the parts of the link share.
///
/// A part sends its events here; the link performs the actions that follow.
final class LinkExecutor {
    /// Actions of the whole machine, or of its attributes alone.
    enum Actions {
        case link([LinkStateMachine.Action])
        case attributes([AttributeStateMachine.Action])
    }

    /// Performs the actions of an event; set once by the link.
    var onActions: ((Actions) -> Void)?
    private var machine = LinkStateMachine()
    private let clock: any EventClock

    init(_ clock: any EventClock) {
        self.clock = clock
    }

    /// Handles an event of the link or its users.
    func handle(_ event: (inout LinkStateMachine, _ now: Duration) -> [LinkStateMachine.Action]) {
        report(event(&machine, clock.now))
    }

    /// Handles the release of a lease.
    ///
    /// `prepare` is called ahead of the actions, with `true` if the release completes at once.
    func leave(_ user: LinkStateMachine.User, cutting: LinkCut, prepare: (Bool) -> Void) {
        let actions = machine.leave(user, cutting: cutting, now: clock.now)
        prepare(actions.contains(.left(user)))
        report(actions)
    }

    private func report(_ actions: [LinkStateMachine.Action]) {
        let progress = machine.progressed()
        onActions?(.link(progress.isEmpty ? actions : progress + actions))
    }

    /// Handles an event of the connection attempt; without an attempt nothing happens.
    func handleAttempt(
        _ event: (inout ConnectStateMachine, _ now: Duration) -> [ConnectStateMachine.Action]
    ) {
        handle { machine, now in machine.attempt { event(&$0, now) } }
    }

    /// Handles an event of the characteristics and descriptors.
    func handleAttributes(
        _ event: (inout AttributeStateMachine, _ now: Duration) -> [AttributeStateMachine.Action]
    ) {
        let now = clock.now
        onActions?(.attributes(machine.ask { event(&$0, now) }))
    }

    /// Sets whether a retainer keeps the link up without users.
    func setHeld(_ isHeld: Bool) { machine.isHeld = isHeld }

    var isUp: Bool { machine.isUp }
    var isDialled: Bool { machine.isDialled }
    var isIdle: Bool { machine.isIdle }
    func knows(_ user: LinkStateMachine.User) -> Bool { machine.knows(user) }
    func isMember(_ user: LinkStateMachine.User) -> Bool { machine.isMember(user) }

    // MARK: Attributes

    /// The attribute that a subscription listens to.
    func attribute(of request: AttributeStateMachine.Request) -> AttributeStateMachine.Attribute? {
        machine.attributes.attribute(of: request)
    }

    /// The user of a running call, or nil for a call on behalf of all subscribers.
    func user(of call: AttributeStateMachine.Call) -> LinkStateMachine.User? {
        machine.attributes.user(of: call)
    }

    /// Whether no call on an attribute runs or waits.
    func isFree(_ attribute: AttributeStateMachine.Attribute) -> Bool {
        machine.attributes.isFree(attribute)
    }

    /// The time left for a call, or nil if the call has ended.
    func timeLeft(of call: AttributeStateMachine.Call) -> Duration? {
        machine.attributes.timeLeft(of: call, now: clock.now)
    }
}
