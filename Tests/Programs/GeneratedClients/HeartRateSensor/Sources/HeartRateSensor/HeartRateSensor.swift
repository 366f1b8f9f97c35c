import BluejayAsync

/// A client of the device “Heart Rate Sensor”.
public struct HeartRateSensor: Swift.Sendable {
    /// The name that the device advertises.
    public static let name = "Heart Rate Sensor"

    /// Matches the device in a scan; adapt it if other units advertise differently.
    public static let filter: ScanFilter = .name(name)

    /// The instance that is connected to the device.
    public let bluejay: Bluejay

    /// Creates a client of the device to which an instance is connected.
    public init(bluejay: Bluejay) {
        self.bluejay = bluejay
    }

    /// Starts an instance, and connects it to the first matching device.
    public static func connect(
        with bluejay: Bluejay,
        within limit: Timeout = 20
    ) async throws -> HeartRateSensor {
        await bluejay.start()
        try await bluejay.connect(toFirst: filter, within: limit)
        return HeartRateSensor(bluejay: bluejay)
    }

    /// Disconnects.
    public func disconnect() async throws {
        try await bluejay.disconnect()
    }
}

extension HeartRateSensor {
    /// The characteristics of the device.
    public enum Characteristic {
        /// Heart Rate Measurement, `2A37`.
        public static let heartRateMeasurement = CharacteristicIdentifier(
            uuid: "2A37",
            service: "180D"
        )

        /// Body Sensor Location, `2A38`.
        public static let bodySensorLocation = CharacteristicIdentifier(
            uuid: "2A38",
            service: "180D"
        )

        /// Heart Rate Control Point, `2A39`.
        public static let heartRateControlPoint = CharacteristicIdentifier(
            uuid: "2A39",
            service: "180D"
        )

        /// Battery Level, `2A19`.
        public static let batteryLevel = CharacteristicIdentifier(uuid: "2A19", service: "180F")

        /// Manufacturer Name String, `2A29`.
        public static let manufacturerNameString = CharacteristicIdentifier(
            uuid: "2A29",
            service: "180A"
        )
    }
}

// MARK: Heart Rate, 180D

extension HeartRateSensor {
    /// Receives the values of Heart Rate Measurement, `2A37`.
    public var heartRateMeasurements: ValueStream<HeartRateReading> {
        bluejay.values(of: Characteristic.heartRateMeasurement)
    }

    /// Reads Body Sensor Location, `2A38`.
    public func bodySensorLocation() async throws -> BodySensorLocation {
        try await bluejay.read(from: Characteristic.bodySensorLocation)
    }

    /// Writes Heart Rate Control Point, `2A39`.
    public func setHeartRateControlPoint(_ value: UInt8) async throws {
        try await bluejay.write(to: Characteristic.heartRateControlPoint, value: value)
    }
}

// MARK: Battery, 180F

extension HeartRateSensor {
    /// Reads Battery Level, `2A19`.
    public func batteryLevel() async throws -> BatteryReading {
        try await bluejay.read(from: Characteristic.batteryLevel)
    }

    /// Receives the values of Battery Level, `2A19`.
    public var batteryLevels: ValueStream<BatteryReading> {
        bluejay.values(of: Characteristic.batteryLevel)
    }
}

// MARK: Device Information, 180A

extension HeartRateSensor {
    /// Reads Manufacturer Name String, `2A29`.
    public func manufacturerNameString() async throws -> String {
        try await bluejay.read(from: Characteristic.manufacturerNameString)
    }
}
