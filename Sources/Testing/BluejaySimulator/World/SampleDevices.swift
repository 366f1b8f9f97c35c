extension SimulatedDevice {
    /// Where things are in a ``SimulatedDevice/heartRateSensor(address:name:)``.
    public enum HeartRateSensor {
        /// Its address.
        public static let address = "C4:7C:8D:6A:1F:02"
        /// The advertised service.
        public static let service = "180D"
        /// Notifies a measurement each second.
        public static let measurement = "2A37"
        /// Where it is worn.
        public static let location = "2A38"
        /// Accepts 1.
        public static let controlPoint = "2A39"
    }

    /// A heart rate sensor that measures once a second, 60 to 119 beats per minute.
    ///
    /// 180D has measurements (2A37, `[0, beats]`), a location (2A38, chest) and a control point
    /// (2A39) that accepts 1 and refuses the rest with 0x80; 180A has a manufacturer (2A29).
    public static func heartRateSensor(
        address: String = HeartRateSensor.address,
        name: String = "Heart Rate Sensor"
    ) -> SimulatedDevice {
        let device = SimulatedDevice(address: address, name: name, advertising: ["180D"])
        let beats = (60..<120).map { [UInt8(0), UInt8($0)] }
        device.addService(
            "180D",
            [
                ScriptedCharacteristic("2A37", ["notify"], .sends(beats, everySeconds: 1)),
                ScriptedCharacteristic("2A38", ["read"], .value([1])),
                ScriptedCharacteristic("2A39", ["write"], .accepts([[1]], otherwise: 0x80)),
            ]
        )
        device.addService(
            "180A",
            [ScriptedCharacteristic("2A29", ["read"], .value(Array("Bluejay".utf8)))]
        )
        return device
    }
}

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

extension SimulatedDevice {
    /// Where things are in a ``SimulatedDevice/thermometer(droppingOutAfter:for:address:)``.
    public enum Thermometer {
        /// Its address.
        public static let address = "C4:7C:8D:6A:1F:04"
        /// The advertised service.
        public static let service = "1809"
        /// Notifies a temperature each second: 36.0 °C to 36.9 °C in turn, `[0, 104, 1, 0, 255]` first.
        public static let measurement = "2A1C"
        /// Where it measures: `[2]`, the body.
        public static let type = "2A1D"
    }

    /// A thermometer that loses its link time and again, as one does at the edge of its range.
    ///
    /// - Parameters:
    ///   - time: How long a link lasts, in simulated time; nil is for ever.
    ///   - absence: How long it is away then: it neither advertises nor answers.
    ///   - address: Of the thermometer.
    /// - Returns: A thermometer that is there.
    public static func thermometer(
        droppingOutAfter time: Duration? = nil,
        for absence: Duration = .seconds(600),
        address: String = Thermometer.address
    ) -> SimulatedDevice {
        let device = SimulatedDevice(
            address: address,
            name: "Thermometer",
            advertising: [Thermometer.service]
        )
        device.loseLinks(time.map { PeriodicDisconnect(time: $0, absence: absence) })
        // Celsius; tenths in the mantissa of 24 bits, and the exponent -1.
        let values = (360..<370).map { [0, UInt8($0 & 0xFF), UInt8($0 >> 8), 0, 0xFF] }
        device.addService(
            Thermometer.service,
            [
                ScriptedCharacteristic(
                    Thermometer.measurement,
                    ["notify"],
                    .sends(values, everySeconds: 1)
                ),
                ScriptedCharacteristic(Thermometer.type, ["read"], .value([2])),
            ]
        )
        return device
    }
}

/// The way in which a device loses its links by itself.
struct PeriodicDisconnect {
    /// After the beginning of a link.
    let time: Duration
    /// Until it is there again.
    let absence: Duration

    /// A link has begun; it is lost unless it has ended before.
    func begin(_ device: SimulatedDevice, whileUp isUp: @escaping () -> Bool) {
        device.world?.later(time) { [weak device] in
            guard let device, isUp() else { return }
            device.goAway()
            device.world?.later(absence) { [weak device] in device?.comeBack() }
        }
    }
}
