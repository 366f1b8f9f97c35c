import BluejayAsync
import Foundation

/// A client of the device “Climate Station 2000”.
public struct ClimateStation2000: Swift.Sendable {
    /// The name that the device advertises.
    public static let name = "Climate Station 2000"

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
    ) async throws -> ClimateStation2000 {
        await bluejay.start()
        try await bluejay.connect(toFirst: filter, within: limit)
        return ClimateStation2000(bluejay: bluejay)
    }

    /// Disconnects.
    public func disconnect() async throws {
        try await bluejay.disconnect()
    }
}

extension ClimateStation2000 {
    /// The characteristics of the device.
    public enum Characteristic {
        /// Temperature, `2A6E`.
        public static let insideTemperature = CharacteristicIdentifier(
            uuid: "2A6E",
            service: "181A"
        )

        /// Temperature, `2A6E#1`.
        public static let outsideTemperature = CharacteristicIdentifier(
            uuid: "2A6E",
            service: "181A",
            instance: 1
        )

        /// Humidity, `2A6F`.
        public static let humidity = CharacteristicIdentifier(uuid: "2A6F", service: "181A")

        /// Pressure, `2A6D`.
        public static let pressure = CharacteristicIdentifier(uuid: "2A6D", service: "181A")

        /// Temperature, `2A6E#2`.
        public static let insideTemperature2 = CharacteristicIdentifier(
            uuid: "2A6E",
            service: "181A",
            instance: 2
        )

        /// Battery Level, `2A19`.
        public static let batteryLevel = CharacteristicIdentifier(uuid: "2A19", service: "FFB0")

        /// Battery Level, `2A19`.
        public static let batteryLevel2 = CharacteristicIdentifier(
            uuid: "2A19",
            service: ServiceIdentifier(uuid: "FFB0", instance: 1)
        )

        /// Report, `2A4D`.
        public static let report = CharacteristicIdentifier(uuid: "2A4D", service: "1812")

        /// Report, `2A4D#1`.
        public static let report2 = CharacteristicIdentifier(
            uuid: "2A4D",
            service: "1812",
            instance: 1
        )

        /// Report Map, `2A4B`.
        public static let reportMap = CharacteristicIdentifier(uuid: "2A4B", service: "1812")

        /// Manufacturer Name String, `2A29`.
        public static let manufacturerNameString = CharacteristicIdentifier(
            uuid: "2A29",
            service: "180A"
        )

        /// System ID, `2A23`.
        public static let systemID = CharacteristicIdentifier(uuid: "2A23", service: "180A")

        /// PnP ID, `2A50`.
        public static let pnpID = CharacteristicIdentifier(uuid: "2A50", service: "180A")

        /// Model Number String, `2A24`.
        public static let modelNumberString = CharacteristicIdentifier(
            uuid: "2A24",
            service: "180A"
        )

        /// Current Time, `2A2B`.
        public static let currentTime = CharacteristicIdentifier(uuid: "2A2B", service: "1805")

        /// Local Time Information, `2A0F`.
        public static let localTimeInformation = CharacteristicIdentifier(
            uuid: "2A0F",
            service: "1805"
        )

        /// “Interval”, `6E400002-B5A3-F393-E0A9-E50E24DCCA9E`.
        public static let interval = CharacteristicIdentifier(
            uuid: "6E400002-B5A3-F393-E0A9-E50E24DCCA9E",
            service: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
        )

        /// “Samples”, `6E400003-B5A3-F393-E0A9-E50E24DCCA9E`.
        public static let samples = CharacteristicIdentifier(
            uuid: "6E400003-B5A3-F393-E0A9-E50E24DCCA9E",
            service: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
        )

        /// Characteristic `6E400004-B5A3-F393-E0A9-E50E24DCCA9E`.
        public static let characteristic6E400004 = CharacteristicIdentifier(
            uuid: "6E400004-B5A3-F393-E0A9-E50E24DCCA9E",
            service: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
        )

        /// Characteristic `6E400004-B5A3-F393-E0A9-E50E24DCCA9E#1`.
        public static let characteristic6E400004Instance2 = CharacteristicIdentifier(
            uuid: "6E400004-B5A3-F393-E0A9-E50E24DCCA9E",
            service: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E",
            instance: 1
        )

        /// Characteristic `A0000001-0000-4000-8000-000000000001`.
        public static let characteristicA0000001 = CharacteristicIdentifier(
            uuid: "A0000001-0000-4000-8000-000000000001",
            service: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
        )

        /// Characteristic `FFE1`.
        public static let characteristicFFE1 = CharacteristicIdentifier(
            uuid: "FFE1",
            service: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
        )
    }
}

// MARK: Environmental Sensing, 181A

extension ClimateStation2000 {
    /// Reads Temperature, `2A6E`.
    public func insideTemperature() async throws -> TemperatureReading {
        try await bluejay.read(from: Characteristic.insideTemperature)
    }

    /// Receives the values of Temperature, `2A6E`.
    public var insideTemperatures: ValueStream<TemperatureReading> {
        bluejay.values(of: Characteristic.insideTemperature)
    }

    /// Reads Temperature, `2A6E#1`.
    public func outsideTemperature() async throws -> TemperatureReading {
        try await bluejay.read(from: Characteristic.outsideTemperature)
    }

    /// Receives the values of Temperature, `2A6E#1`.
    public var outsideTemperatures: ValueStream<TemperatureReading> {
        bluejay.values(of: Characteristic.outsideTemperature)
    }

