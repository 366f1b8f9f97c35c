internal import BluejayDBus

/// The links that bluetoothd found at its start, left by an instance that was killed.
///
/// The kernel ends such a link a moment later, or after up to 30 s if pairing was in progress. Until then
/// bluetoothd shows `Connected`, resolves no services, and replies to `Connect` without dialling.
/// `Disconnect` ends the link, safely because no service discovery is in progress.
struct StaleLinks: Equatable {
    /// The time after bluetoothd's start within which a connected new device counts as stale.
    static let earlyTime = Duration.seconds(5)

    private let began: Duration?
    private var devices: Set<ObjectPath> = []

    /// Creates an empty set; `began` is nil if bluetoothd was already running.
    init(began: Duration? = nil) {
        self.began = began
    }

    func contains(_ device: ObjectPath) -> Bool { devices.contains(device) }

    mutating func objectsRead(_ objects: ObjectTree, now: Duration) {
        guard isEarly(now) else { return }
        for path in objects.paths(with: Device1.interface) { add(path, objects) }
    }

    mutating func follow(_ changes: [ObjectTree.Change], in objects: ObjectTree, now: Duration) {
        guard isEarly(now) || !devices.isEmpty else { return }
        for change in changes where change.interface == Device1.interface {
            switch change {
            case .added(let path, _): if isEarly(now) { add(path, objects) }
            case .removed(let path, _): devices.remove(path)
            case .changed(let path, _, let values, _):
                let told = Device1(values)
                if told.connectedIfTold != nil || told.isResolved { devices.remove(path) }
            }
        }
    }

    private func isEarly(_ now: Duration) -> Bool {
        began.map { now - $0 < Self.earlyTime } ?? false
    }

    private mutating func add(_ path: ObjectPath, _ objects: ObjectTree) {
        guard objects.isConnected(path), !objects.isResolved(path) else { return }
        devices.insert(path)
    }
}
