import Bluejay
import Foundation

private let heartRateService = ServiceIdentifier(uuid: "180D")
private let heartRateMeasurement = CharacteristicIdentifier(uuid: "2A37", service: heartRateService)

/// One run of the demo: scan, connect, listen, and again when the link is lost.
///
/// It is used on the main loop only.
final class HeartSensorSession: ConnectionObserver, LogObserver, @unchecked Swift.Sendable {
    private let bluejay: Bluejay
    private let display: any HeartRateDisplay
    private let verbose: Bool
    private var sensor: PeripheralIdentifier?
    private var hasValues = false
    private var isEnding = false

    /// Why the run was in vain; nil when heart rates were shown.
    private(set) var failure: String?

    init(adapter: String?, display: any HeartRateDisplay, verbose: Bool) {
        bluejay = Bluejay(adapter: adapter)
        self.display = display
        self.verbose = verbose
    }

    func start() {
        bluejay.register(logObserver: self)
        bluejay.register(connectionObserver: self)
        bluejay.start()
    }

    /// Disconnects and ends the main loop.
    func end() {
        guard !isEnding else { return MainLoop.main.stop() }
        isEnding = true
        if !hasValues, failure == nil { failure = "no heart rate came; is a sensor on and near?" }
        bluejay.stopScanning()
        bluejay.disconnect(immediate: true) { _ in MainLoop.main.stop() }
    }

    private func find() {
        guard !isEnding, !bluejay.isScanning else { return }
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
        display.status("connecting to \(peripheral)")
        bluejay.connect(peripheral, timeout: .seconds(15)) { [weak self] result in
            guard case .failure(let error) = result, let self else { return }
            display.status("no connection: \(error.localizedDescription)")
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
            // What is missing at the start stays missing; later it may come back.
            guard !hasValues else { return display.status("\(bluejay.bluetoothState)") }
            failure = "\(bluejay.bluetoothState)"
            isEnding = true
            MainLoop.main.stop()
        }
    }

    func connected(to peripheral: PeripheralIdentifier) {
        sensor = peripheral
        display.status("connected to \(peripheral)")
        listen()
    }

    func disconnected(from peripheral: PeripheralIdentifier) {
        guard !isEnding else { return display.status("disconnected from \(peripheral)") }
        display.status("the link to \(peripheral) is lost")
        if bluejay.isBluetoothAvailable { connect(to: peripheral) }
    }

    // MARK: LogObserver

    func debug(_ text: String) {
        if verbose { FileHandle.standardError.write(Data("bluejay: \(text)\n".utf8)) }
    }
}
