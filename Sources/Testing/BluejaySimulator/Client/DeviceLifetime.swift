internal import BluejayGLib

/// The lifetime of a device object in bluetoothd.
final class DeviceLifetime {
    /// Whether the object is removed if the device is not seen for some time.
    private(set) var isTemporary = true
    /// Whether the object is removed with its link, because its pairing was refused, or no agent could answer.
    private(set) var endsWithLink = false
    private unowned let world: SimulatedWorld
    private let onExpiry: () -> Void
    private var timer: ScheduledTimer?

    init(in world: SimulatedWorld, onExpiry: @escaping () -> Void) {
        self.world = world
        self.onExpiry = onExpiry
    }

    func renew() {
        guard isTemporary else { return }
        timer = world.clock.schedule(after: RecordedDelays.temporaryDevice) { [weak self] in
            if let self, isTemporary { onExpiry() }
        }
    }

    func makePermanent() {
        isTemporary = false
        timer = nil
    }

    func stopTimer() {
        timer = nil
    }

    func setEndsWithLink(_ endsWithLink: Bool) {
        self.endsWithLink = endsWithLink
    }

    /// Returns whether the object is removed with its link, which has ended.
    func linkEnded() -> Bool {
        defer { endsWithLink = false }
        return endsWithLink
    }
}
