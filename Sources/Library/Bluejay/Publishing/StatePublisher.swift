internal import BluejayGLib

/// Publishes the state of one instance to all threads.
final class StatePublisher {
    /// Read the current state of the components, on the loop.
    struct Readers {
        let state: () -> PublicState
        let peripheral: () -> PublishedPeripheral
    }

    /// Set once, by the owner.
    var readers: Readers?

    private let snapshot = LockedValue(PublicState())
    private let peripheralSnapshot = LockedValue(PublishedPeripheral())
    private var lastState = PublicState()
    private var lastQueueStatus = QueueStateMachine.Status()
    /// Whether state other than the queue's may have changed.
    private var needsPublishing = true
    private var needsPeripheralPublishing = true

    /// The state, for any thread.
    var value: PublicState { snapshot.value }

    /// The peripheral, for any thread.
    var peripheral: PublishedPeripheral { peripheralSnapshot.value }

    /// Notes that the state may have changed.
    func setNeedsPublishing() { needsPublishing = true }

    /// Notes that the peripheral may have changed.
    func setPeripheralNeedsPublishing() { needsPeripheralPublishing = true }

    /// Publishes changes; called around every callback.
    ///
    /// The rest of the state is read only if the queue's status differs or a component has marked it as
    /// changed.
    /// - Parameter status: The status of the queue.
    func publish(_ status: QueueStateMachine.Status) {
        if needsPublishing || status != lastQueueStatus {
            needsPeripheralPublishing =
                needsPeripheralPublishing || status.isConnected != lastQueueStatus.isConnected
            needsPublishing = false
            lastQueueStatus = status
            if let state = readers?.state(), state != lastState {
                lastState = state
                snapshot.value = state
            }
        }
        guard needsPeripheralPublishing else { return }
        needsPeripheralPublishing = false
        if let peripheral = readers?.peripheral() { peripheralSnapshot.value = peripheral }
    }

    /// Publishes the peripheral before observers are notified of a change.
    func publishPeripheral(_ status: QueueStateMachine.Status) {
        needsPeripheralPublishing = true
        publish(status)
    }
}
