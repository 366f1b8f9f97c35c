import Bluejay
import BluejayCommandLine
import Foundation

private let heartRateService = ServiceIdentifier(uuid: "180D")
private let heartRateMeasurement = CharacteristicIdentifier(uuid: "2A37", service: heartRateService)

/// One run of the demo: scan, connect, listen.
///
/// The library handles a lost link. Used on the main loop only.
final class HeartSensorSession: ConnectionObserver, LogObserver, @unchecked Swift.Sendable {
    private let bluejay: Bluejay
    private let display: any HeartRateDisplay
    private let verbose: Bool
    /// The sensor that is connected or will be.
    private var sensor: PeripheralIdentifier?
    /// The sensor that the scan found, with its advertised name.
    ///
    /// BlueZ may know another name once the device is connected, such as that of the computer that simulates
    /// it.
    private var found: PeripheralIdentifier?
    private var hasValues = false
    private var isEnding = false
    /// Whether a later run can restore the session.
    private(set) var isRestorable = false
    /// Whether the library reconnects to a sensor: that of the last run, or a lost one.
    private var isReconnecting = false

    /// The reason for the failure; `nil` once a heart rate was shown.
    private(set) var failure: String?
    /// Whether the link stays up for the next run.
    private(set) var keepsLink = false

    init(adapter: String?, display: any HeartRateDisplay, verbose: Bool) {
        bluejay = Bluejay(adapter: adapter)
        self.display = display
        self.verbose = verbose
    }

    /// Starts; with an identifier, restores the session of an earlier run with the same one.
    func start(restoring identifier: String?) {
        bluejay.register(logObserver: self)
        bluejay.register(connectionObserver: self)
        bluejay.registerDisconnectHandler(handler: self)
        var restore = BackgroundRestoreMode.disable
        if let identifier {
            let config = BackgroundRestoreConfig(
                restoreIdentifier: identifier,
                backgroundRestorer: self,
                listenRestorer: self
            )
            isRestorable = true
            isReconnecting = config.isRestoringFromBackground
            restore = .enable(config)
        }
        if isReconnecting { display.status("restoring the sensor of the last run") }
        let options = StartOptions(enableBluetoothAlert: false, backgroundRestore: restore)
        bluejay.start(mode: .new(options))
    }

    /// Disconnects and ends the main loop.
    func end() {
        guard !isEnding else { return MainLoop.main.stop() }
        isEnding = true
        if !hasValues, failure == nil {
            failure = "no heart rate received; check that a sensor is on and in range"
        }
        bluejay.stopScanning()
        bluejay.disconnect(immediate: true) { _ in MainLoop.main.stop() }
    }

    /// Ends the main loop and leaves the link for the next run.
    func endKeepingLink() {
        isEnding = true
        keepsLink = true
        MainLoop.main.stop()
    }

    private func find() {
        guard !isEnding, !isReconnecting, !bluejay.isScanning else { return }
        display.status("searching for a heart rate sensor")
        bluejay.scan(serviceIdentifiers: [heartRateService]) { [weak self] discovery, _ in
            self?.connect(to: discovery.peripheralIdentifier)
            return .stop
        } stopped: { [weak self] _, error in
            if let error { self?.display.status("the search ended: \(error.localizedDescription)") }
        }
    }

    private func connect(to peripheral: PeripheralIdentifier) {
        guard !isEnding else { return }
        sensor = peripheral
        found = peripheral
        display.status("connecting to \(peripheral)")
        bluejay.connect(peripheral, timeout: .seconds(15)) { [weak self] result in
            guard case .failure(let error) = result, let self else { return }
            display.status("no connection: \(error.localizedDescription)")
            // The library does not retry a first attempt that fails.
            if bluejay.isBluetoothAvailable { find() }
        }
    }

    private func listen() {
        bluejay.listen(to: heartRateMeasurement) {
            [weak self] (result: ReadResult<HeartRateReading>) in
            guard let self else { return }
            switch result {
            case .success(let reading):
                hasValues = true
                display.show(reading, from: sensor)
            case .failure(let error):
                display.status("a measurement failed: \(error.localizedDescription)")
            }
        }
    }

    // MARK: ConnectionObserver

    func bluetoothAvailable(_ available: Bool) {
        if available {
            find()
        } else if bluejay.bluetoothState != .unknown, bluejay.bluetoothState != .resetting {
            // A missing adapter at the start is final, unless this is a service that waits for it; later it
            // may return.
            guard !hasValues, !isRestorable else {
                return display.status("\(bluejay.bluetoothState)")
            }
            failure = "\(bluejay.bluetoothState)"
            isEnding = true
            MainLoop.main.stop()
        }
    }

    func connected(to peripheral: PeripheralIdentifier) {
        let named = named(peripheral)
        sensor = named
        isReconnecting = false
        display.connected(to: named)
        display.status("connected to \(named)")
        listen()
    }

    func disconnected(from peripheral: PeripheralIdentifier) {
        display.disconnected()
        if isEnding { display.status("disconnected from \(named(peripheral))") }
    }

    /// Returns the same peripheral with its advertised name, if known.
    private func named(_ peripheral: PeripheralIdentifier) -> PeripheralIdentifier {
        if let found, found == peripheral { found } else { peripheral }
    }

    // MARK: LogObserver

    func debug(_ text: String) {
        if verbose { display.log("bluejay: \(text.printable)") }
    }
}

extension HeartSensorSession: DisconnectHandler {
    func didDisconnect(
        from peripheral: PeripheralIdentifier,
        with error: (any Error)?,
        willReconnect autoReconnect: Bool
    ) -> AutoReconnectMode {
        // A failed first attempt is reported here, too; its completion reports the reason.
        isReconnecting = autoReconnect
        if autoReconnect {
            // Lost keys need the user, who reads the remedy; the sensor may also get its keys back.
            if let error = error as? BluejayError, !error.isRetryable {
                display.status("\(error.localizedDescription)")
            }
            display.status("lost the connection to \(named(peripheral)); reconnecting")
        }
        return .noChange
    }
}

extension HeartSensorSession: BackgroundRestorer, ListenRestorer {
    func didRestoreConnection(to peripheral: PeripheralIdentifier) -> BackgroundRestoreCompletion {
        sensor = peripheral
        display.connected(to: peripheral)
        display.status("restored the connection to \(peripheral)")
        return .continue
    }

    func didFailToRestoreConnection(
        to peripheral: PeripheralIdentifier,
        error: any Error
    ) -> BackgroundRestoreCompletion {
        display.status("could not restore the connection: \(error.localizedDescription)")
        isReconnecting = false
        return .callback { [weak self] in self?.find() }
    }

    func didReceiveUnhandledListen(
        from peripheral: PeripheralIdentifier,
        on characteristic: CharacteristicIdentifier,
        with value: Data?
    ) -> ListenRestoreAction {
        display.status("a value arrived before the program listened")
        return characteristic == heartRateMeasurement ? .promiseRestoration : .stopListen
    }
}
