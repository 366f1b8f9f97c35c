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

    private let snapshot = Snapshot(PublicState())
    private let peripheralSnapshot = Snapshot(PublishedPeripheral())
    private var last = PublicState()
    private var lastStatus = QueueStateMachine.Glance()
    /// Whether state other than the queue's may have changed.
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

    /// Publishes changes; called around every callback.
    ///
    /// The rest of the state is read only if the queue's status differs or a component has marked it as
    /// changed.
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

    /// Publishes the peripheral before observers are notified of a change.
    func publishPeripheral(_ status: QueueStateMachine.Glance) {
        isPeripheralTouched = true
        publish(status)
    }
}
