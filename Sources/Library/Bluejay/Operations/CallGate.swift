internal import BluejayGLib

/// The reason why a call does not run at once.
enum CallObstacle {
    /// The call was made on a thread other than the loop's.
    case otherThread
    case rejection(BluejayError)
}

/// Rejects calls before they reach the queue.
final class CallGate {
    /// Whether the loop ends or has ended: its shutdown disconnects.
    private var isShuttingDown: Bool { context.isEnding }
    /// Whether a background task owns the peripheral.
    private(set) var isRunningTask = false
    private let adapters: AdapterController
    private let restoration: RestorationController
    private let context: MainContext

    init(
        _ adapters: AdapterController,
        _ restoration: RestorationController,
        _ context: MainContext
    ) {
        self.adapters = adapters
        self.restoration = restoration
        self.context = context
    }

    func startTask() { isRunningTask = true }

    func endTask() { isRunningTask = false }

    /// Whether all calls pass.
    var isReady: Bool {
        adapters.hasStarted && !isShuttingDown && !isRunningTask && !restoration.isInProgress
    }

    /// The error of a call before the start, during a restoration, or during a background task.
    var rejection: BluejayError? {
        if isReady { return nil }
        if isShuttingDown { return .stopped }
        guard adapters.hasStarted else { return .bluetoothUnavailable(.unknown) }
        if isRunningTask { return .backgroundTaskRunning }
        return restorationRejection
    }

    /// The error of a call during a restoration; an unusable Bluetooth takes precedence.
    private var restorationRejection: BluejayError? {
        guard restoration.isInProgress else { return nil }
        switch adapters.bluetoothState {
        case .unknown, .resetting, .poweredOn: return .backgroundRestorationInProgress
        case let state: return .bluetoothUnavailable(state)
        }
    }

    /// Rejects malformed service identifiers, too.
    func rejection(_ services: [ServiceIdentifier]) -> BluejayError? {
        rejection ?? services.lazy.compactMap { self.malformedError($0.uuid) }.first
    }

    /// Rejects a malformed characteristic identifier, too.
    func rejection(_ characteristic: CharacteristicIdentifier) -> BluejayError? {
        rejection ?? malformedError(characteristic)
    }

    private func malformedError(_ characteristic: CharacteristicIdentifier) -> BluejayError? {
        malformedError(characteristic.service.uuid) ?? malformedError(characteristic.uuid)
    }

    private func malformedError(_ uuid: BluetoothUUID) -> BluejayError? {
        uuid.isMalformed ? .malformedUUID(uuid.uuidString) : nil
    }

    // MARK: Background tasks

    /// The error that keeps a background task from starting.
    var taskRejection: BluejayError? {
        if isShuttingDown { return .stopped }
        guard adapters.hasStarted else { return .bluetoothUnavailable(.unknown) }
        return isRunningTask ? .multipleBackgroundTaskNotSupported : restorationRejection
    }

    /// The error of a call inside a background task; the queue applies its own rules later.
    func rejection(
        _ call: BluejayError.Call,
        inTask characteristic: CharacteristicIdentifier
    ) -> BluejayError? {
        rejectionInTask(characteristic)?.during(call, of: characteristic)
    }

    /// The error of a call to a descriptor inside a background task.
    func rejection(
        _ call: BluejayError.Call,
        inTask descriptor: DescriptorIdentifier
    ) -> BluejayError? {
        let rejection = rejection(call, inTask: descriptor.characteristic)
        let subject = ErrorSubject(call, descriptor)
        return (rejection ?? subject.descriptorRejection)?.during(
            call,
            of: descriptor.characteristic,
            descriptor: descriptor
        )
    }

    private func rejectionInTask(_ characteristic: CharacteristicIdentifier) -> BluejayError? {
        if isShuttingDown { return .stopped }
        guard adapters.hasStarted else { return .notConnected }
        return malformedError(characteristic)
    }
}

extension CharacteristicIdentifier {
    /// Whether a UUID of the identifier is malformed.
    var isMalformed: Bool { uuid.isMalformed || service.uuid.isMalformed }
}
