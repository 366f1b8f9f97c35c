internal import BluejayDBus

/// The links that a bluetoothd found when it began: those of one that was killed.
///
/// The kernel ends such a link a moment later, or after up to 30 s when a pairing was under way. Nobody can
/// use it: bluetoothd shows `Connected`, resolves no services, and answers `Connect` without dialling.
/// `Disconnect` ends it, and is safe: no discovery is under way.
struct StaleLinks: Equatable {
    /// A device that is first told of so early, and has a link, has it from before.
    static let earlyTime = Duration.seconds(5)

    private let began: Duration?
    private var devices: Set<ObjectPath> = []

    /// Makes one without links.
    ///
    /// - Parameter began: When bluetoothd began; nil when it was there before this program looked.
    init(began: Duration? = nil) {
        self.began = began
    }

    /// Whether a device has such a link.
    func contains(_ device: ObjectPath) -> Bool { devices.contains(device) }

    /// All objects were read for the first time.
    mutating func objectsRead(_ objects: ObjectTree, now: Duration) {
        guard isEarly(now) else { return }
        for path in objects.paths(with: Device1.interface) { add(path, objects) }
    }

    /// The objects have changed.
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
