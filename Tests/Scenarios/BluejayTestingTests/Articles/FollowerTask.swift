import Bluejay
import BluejayAsync
import Foundation

/// Reports whether the connection of the previous run is restored.
final class Restorer: BackgroundRestorer, ListenRestorer, Swift.Sendable {
    private let results = AsyncStream<Bool>.makeStream()

    /// Waits until the restoration has ended.
    func isRestored() async -> Bool {
        for await isRestored in results.stream { return isRestored }
        return false
    }

    func didRestoreConnection(to sensor: PeripheralIdentifier) -> BackgroundRestoreCompletion {
        results.continuation.yield(true)
        return .continue
    }

    func didFailToRestoreConnection(
        to sensor: PeripheralIdentifier,
        error: any Error
    ) -> BackgroundRestoreCompletion {
        results.continuation.yield(false)
        return .continue
    }

    func didReceiveUnhandledListen(
        from sensor: PeripheralIdentifier,
        on characteristic: CharacteristicIdentifier,
        with value: Data?
    ) -> ListenRestoreAction {
        .promiseRestoration
    }
}

/// Receives heart rates, even across restarts of the program.
func follow(
    _ bluejay: Bluejay,
    keeping folder: URL? = nil,
    show: @Sendable (String) -> Void
) async throws {
    let restorer = Restorer()
    var config = BackgroundRestoreConfig(
        restoreIdentifier: "heart",
        backgroundRestorer: restorer,
        listenRestorer: restorer
    )
    config.stateDirectory = folder
    let wasConnected = config.isRestoringFromBackground
    let restore = BackgroundRestoreMode.enable(config)
    let options = StartOptions(enableBluetoothAlert: false, backgroundRestore: restore)
    await bluejay.start(mode: .new(options))
    if wasConnected, await restorer.isRestored() {
        show("reconnected to \(bluejay.connectedPeripheral?.name ?? "the sensor")")
    } else {
        try await bluejay.connect(toFirst: .anyService([.heartRate]), within: 20)
    }
    let readings = bluejay.values(
        of: .heartRateMeasurement,
        as: HeartRateReading.self,
        isKept: true
    )
    for try await reading in readings {
        show("\(reading.beatsPerMinute) beats per minute")
    }
}
