import Bluejay
import BluejayAsync
import Dispatch

/// The devices connected at the start of a scan, until their connections end.
///
/// A scan for everything does not report a connected device that does not advertise, and hence not the end of
/// its connection either.
@MainActor
final class ConnectedDevices {
    private let bluejay: Bluejay
    private var followed: [PeripheralIdentifier: ScanRow] = [:]
    private var timer: (any DispatchSourceTimer)?

    /// - Parameters:
    ///   - devices: The connected devices.
    ///   - bluejay: A started instance.
    init(_ devices: [ScanRow], _ bluejay: Bluejay) {
        self.bluejay = bluejay
        for device in devices { followed[device.identifier] = device }
    }

    /// Compares the devices each second with those that bluetoothd knows.
    ///
    /// - Parameter onDisconnect: Called once for each device whose connection has ended.
    func follow(_ onDisconnect: @escaping @MainActor (ScanRow) -> Void) {
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.setEventHandler { [weak self] in
            MainActor.assumeIsolated { self?.compare(onDisconnect) }
        }
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.resume()
        self.timer = timer
    }

    private func compare(_ onDisconnect: @escaping @MainActor (ScanRow) -> Void) {
        guard !followed.isEmpty else { return end() }
        Task {
            guard let connected = try? await bluejay.connectedPeripherals() else { return }
            for (identifier, device) in followed where !connected.contains(identifier) {
                followed[identifier] = nil
                onDisconnect(device.disconnected)
            }
        }
    }

    /// Stops following a device that the scan itself reports.
    func stopFollowing(_ discovery: ScanDiscovery) {
        followed[discovery.peripheralIdentifier] = nil
    }

    func end() {
        timer?.cancel()
        timer = nil
    }
}
