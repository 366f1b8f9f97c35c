internal import BluejayBlueZ
internal import BluejayGLib

/// What any thread may read of a `Bluejay`, as one value.
struct PublicState: Equatable {
    var hasStarted = false
    var bluetoothState = BluetoothState.unknown
    var isConnecting = false
    var isConnected = false
    var connectedPeripheral: PeripheralIdentifier?
    var isDisconnecting = false
    var isScanning = false
    var shouldAutoReconnect = true
    var isRestorationEnabled = false
}

/// What any thread may read of the connected peripheral.
struct PublishedPeripheral: Swift.Sendable {
    /// Whether there is a link that can be written to.
    var isUp = false
    var mtu: Int?
    var services: [PeripheralService] = []
    var details: PeripheralDetails?
    /// The listens; nil while no peripheral is connected.
    var listens: ListenStateMachine<CharacteristicIdentifier>?
}

/// The settings of a `Bluejay`, as its users see them.
struct Settings: Swift.Sendable {
    let broadcastsErrors = LoopProperty(false)
    let reconnectOptions = LoopProperty(ReconnectOptions())
    let defaultTimeouts = LoopProperty(DefaultTimeouts())
    let usesWriteSockets = LoopProperty(true)
}

/// What the loop shows to other threads.
final class PublishedState {
    private let snapshot = Snapshot(PublicState())
    private let peripheralSnapshot = Snapshot(PublishedPeripheral())
    private var last = PublicState()
    private var lastGlance = QueueStateMachine.Glance()
    /// Whether something of the state may be different that is not the queue's.
    var isTouched = true
    /// Whether something of the peripheral may be different.
    var isPeripheralTouched = true

    /// The state, for any thread.
    var value: PublicState { snapshot.value }

    /// The peripheral, for any thread.
    var peripheral: PublishedPeripheral { peripheralSnapshot.value }

    /// Publishes what is different; what the queue says is compared first, and the rest only when it was
    /// touched.
    fileprivate func update(_ runner: OperationRunner) {
        let glance = runner.queue.glance
        if isTouched || glance != lastGlance {
            isPeripheralTouched =
                isPeripheralTouched || glance.isConnected != lastGlance.isConnected
            isTouched = false
            lastGlance = glance
            let state = runner.publicState
            if state != last {
                last = state
                snapshot.value = state
            }
        }
        guard isPeripheralTouched else { return }
        isPeripheralTouched = false
        peripheralSnapshot.value = runner.publishedPeripheral
    }
}

extension OperationRunner {
    /// The present state; on the loop.
    var publicState: PublicState {
        PublicState(
            hasStarted: hasStarted,
            bluetoothState: bluetoothState,
            isConnecting: queue.isConnecting,
            isConnected: queue.isConnected,
            connectedPeripheral: queue.isConnected ? peripheral : nil,
            isDisconnecting: queue.isDisconnecting,
            isScanning: queue.isScanning,
            shouldAutoReconnect: reconnecting.isWanted,
            isRestorationEnabled: restoration != nil
        )
    }

    fileprivate var publishedPeripheral: PublishedPeripheral {
        guard queue.isConnected else { return PublishedPeripheral() }
        return PublishedPeripheral(
            isUp: lease?.link.isUp ?? false,
            mtu: lease?.link.toldMTU,
            services: services,
            details: peripheralDetails,
            listens: listens
        )
    }

    /// Lets other threads read the present state; called around every callback.
    func publish() {
        published.update(self)
    }

    /// Publishes the peripheral before the observers are told of a change.
    func publishPeripheral() {
        published.isPeripheralTouched = true
        publish()
    }
}
