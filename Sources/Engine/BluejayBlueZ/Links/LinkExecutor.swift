internal import BluejayGLib

/// The state machine of a link: its parts send events, the link performs the actions.
final class LinkExecutor {
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

    func handle(_ event: (inout LinkStateMachine, _ now: Duration) -> [LinkStateMachine.Action]) {
        report(event(&machine, clock.now))
    }

    /// Handles the release of a lease.
    ///
    /// `prepare` is called before the actions, with `true` if the release completes at once.
    func leave(_ user: LinkStateMachine.User, cutting: LinkCut, prepare: (Bool) -> Void) {
        let actions = machine.leave(user, cutting: cutting, now: clock.now)
        prepare(actions.contains(.left(user)))
        report(actions)
    }

    private func report(_ actions: [LinkStateMachine.Action]) {
        let progress = machine.progressed()
        onActions?(.link(progress.isEmpty ? actions : progress + actions))
    }

    /// Handles an event of the connection attempt, if there is one.
    func handleAttempt(
        _ event: (inout ConnectStateMachine, _ now: Duration) -> [ConnectStateMachine.Action]
    ) {
        handle { machine, now in machine.attempt { event(&$0, now) } }
    }

    func handleAttributes(
        _ event: (inout AttributeStateMachine, _ now: Duration) -> [AttributeStateMachine.Action]
    ) {
        let now = clock.now
        onActions?(.attributes(machine.ask { event(&$0, now) }))
    }

    func setHeld(_ isHeld: Bool) { machine.isHeld = isHeld }

    var isUp: Bool { machine.isUp }
    var isDialled: Bool { machine.isDialled }
    var isIdle: Bool { machine.isIdle }
    func knows(_ user: LinkStateMachine.User) -> Bool { machine.knows(user) }
    func isMember(_ user: LinkStateMachine.User) -> Bool { machine.isMember(user) }

    // MARK: Attributes

    func attribute(of request: AttributeStateMachine.Request) -> AttributeStateMachine.Attribute? {
        machine.attributes.attribute(of: request)
    }

    func user(of call: AttributeStateMachine.Call) -> LinkStateMachine.User? {
        machine.attributes.user(of: call)
    }

    func isFree(_ attribute: AttributeStateMachine.Attribute) -> Bool {
        machine.attributes.isFree(attribute)
    }

    func timeLeft(of call: AttributeStateMachine.Call) -> Duration? {
        machine.attributes.timeLeft(of: call, now: clock.now)
    }
}
