extension SimulatedDevice {
    /// Where things are in a ``SimulatedDevice/lock(acceptsPairing:address:)``.
    public enum Lock {
        /// Its address.
        public static let address = "C4:7C:8D:6A:1F:03"
        /// The advertised service.
        public static let service = "FFE0"
        /// `[1]` is open and `[0]` closed: read, written and notified.
        public static let bolt = "FFE1"
        /// The charge in percent, `[80]`: read without pairing.
        public static let battery = "FFE2"
        /// What a ``SimulatedDevice/passkeyLock(_:address:)`` shows.
        public static let passkey: UInt32 = 123_456
    }

    /// A lock that shows a number, which has to be typed on this computer before it pairs.
    ///
    /// As ``lock(acceptsPairing:address:)`` in the rest. bluetoothd asks the agent for the number; with
    /// ``SimulatedBlueZ/userAgreesToPairing`` true somebody types it at the desktop.
    ///
    /// - Parameters:
    ///   - passkey: What it shows, 0 to 999,999.
    ///   - address: Of the lock.
    /// - Returns: A lock that is closed.
    public static func passkeyLock(
        _ passkey: UInt32 = Lock.passkey,
        address: String = Lock.address
    ) -> SimulatedDevice {
        let flags = ["read", "write", "notify"].map { "encrypt-authenticated-\($0)" }
        let device = lock(flags, address)
        device.pairing = .passkey(passkey)
        return device
    }

    /// A lock that must be paired before its bolt can be read, written or listened to.
    ///
    /// bluetoothd pairs by itself when the first of these is asked for; what its user says then is
    /// ``SimulatedBlueZ/userAgreesToPairing``.
    ///
    /// - Parameters:
    ///   - acceptsPairing: Whether it pairs; one that does not ends the link.
    ///   - address: Of the lock.
    /// - Returns: A lock that is closed.
    public static func lock(
        acceptsPairing: Bool = true,
        address: String = Lock.address
    ) -> SimulatedDevice {
        let device = lock(["encrypt-read", "encrypt-write", "encrypt-notify"], address)
        device.acceptsPairing = acceptsPairing
        return device
    }

    private static func lock(_ flags: [String], _ address: String) -> SimulatedDevice {
        let device = SimulatedDevice(address: address, name: "Lock", advertising: [Lock.service])
        device.addService(
            Lock.service,
            [
                ScriptedCharacteristic(Lock.bolt, flags, .echoes([0])),
                ScriptedCharacteristic(Lock.battery, ["read"], .value([80])),
            ]
        )
        return device
    }
}
