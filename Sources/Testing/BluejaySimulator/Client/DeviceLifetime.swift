internal import BluejayGLib

/// How long bluetoothd keeps the object of a device.
final class DeviceLifetime {
    /// Whether the object goes when the device was not seen for a time.
    private(set) var isTemporary = true
    /// Whether the object goes with its link: nobody could answer a pairing.
    private(set) var endsWithLink = false
    private unowned let world: SimulatedBlueZ
    private let expired: () -> Void
    private var timer: ScheduledTimer?

    init(in world: SimulatedBlueZ, expired: @escaping () -> Void) {
        self.world = world
        self.expired = expired
    }

    /// The device was seen: counts its time anew.
    func renew() {
        guard isTemporary else { return }
        timer = world.clock.schedule(after: Waits.temporaryDevice) { [weak self] in
            if let self, isTemporary { expired() }
        }
    }

    /// Somebody wants the device: it stays.
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

    /// The link has ended; returns whether the object goes with it.
    func linkEnded() -> Bool {
        defer { endsWithLink = false }
        return endsWithLink
    }
}
