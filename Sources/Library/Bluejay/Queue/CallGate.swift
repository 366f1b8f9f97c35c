/// Rejects calls before they reach the queue.
final class CallGate {
    /// Whether the loop is about to end, so that no more calls start.
    private(set) var isClosing = false
    /// Whether a background task owns the peripheral.
    private(set) var isRunningTask = false
    private let adapters: AdapterController
    private let restoration: RestorationController

    init(_ adapters: AdapterController, _ restoration: RestorationController) {
        self.adapters = adapters
        self.restoration = restoration
    }

    func beginTask() { isRunningTask = true }

    func endTask() { isRunningTask = false }

    func beginClosing() { isClosing = true }

    func endClosing() { isClosing = false }

    /// Whether all calls pass.
    var isReady: Bool {
        adapters.hasStarted && !isClosing && !isRunningTask && !restoration.isInProgress
    }

    /// The error of a call before the start, during a restoration, or during a background task.
    var refusal: BluejayError? {
        if isReady { return nil }
        guard adapters.hasStarted else { return .bluetoothUnavailable(.unknown) }
        if isClosing { return .stopped }
        if isRunningTask { return .backgroundTaskRunning }
        return restorationRefusal
    }

    /// The error of a call during a restoration; an unusable Bluetooth takes precedence.
    private var restorationRefusal: BluejayError? {
        guard restoration.isInProgress else { return nil }
        switch adapters.bluetoothState {
        case .unknown, .resetting, .poweredOn: return .backgroundRestorationInProgress
        case let state: return .bluetoothUnavailable(state)
        }
    }

    /// Rejects malformed service identifiers, too.
    func refusal(_ services: [ServiceIdentifier]) -> BluejayError? {
        if let refusal { return refusal }
        return services.first { $0.uuid.isMalformed }.map { .malformedUUID($0.uuid.uuidString) }
    }

    /// Rejects a malformed characteristic identifier, too.
    func refusal(_ characteristic: CharacteristicIdentifier) -> BluejayError? {
        if let refusal = refusal([characteristic.service]) { return refusal }
        let uuid = characteristic.uuid
        return uuid.isMalformed ? .malformedUUID(uuid.uuidString) : nil
    }

    // MARK: Background tasks

    /// The error that keeps a background task from starting.
    var refusalOfTask: BluejayError? {
        guard adapters.hasStarted else { return .bluetoothUnavailable(.unknown) }
        return isRunningTask ? .multipleBackgroundTaskNotSupported : restorationRefusal
    }

    /// The error of a call inside a background task; the queue applies its own rules later.
    func refusal(
        _ call: BluejayError.Call,
        inTask characteristic: CharacteristicIdentifier
    ) -> BluejayError? {
        taskRefusal(characteristic)?.during(call, of: characteristic)
    }

    /// The error of a call to a descriptor inside a background task.
    func refusal(
        _ call: BluejayError.Call,
        inTask descriptor: DescriptorIdentifier
    ) -> BluejayError? {
        let refusal = refusal(call, inTask: descriptor.characteristic)
        let subject = ErrorSubject(call, descriptor)
        return (refusal ?? subject.descriptorRefusal)?.during(
            call,
            of: descriptor.characteristic,
            descriptor: descriptor
        )
    }

    private func taskRefusal(_ characteristic: CharacteristicIdentifier) -> BluejayError? {
        guard adapters.hasStarted else { return .notConnected }
        if isClosing { return .stopped }
        let uuids = [characteristic.service.uuid, characteristic.uuid]
        return uuids.first { $0.isMalformed }.map { .malformedUUID($0.uuidString) }
    }
}
