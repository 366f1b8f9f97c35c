import Bluejay
import BluejayAsync
import Dispatch

/// Devices that were connected when a scan began, until their connections end.
///
/// A scan for everything reports no device that is connected and does not advertise, and so reports no end of such
/// a connection.
@MainActor
final class ConnectedDevices {
    private let bluejay: Bluejay
    private var open: [PeripheralIdentifier: ScanRow] = [:]
    private var timer: (any DispatchSourceTimer)?

    /// - Parameters:
    ///   - devices: The devices that are connected.
    ///   - bluejay: Started.
    init(_ devices: [ScanRow], _ bluejay: Bluejay) {
        self.bluejay = bluejay
        for device in devices { open[device.identifier] = device }
    }

    /// Compares the devices each second with those that bluetoothd knows.
    ///
    /// - Parameter ended: Called once for each device that is connected no more.
    func follow(_ ended: @escaping @MainActor (ScanRow) -> Void) {
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.setEventHandler { [weak self] in
            MainActor.assumeIsolated { self?.compare(ended) }
        }
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.resume()
        self.timer = timer
    }

    private func compare(_ ended: @escaping @MainActor (ScanRow) -> Void) {
        guard !open.isEmpty else { return end() }
        Task {
            guard let connected = try? await bluejay.connectedPeripherals() else { return }
            for (identifier, device) in open where !connected.contains(identifier) {
                open[identifier] = nil
                ended(device.disconnected)
            }
        }
    }

    /// Takes a discovery over: the scan reports that device itself.
    func note(_ discovery: ScanDiscovery) {
        open[discovery.peripheralIdentifier] = nil
    }

    /// Ends `follow`.
    func end() {
        timer?.cancel()
        timer = nil
    }
}
