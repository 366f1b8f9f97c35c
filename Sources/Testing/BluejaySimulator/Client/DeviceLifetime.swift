internal import BluejayGLib

/// How long bluetoothd keeps the object of a device.
final class DeviceLifetime {
    /// Whether the object is removed when the device was not seen for a time.
    private(set) var isTemporary = true
    /// Whether the object is removed with its link: no agent could answer a pairing.
    private(set) var endsWithLink = false
    private unowned let world: SimulatedBlueZ
    private let expired: () -> Void
    private var timer: ScheduledTimer?

    init(in world: SimulatedBlueZ, expired: @escaping () -> Void) {
        self.world = world
        self.expired = expired
    }

    /// Restarts the timer: the device was seen.
    func renew() {
        guard isTemporary else { return }
        timer = world.clock.schedule(after: RecordedDelays.temporaryDevice) { [weak self] in
            if let self, isTemporary { expired() }
        }
    }

    /// Keeps the object from now on.
    func makePermanent() {
        isTemporary = false
        timer = nil
    }

    func stopTimer() {
        timer = nil
    }

    func endWithLink() {
        endsWithLink = true
    }

    /// Returns whether the object is removed with its link, which has ended.
    func linkEnded() -> Bool {
        defer { endsWithLink = false }
        return endsWithLink
    }
}
