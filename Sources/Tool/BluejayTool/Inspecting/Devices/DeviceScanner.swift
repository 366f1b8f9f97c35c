import Bluejay
import BluejayAsync
import Dispatch

/// Scans for the inspector whenever Bluetooth is available.
@MainActor
final class DeviceScanner {
    private let bluejay: Bluejay
    private let emit: @MainActor (InspectorEvent) -> Void
    private var scan: Task<Void, Never>?
    private var states: Task<Void, Never>?
    private var connected: ConnectedDevices?

    /// - Parameters:
    ///   - bluejay: An instance that connects to no device.
    ///   - emit: Receives the devices, and the state of Bluetooth.
    init(_ bluejay: Bluejay, _ emit: @escaping @MainActor (InspectorEvent) -> Void) {
        self.bluejay = bluejay
        self.emit = emit
    }

    /// Starts to scan, again after ``pause()``.
    func start() {
        if states == nil { states = Task { await followStates() } }
        guard scan == nil else { return }
        scan = Task {
            while !Task.isCancelled { await scanOnce() }
        }
    }

    /// Stops scanning while a connection needs the adapter.
    func pause() {
        scan?.cancel()
        scan = nil
        connected?.end()
        connected = nil
    }

    /// Stops scanning and observing.
    func end() {
        pause()
        states?.cancel()
    }

    private func followStates() async {
        await bluejay.start()
        for await event in bluejay.connectionEvents {
            if case .bluetoothAvailable = event { emitState() }
        }
    }

    private func emitState() {
        let state = bluejay.bluetoothState
        let reason =
            state == .poweredOn
            ? nil : ToolFailure(BluejayError.bluetoothUnavailable(state)).message
        emit(.bluetooth(reason: reason))
    }

    /// Scans until Bluetooth is unavailable.
    private func scanOnce() async {
        do {
            await bluejay.start()
            try await bluejay.waitUntilReady()
            try await followConnected()
            let discoveries = bluejay.scan(
                matching: .everything,
                allowDuplicates: true,
                throttleRSSIDelta: 0
            )
            for try await discovery in discoveries {
                connected?.stopFollowing(discovery)
                emit(.scanned(ScanRow(discovery), isReport: true))
            }
        } catch {
            if !Task.isCancelled, bluejay.isBluetoothAvailable {
                emit(.message(.init(text: ToolFailure(error).message, isFailure: true)))
            }
        }
        if Task.isCancelled { return }
        connected?.end()
        await withCheckedContinuation { continuation in
            DispatchQueue.main.asyncAfter(deadline: .now() + 1) { continuation.resume() }
        }
    }

    private func followConnected() async throws {
        let rows = try await bluejay.knownPeripherals().filter(\.isConnected).map(ScanRow.init)
        try Task.checkCancellation()
        for row in rows { emit(.scanned(row, isReport: false)) }
        let devices = ConnectedDevices(rows, bluejay)
        devices.follow { [weak self] in self?.emit(.scanned($0, isReport: false)) }
        connected = devices
    }
}
