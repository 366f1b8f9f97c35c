internal import BluejayGLib
internal import FoundationEssentials

/// The restoration of one instance; without a restore identifier every method has no effect.
final class RestorationController {
    /// The state of the previous and the next run, or `nil` without a restore identifier.
    private(set) var current: Restoration? {
        didSet { statePublisher.setNeedsPublishing() }
    }
    private let statePublisher: StatePublisher
    private let log: InstanceLog
    private let context: MainContext

    init(_ shared: InstanceContext) {
        context = shared.loop
        statePublisher = shared.statePublisher
        log = shared.log
    }

    /// Whether a restore identifier is set.
    var isEnabled: Bool { current != nil }

    /// Whether calls must wait for the restorer.
    var isInProgress: Bool { current?.isInProgress == true }

    func start(_ config: BackgroundRestoreConfig) {
        current = Restoration(config, on: context, log: log.restoration)
    }

    /// Removes the saved state.
    func end() {
        save(nil, [])
        current = nil
    }

    /// Fails a restoration that waits for Bluetooth or for its connection.
    func failPending(_ error: any Error) {
        if let current, let peripheral = current.peripheral { current.ended(peripheral, error) }
    }

    /// Saves the state for the next run; without a peripheral there is nothing to restore.
    func save(_ peripheral: PeripheralIdentifier?, _ listens: [CharacteristicIdentifier]) {
        current?.save(peripheral, listens)
    }

    /// Removes a restored listen, because it has a listener or has ended.
    func markHandled(_ characteristic: CharacteristicIdentifier) {
        current?.markHandled(characteristic)
    }

    func linkEnded() {
        current?.linkEnded()
    }

    /// Passes a value without a listener to the listen restorer; `stop` turns off the notifications.
    func received(
        _ value: Data,
        on characteristic: CharacteristicIdentifier,
        from peripheral: PeripheralIdentifier?,
        stop: @escaping () -> Void
    ) {
        current?.received(value, on: characteristic, from: peripheral, stop: stop)
    }
}
