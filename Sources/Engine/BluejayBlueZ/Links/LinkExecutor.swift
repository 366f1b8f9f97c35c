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
    func release(_ user: LinkStateMachine.LeaseID, disconnecting: LinkCut, prepare: (Bool) -> Void)
    {
        let actions = machine.release(user, disconnecting: disconnecting, now: clock.now)
        prepare(actions.contains(.released(user)))
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
        onActions?(.attributes(machine.withAttributes { event(&$0, now) }))
    }

    /// Records the reply of bluetoothd to a request; nil is success.
    func requestReplied(_ failure: BlueZFailure?) {
        switch failure {
        case .notConnected: handle { $0.refusedAsNotConnected(now: $1) }
        case nil, .attribute, .notPaired: machine.answered()
        default: break
        }
    }

    func setRetained(_ isRetained: Bool) { machine.isRetained = isRetained }

    var isUp: Bool { machine.isUp }
    var isLocallyInitiated: Bool { machine.isLocallyInitiated }
    var isIdle: Bool { machine.isIdle }
    var isEnding: Bool { machine.isEnding }
    func hasLease(_ user: LinkStateMachine.LeaseID) -> Bool { machine.hasLease(user) }
    func isActive(_ user: LinkStateMachine.LeaseID) -> Bool { machine.isActive(user) }

    // MARK: Attributes

    var hasUnansweredRequest: Bool { machine.attributes.hasUnansweredRequest }

    func attribute(of request: AttributeStateMachine.RequestID) -> AttributeStateMachine
        .AttributeID?
    {
        machine.attributes.attribute(of: request)
    }

    func lease(of call: AttributeStateMachine.CallNumber) -> LinkStateMachine.LeaseID? {
        machine.attributes.lease(of: call)
    }

    func isFree(_ attribute: AttributeStateMachine.AttributeID) -> Bool {
        machine.attributes.isFree(attribute)
    }

    func timeLeft(of call: AttributeStateMachine.CallNumber) -> Duration? {
        let now = clock.now
        // In place, because a copy of the machine takes 450 instructions.
        return machine.withAttributes { $0.timeLeft(of: call, now: now) }
    }
}
