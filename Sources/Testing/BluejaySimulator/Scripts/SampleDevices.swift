extension SimulatedDevice {
    /// The address and the UUIDs of a ``SimulatedDevice/heartRateSensor(address:name:)``.
    public enum HeartRateSensor {
        /// The address of the sensor.
        public static let address = "C4:7C:8D:6A:1F:02"
        /// The advertised service.
        public static let service = "180D"
        /// Notifies a measurement each second.
        public static let measurement = "2A37"
        /// The body location, chest.
        public static let location = "2A38"
        /// The control point, which accepts 1.
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
    /// The address and the UUIDs of a ``SimulatedDevice/lock(acceptsPairing:address:)``.
    public enum DoorLock {
        /// The address of the lock.
        public static let address = "C4:7C:8D:6A:1F:03"
        /// The advertised service.
        public static let service = "FFE0"
        /// The bolt, `[1]` for open and `[0]` for closed; supports read, write and notify.
        public static let bolt = "FFE1"
        /// The charge in percent, `[80]`; readable without pairing.
        public static let battery = "FFE2"
        /// The passkey of a ``SimulatedDevice/passkeyLock(_:address:)``.
        public static let passkey: UInt32 = 123_456
    }

    /// A lock that displays a passkey, which a user must type on this computer to pair.
    ///
    /// Otherwise it is like ``lock(acceptsPairing:address:)``. bluetoothd asks the agent for the passkey; if
    /// ``SimulatedBlueZ/userAgreesToPairing`` is true, the desktop's user types it.
    ///
    /// - Parameters:
    ///   - passkey: The passkey, 0 to 999,999.
    ///   - address: The address of the lock.
    /// - Returns: A closed lock.
    public static func passkeyLock(
        _ passkey: UInt32 = DoorLock.passkey,
        address: String = DoorLock.address
    ) -> SimulatedDevice {
        let flags = ["read", "write", "notify"].map { "encrypt-authenticated-\($0)" }
        let device = lock(flags, address)
        device.pairing = .passkey(passkey)
        return device
    }

    /// A lock that requires pairing before its bolt can be read, written or subscribed to.
    ///
    /// The first such request makes bluetoothd pair; ``SimulatedBlueZ/userAgreesToPairing`` is the user's
    /// answer.
    ///
    /// - Parameters:
    ///   - acceptsPairing: Whether it pairs; otherwise it ends the link.
    ///   - address: The address of the lock.
    /// - Returns: A closed lock.
    public static func lock(
        acceptsPairing: Bool = true,
        address: String = DoorLock.address
    ) -> SimulatedDevice {
        let device = lock(["encrypt-read", "encrypt-write", "encrypt-notify"], address)
        device.acceptsPairing = acceptsPairing
        return device
    }

    private static func lock(_ flags: [String], _ address: String) -> SimulatedDevice {
        let device = SimulatedDevice(
            address: address,
            name: "Lock",
            advertising: [DoorLock.service]
        )
        device.addService(
            DoorLock.service,
            [
                ScriptedCharacteristic(DoorLock.bolt, flags, .echoes([0])),
                ScriptedCharacteristic(DoorLock.battery, ["read"], .value([80])),
            ]
        )
        return device
    }
}

extension SimulatedDevice {
    /// The address and the UUIDs of a ``SimulatedDevice/thermometer(droppingOutAfter:for:address:)``.
    public enum Thermometer {
        /// The address of the thermometer.
        public static let address = "C4:7C:8D:6A:1F:04"
        /// The advertised service.
        public static let service = "1809"
        /// Notifies a temperature each second, cycling from 36.0 °C to 36.9 °C; the first is `[0, 104, 1, 0,
        /// 255]`.
        public static let measurement = "2A1C"
        /// The measurement location: `[2]`, the body.
        public static let type = "2A1D"
    }

    /// A thermometer that loses its link repeatedly, as at the edge of its range.
    ///
    /// - Parameters:
    ///   - time: The duration of a link, in simulated time; `nil` is unlimited.
    ///   - absence: The duration of each absence, during which it neither advertises nor answers.
    ///   - address: The address of the thermometer.
    /// - Returns: A thermometer in range.
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
        device.loseLinks(time.map { PeriodicDisconnect(connectedTime: $0, absentTime: absence) })
        // Celsius, with tenths in the 24-bit mantissa and the exponent -1.
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

/// The periodic loss of a device's links.
struct PeriodicDisconnect {
    /// The time after the start of a link.
    let connectedTime: Duration
    /// The time until the device is back in range.
    let absentTime: Duration

    /// Schedules the loss of a new link, which has no effect if the link ends earlier.
    func start(_ device: SimulatedDevice, whileUp isUp: @escaping () -> Bool) {
        device.world?.schedule(connectedTime) { [weak device] in
            guard let device, isUp() else { return }
            device.leaveRange()
            device.world?.schedule(absentTime) { [weak device] in device?.returnToRange() }
        }
    }
}
