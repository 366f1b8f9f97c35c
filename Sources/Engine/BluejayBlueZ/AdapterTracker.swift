package import BluejayCore
package import BluejayDBus
internal import BluejayGLib

/// Tracks the adapter that a client or a server uses, and whether Bluetooth is usable.
///
/// The tracker belongs to the engine's loop and observes bluetoothd until its release.
package final class AdapterTracker {
    package let engine: BlueZEngine
    /// Receives each change of `chosenAdapter`, `adapter` and `state`.
    ///
    /// The tracker delivers one action at a time, in order; a call inside the handler does not nest. The
    /// properties already have their latest values.
    package var onChange: ((AdapterSelector.Action) -> Void)?

    private var selector: AdapterSelector
    private let changes = ActionQueue<AdapterSelector.Action>()
    private var observation: ObservationToken?
    private var waitMachine = BluetoothWaitStateMachine<Int>()
    private let waitActions = ActionQueue<BluetoothWaitStateMachine<Int>.Action>()
    private var waitTimer: ScheduledTimer?
    private var waiters: [Int: (Result<ObjectPath, AdapterUnavailable>) -> Void] = [:]
    private var lastWaiter = 0

    /// Creates a tracker that already has the current state.
    package init(_ engine: BlueZEngine, choice: AdapterChoice) {
        self.engine = engine
        selector = AdapterSelector(choice)
        _ = selector.changed(engine.client)
        _ = waitMachine.changed(availability, now: clock.now)
        observation = engine.client.observe(.adapters) { [weak self] in self?.receive($0) }
    }

    /// Creates a tracker for an adapter's name or address; nil chooses the first adapter that is on.
    package convenience init(_ engine: BlueZEngine, adapter: String?) {
        self.init(engine, choice: adapter.map { .named($0) } ?? .any)
    }

    package convenience init(_ host: BluetoothHost) {
        self.init(
            BlueZEngine.shared(on: host.mainLoop, busAddress: host.busAddress),
            adapter: host.adapter
        )
    }

    /// The chosen adapter, if it is usable.
    package var adapter: ObjectPath? { selector.usableAdapter }
    /// The chosen adapter, on or off; nil if the machine has no such adapter.
    package var chosenAdapter: ObjectPath? { selector.adapter }
    /// Whether the tracker knows that Bluetooth is usable or unusable.
    package var isAvailabilityKnown: Bool { selector.isAvailabilityKnown }
    package var state: BluetoothState { selector.state }

    private var clock: any EventClock { engine.client.clock }

    /// Keeps the adapter while the user has a scan, a link or a registration there.
    ///
    /// A repeated value has no effect.
    package func pin(_ isPinned: Bool) {
        perform(selector.setPinned(isPinned))
    }

    /// Reads bluetoothd's current state, for a user that must not wait for the tracker's own notification.
    package func update() {
        perform(selector.changed(engine.client))
    }

    /// Changes the choice of a user that has nothing on the adapter, and removes the pin.
    ///
    /// `onChange` runs inside this call, even if this call is inside `onChange`: the user relies on the new
    /// adapter at once.
    ///
    /// - Parameter choice: The requested adapter.
    /// - Returns: The chosen adapter, on or off. A failure changes nothing.
    package func choose(_ choice: AdapterChoice) -> Result<ObjectPath, AdapterUnavailable> {
        var next = selector
        let actions = next.select(choice, engine.client)
        guard let adapter = next.adapter else {
            return .failure(AdapterUnavailable(state: next.state))
        }
        selector = next
        for action in actions { deliver(action) }
        return .success(adapter)
    }

    /// Calls `onChange` with the actions that lead from an unknown state to the current one.
    ///
    /// A user that sets `onChange` right after `init` starts with this call.
    package func reportState() {
        let use = adapter.map { [AdapterSelector.Action.use($0)] } ?? []
        perform(use + (state == .unknown ? [] : [.report(state)]))
    }

    // MARK: Waiting

    /// Waits for a usable adapter.
    ///
    /// An adapter that is off has one second to turn on. If Bluetooth is unusable for another reason, the
    /// wait fails at once.
    ///
    /// - Parameters:
    ///   - timeout: The longest wait for an unknown state.
    ///   - completion: Called once: inside this call if the result is known, otherwise on a later iteration,
    ///     after `onChange`. Releasing the tracker cancels the wait.
    /// - Returns: A token whose release cancels the wait; nil if `completion` has already run.
    package func whenUsable(
        within timeout: Duration,
        _ completion: @escaping (Result<ObjectPath, AdapterUnavailable>) -> Void
    ) -> ObservationToken? {
        lastWaiter += 1
        let waiter = lastWaiter
        waiters[waiter] = completion
        perform(waitMachine.wait(waiter, within: timeout, now: clock.now))
        guard waiters[waiter] != nil else { return nil }
        return ObservationToken { [weak self] in self?.cancel(waiter) }
    }

    private func cancel(_ waiter: Int) {
        guard waiters.removeValue(forKey: waiter) != nil else { return }
        perform(waitMachine.cancel(waiter))
    }

    private func finish(_ waiter: Int) {
        let completion = waiters.removeValue(forKey: waiter)
        completion?(adapter.map { .success($0) } ?? .failure(AdapterUnavailable(state: state)))
    }

    private var availability: BluetoothWaitStateMachine<Int>.Availability {
        switch state {
        case .unknown, .resetting, .serviceNotResponding: .unknown
        case .poweredOn: .on
        case .poweredOff: .off
        case .blocked, .noAdapter, .adapterNotFound, .serviceNotRunning, .busUnavailable,
            .unauthorized:
            .unusable
        }
    }

    // MARK: Performing

    private func receive(_ event: BlueZClient.Event) {
        switch event {
        case .disconnectReason: break
        case .stateChanged: update()
        case .changed(let changed):
            if changed.contains(where: \.concernsAdapter) { update() }
        }
    }

    private func perform(_ new: [AdapterSelector.Action]) {
        changes.perform(new) { deliver($0) }
    }

    private func deliver(_ action: AdapterSelector.Action) {
        onChange?(action)
        if case .report = action { perform(waitMachine.changed(availability, now: clock.now)) }
    }

    private func perform(_ new: [BluetoothWaitStateMachine<Int>.Action]) {
        waitActions.perform(new) { action in
            switch action {
            case .grant(let waiter), .fail(let waiter): finish(waiter)
            case .setTimer(let instant):
                waitTimer = clock.schedule(at: instant) { [weak self] in
                    guard let self else { return }
                    perform(waitMachine.timerFired(now: clock.now))
                }
            }
        }
    }
}

/// The state that prevented the use of an adapter.
package struct AdapterUnavailable: Error, Equatable {
    package let state: BluetoothState
}