    /// Reads Humidity, `2A6F`.
    public func humidity() async throws -> HumidityReading {
        try await bluejay.read(from: Characteristic.humidity)
    }

    /// Reads Pressure, `2A6D`.
    public func pressure() async throws -> PressureReading {
        try await bluejay.read(from: Characteristic.pressure)
    }

    /// Reads Temperature, `2A6E#2`.
    public func insideTemperature2() async throws -> TemperatureReading {
        try await bluejay.read(from: Characteristic.insideTemperature2)
    }
}

// MARK: FFB0

extension ClimateStation2000 {
    /// Reads Battery Level, `2A19`.
    public func batteryLevel() async throws -> BatteryReading {
        try await bluejay.read(from: Characteristic.batteryLevel)
    }
}

// MARK: FFB0#1

extension ClimateStation2000 {
    /// Reads Battery Level, `2A19`.
    public func batteryLevel2() async throws -> BatteryReading {
        try await bluejay.read(from: Characteristic.batteryLevel2)
    }
}

// MARK: Human Interface Device, 1812

extension ClimateStation2000 {
    /// Reads Report, `2A4D`.
    public func report() async throws -> Data {
        try await bluejay.read(from: Characteristic.report)
    }

    /// Receives the values of Report, `2A4D`.
    public var reports: ValueStream<Data> {
        bluejay.values(of: Characteristic.report)
    }

    /// Reads Report, `2A4D#1`.
    public func report2() async throws -> Data {
        try await bluejay.read(from: Characteristic.report2)
    }

    /// Writes Report, `2A4D#1`.
    public func setReport2(_ value: Data) async throws {
        try await bluejay.write(to: Characteristic.report2, value: value)
    }

    /// Reads Report Map, `2A4B`.
    public func reportMap() async throws -> Data {
        try await bluejay.read(from: Characteristic.reportMap)
    }
}

// MARK: Device Information, 180A

extension ClimateStation2000 {
    /// Reads Manufacturer Name String, `2A29`.
    public func manufacturerNameString() async throws -> String {
        try await bluejay.read(from: Characteristic.manufacturerNameString)
    }

    /// Reads System ID, `2A23`.
    public func systemID() async throws -> SystemIdentifier {
        try await bluejay.read(from: Characteristic.systemID)
    }

    /// Reads PnP ID, `2A50`.
    public func pnpID() async throws -> PlugAndPlayIdentifier {
        try await bluejay.read(from: Characteristic.pnpID)
    }

    /// Reads Model Number String, `2A24`.
    public func modelNumberString() async throws -> Data {
        try await bluejay.read(from: Characteristic.modelNumberString)
    }
}

// MARK: Current Time, 1805

extension ClimateStation2000 {
    /// Reads Current Time, `2A2B`.
    public func currentTime() async throws -> CurrentTimeReading {
        try await bluejay.read(from: Characteristic.currentTime)
    }

    /// Receives the values of Current Time, `2A2B`.
    public var currentTimes: ValueStream<CurrentTimeReading> {
        bluejay.values(of: Characteristic.currentTime)
    }

    /// Writes Current Time, `2A2B`.
    public func setCurrentTime(_ value: CurrentTimeReading) async throws {
        try await bluejay.write(to: Characteristic.currentTime, value: value)
    }

    /// Reads Local Time Information, `2A0F`.
    public func localTimeInformation() async throws -> Data {
        try await bluejay.read(from: Characteristic.localTimeInformation)
    }
}

// MARK: 6E400001-B5A3-F393-E0A9-E50E24DCCA9E

extension ClimateStation2000 {
    /// Writes “Interval”, `6E400002-B5A3-F393-E0A9-E50E24DCCA9E`.
    public func setInterval(_ value: Data, type: WriteType = .withResponse) async throws {
        try await bluejay.write(to: Characteristic.interval, value: value, type: type)
    }

    /// Receives the values of “Samples”, `6E400003-B5A3-F393-E0A9-E50E24DCCA9E`.
    public var samplesValues: ValueStream<Data> {
        bluejay.values(of: Characteristic.samples)
    }

    /// Reads `6E400004-B5A3-F393-E0A9-E50E24DCCA9E`.
    public func characteristic6E400004() async throws -> Data {
        try await bluejay.read(from: Characteristic.characteristic6E400004)
    }

    /// Writes `6E400004-B5A3-F393-E0A9-E50E24DCCA9E`.
    public func setCharacteristic6E400004(_ value: Data) async throws {
        try await bluejay.write(to: Characteristic.characteristic6E400004, value: value)
    }

    /// Receives the values of `6E400004-B5A3-F393-E0A9-E50E24DCCA9E#1`.
    public var characteristic6E400004Instance2Values: ValueStream<Data> {
        bluejay.values(of: Characteristic.characteristic6E400004Instance2)
    }

    /// Reads `A0000001-0000-4000-8000-000000000001`.
    public func characteristicA0000001() async throws -> Data {
        try await bluejay.read(from: Characteristic.characteristicA0000001)
    }

    /// Writes `A0000001-0000-4000-8000-000000000001`.
    public func setCharacteristicA0000001(_ value: Data) async throws {
        try await bluejay.write(
            to: Characteristic.characteristicA0000001,
            value: value,
            type: .withoutResponse
        )
    }

    /// Reads `FFE1`.
    public func characteristicFFE1() async throws -> Data {
        try await bluejay.read(from: Characteristic.characteristicFFE1)
    }
}
