internal import BluejayDBus

/// The links that bluetoothd found at its start, left by an instance that was killed.
///
/// The kernel ends such a link a moment later, or after up to 30 s if pairing was in progress. Until then
/// bluetoothd shows `Connected`, resolves no services, and replies to `Connect` without connecting.
/// `Disconnect` ends the link, safely because no service discovery is in progress.
struct StaleLinks: Equatable {
    /// The time after bluetoothd's start within which a connected new device counts as stale.
    static let startupWindow = Duration.seconds(5)

    private let daemonStartTime: Duration?
    private var devices: Set<ObjectPath> = []

    /// Creates an empty set; `daemonStartTime` is nil if bluetoothd was already running.
    init(daemonStartTime: Duration? = nil) {
        self.daemonStartTime = daemonStartTime
    }

    func contains(_ device: ObjectPath) -> Bool { devices.contains(device) }

    mutating func objectsRead(_ objects: ObjectTree, now: Duration) {
        guard isDuringStartup(now) else { return }
        for path in objects.paths(with: Device1.interface) { add(path, objects) }
    }

    mutating func apply(_ changes: [ObjectTree.Change], in objects: ObjectTree, now: Duration) {
        guard isDuringStartup(now) || !devices.isEmpty else { return }
        for change in changes where change.interface == Device1.interface {
            switch change {
            case .added(let path, _): if isDuringStartup(now) { add(path, objects) }
            case .removed(let path, _): devices.remove(path)
            case .changed(let path, _, let values, _):
                let device = Device1(values)
                if device.connectedIfPresent != nil || device.isResolved { devices.remove(path) }
            }
        }
    }

    private func isDuringStartup(_ now: Duration) -> Bool {
        daemonStartTime.map { now - $0 < Self.startupWindow } ?? false
    }

    private mutating func add(_ path: ObjectPath, _ objects: ObjectTree) {
        guard objects.isConnected(path), !objects.isResolved(path) else { return }
        devices.insert(path)
    }
}
