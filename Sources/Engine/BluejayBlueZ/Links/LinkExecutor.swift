internal import BluejayGLib

/// The state machine of a link: its parts send events, and the owner of a subject performs its actions.
///
/// The actions of all events are performed in order, one after the other.
final class LinkExecutor {
    /// The owners that perform the actions.
    struct Performers {
        let link: (LinkStateMachine.Action) -> Void
        let attributes: (AttributeStateMachine.Action) -> Void
        /// Called after each event of the link itself.
        let linkChanged: () -> Void
    }

    /// Set once, by the link.
    var performers: Performers?
    private var machine = LinkStateMachine()
    private let actions = ActionQueue<LinkStateMachine.Action>()
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
    func release(
        _ leaseID: LinkStateMachine.LeaseID,
        disconnecting: DisconnectPolicy,
        prepare: (Bool) -> Void
    ) {
        let actions = machine.release(leaseID, disconnecting: disconnecting, now: clock.now)
        prepare(actions.contains(.released(leaseID)))
        report(actions)
    }

    private func report(_ actions: [LinkStateMachine.Action]) {
        let progress = machine.progressed()
        self.actions.perform(progress.isEmpty ? actions : progress + actions) { perform($0) }
        performers?.linkChanged()
    }

    private func perform(_ action: LinkStateMachine.Action) {
        if case .attributes(let action) = action {
            performers?.attributes(action)
        } else {
            performers?.link(action)
        }
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
        perform(machine.withAttributes { event(&$0, now) })
    }

    private func perform(_ actions: [AttributeStateMachine.Action]) {
        self.actions.perform(actions, as: LinkStateMachine.Action.attributes) { perform($0) }
    }

    /// Handles the reply of bluetoothd that ends a call; nil is success.
    func replied(_ call: AttributeStateMachine.CallNumber, _ failure: BlueZFailure?) {
        if case .notConnected = failure { handle { $0.refusedAsNotConnected(now: $1) } }
        perform(machine.replied(call, failure, now: clock.now))
    }

    /// Handles a reply of bluetoothd that does not end its call; nil is success.
    func replied(_ failure: BlueZFailure?) {
        if case .notConnected = failure { handle { $0.refusedAsNotConnected(now: $1) } }
        machine.replied(failure)
    }

    func setRetained(_ isRetained: Bool) { machine.isRetained = isRetained }

    var isUp: Bool { machine.isUp }
    var isLocallyInitiated: Bool { machine.isLocallyInitiated }
    var isIdle: Bool { machine.isIdle }
    var isEnding: Bool { machine.isEnding }
    func hasLease(_ leaseID: LinkStateMachine.LeaseID) -> Bool { machine.hasLease(leaseID) }
    func isActive(_ leaseID: LinkStateMachine.LeaseID) -> Bool { machine.isActive(leaseID) }

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
