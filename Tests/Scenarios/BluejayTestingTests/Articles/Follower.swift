import Bluejay
import Foundation

/// Receives heart rates, even across restarts of the program.
final class Follower: BackgroundRestorer, ListenRestorer {
    private let bluejay: Bluejay
    private let show: (String) -> Void

    init(_ bluejay: Bluejay, show: @escaping (String) -> Void) {
        self.bluejay = bluejay
        self.show = show
    }

    func begin(keeping folder: URL? = nil) {
        var config = BackgroundRestoreConfig(
            restoreIdentifier: "heart",
            backgroundRestorer: self,
            listenRestorer: self
        )
        config.stateDirectory = folder
        let isRestoring = config.isRestoringFromBackground
        let restore = BackgroundRestoreMode.enable(config)
        bluejay.start(
            mode: .new(StartOptions(enableBluetoothAlert: false, backgroundRestore: restore))
        )
        if !isRestoring { connect() }
    }

    private func connect() {
        bluejay.connect(toFirst: .anyService([.heartRate]), within: 20) { [weak self] result in
            switch result {
            case .success: self?.follow()
            case .failure(let error): self?.show("\(error)")
            }
        }
    }

    private func follow() {
        bluejay.listen(to: .heartRateMeasurement) {
            [weak self] (result: ReadResult<HeartRateReading>) in
            guard case .success(let reading) = result else { return }
            self?.show("\(reading.beatsPerMinute) beats per minute")
        }
    }

    func didRestoreConnection(to sensor: PeripheralIdentifier) -> BackgroundRestoreCompletion {
        show("reconnected to \(sensor.name)")
        return .callback { [weak self] in self?.follow() }
    }

    func didFailToRestoreConnection(
        to sensor: PeripheralIdentifier,
        error: any Error
    ) -> BackgroundRestoreCompletion {
        .callback { [weak self] in self?.connect() }
    }

    func didReceiveUnhandledListen(
        from sensor: PeripheralIdentifier,
        on characteristic: CharacteristicIdentifier,
        with value: Data?
    ) -> ListenRestoreAction {
        .promiseRestoration
    }
}
