internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib
internal import FoundationEssentials

/// The scan for radios, while Bluetooth can be used.
final class RadioScanner {
    var onDiscovered: ((UUID, _ rssi: Int?) -> Void)?

    private let access: BluetoothAccess
    private let log: Log
    private var isRequested = false
    private var scan: DiscoveryLease?

    init(_ access: BluetoothAccess, log: Log) {
        self.access = access
        self.log = log
    }

    var isScanning: Bool { scan != nil }

    func start() {
        isRequested = true
        update()
    }

    func stop() {
        isRequested = false
        update()
    }

    /// Starts or ends the scan after a change of Bluetooth.
    func update() {
        guard isRequested, let discoverySession = access.discoverySession else {
            scan = nil
            return
        }
        guard scan == nil else { return }
        // A scan with duplicates sets a minimum RSSI, which hides devices without one.
        scan = discoverySession.scan(DiscoveryFilter(services: [NordicUART.serviceUUID])) {
            [weak self] report in
            let device = PeripheralIdentifier(address: report.address, name: nil).uuid
            self?.onDiscovered?(device, report.rssi)
        } failed: { [weak self] failure in
            self?.failed(failure)
        }
    }

    // The next change of Bluetooth starts the scan again.
    private func failed(_ failure: BlueZFailure) {
        scan = nil
        log.warning("scan ended", ["error": "\(failure)"])
    }
}
