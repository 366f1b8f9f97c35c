internal import BluejayGLib

/// Publishes the state of one instance to all threads.
final class StatePublisher {
    /// Reads the present state of the owners, on the loop.
    struct Readers {
        let state: () -> PublicState
        let peripheral: () -> PublishedPeripheral
    }

    /// Set once, by the maker.
    var readers: Readers?

    private let snapshot = Snapshot(PublicState())
    private let peripheralSnapshot = Snapshot(PublishedPeripheral())
    private var last = PublicState()
    private var lastStatus = QueueStateMachine.Glance()
    /// Whether a part of the state other than the queue's may have changed.
    private var isTouched = true
    private var isPeripheralTouched = true

    /// The state, for any thread.
    var value: PublicState { snapshot.value }

    /// The peripheral, for any thread.
    var peripheral: PublishedPeripheral { peripheralSnapshot.value }

    /// Notes that the state may have changed.
    func touch() { isTouched = true }

    /// Notes that the peripheral may have changed.
    func touchPeripheral() { isPeripheralTouched = true }

    /// Publishes what has changed; called around every callback.
    ///
    /// The rest of the state is read only if the queue's status differs or an owner has touched it.
    ///
    /// - Parameter status: The status of the queue.
    func publish(_ status: QueueStateMachine.Glance) {
        if isTouched || status != lastStatus {
            isPeripheralTouched =
                isPeripheralTouched || status.isConnected != lastStatus.isConnected
            isTouched = false
            lastStatus = status
            if let state = readers?.state(), state != last {
                last = state
                snapshot.value = state
            }
        }
        guard isPeripheralTouched else { return }
        isPeripheralTouched = false
        if let peripheral = readers?.peripheral() { peripheralSnapshot.value = peripheral }
    }

    /// Publishes the peripheral before the observers are notified of a change.
    func publishPeripheral(_ status: QueueStateMachine.Glance) {
        isPeripheralTouched = true
        publish(status)
    }
}
