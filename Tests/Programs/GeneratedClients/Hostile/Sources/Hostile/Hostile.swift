import BluejayAsync
import Foundation

/// A client of the device “/" (x) 😀”.
public struct Hostile: Swift.Sendable {
    /// The name that the device advertises.
    public static let name = "*/\"\\(x)\u{A}`\u{202E}😀"

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
    ) async throws -> Hostile {
        await bluejay.start()
        try await bluejay.connect(toFirst: filter, within: limit)
        return Hostile(bluejay: bluejay)
    }

    /// Disconnects.
    public func disconnect() async throws {
        try await bluejay.disconnect()
    }
}

extension Hostile {
    /// The characteristics of the device.
    public enum Characteristic {
        /// “default”, `F000`.
        public static let defaultValue = CharacteristicIdentifier(uuid: "F000", service: "FFF0")

        /// “class”, `F001`.
        public static let classValue = CharacteristicIdentifier(uuid: "F001", service: "FFF0")

        /// “self”, `F002`.
        public static let selfValue = CharacteristicIdentifier(uuid: "F002", service: "FFF0")

        /// “init”, `F003`.
        public static let initValue = CharacteristicIdentifier(uuid: "F003", service: "FFF0")

        /// “1st value”, `F004`.
        public static let characteristic1stValue = CharacteristicIdentifier(
            uuid: "F004",
            service: "FFF0"
        )

        /// Characteristic `F005`.
        public static let characteristicF005 = CharacteristicIdentifier(
            uuid: "F005",
            service: "FFF0"
        )

        /// “😀”, `F006`.
        public static let characteristicF006 = CharacteristicIdentifier(
            uuid: "F006",
            service: "FFF0"
        )

        /// “/ public”, `F007`.
        public static let publicValue = CharacteristicIdentifier(uuid: "F007", service: "FFF0")

        /// “" (1)" #error("x")”, `F008`.
        public static let characteristic1ErrorX = CharacteristicIdentifier(
            uuid: "F008",
            service: "FFF0"
        )

        /// “aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…”, `F009`.
        public static let aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa = CharacteristicIdentifier(
            uuid: "F009",
            service: "FFF0"
        )

        /// “connect”, `F00A`.
        public static let connect2 = CharacteristicIdentifier(uuid: "F00A", service: "FFF0")

        /// “bluejay”, `F00B`.
        public static let bluejay2 = CharacteristicIdentifier(uuid: "F00B", service: "FFF0")

        /// “Émission d'énergie”, `F00C`.
        public static let emissionDenergie = CharacteristicIdentifier(uuid: "F00C", service: "FFF0")

        /// “set interval”, `F00D`.
        public static let setInterval = CharacteristicIdentifier(uuid: "F00D", service: "FFF0")

        /// “interval”, `F00E`.
        public static let interval2 = CharacteristicIdentifier(uuid: "F00E", service: "FFF0")

        /// “intervals”, `F00F`.
        public static let intervals2 = CharacteristicIdentifier(uuid: "F00F", service: "FFF0")

        /// “x”, `F010`.
        public static let x = CharacteristicIdentifier(uuid: "F010", service: "FFF0")

        /// “gnp exe”, `F011`.
        public static let gnpExe = CharacteristicIdentifier(uuid: "F011", service: "FFF0")

        /// “- Parameter x: y Z Q”, `F012`.
        public static let parameterXYZQ = CharacteristicIdentifier(uuid: "F012", service: "FFF0")

        /// “type”, `F013`.
        public static let type = CharacteristicIdentifier(uuid: "F013", service: "FFF0")

        /// “name”, `F014`.
        public static let name2 = CharacteristicIdentifier(uuid: "F014", service: "FFF0")

        /// “Default”, `F015`.
        public static let defaultValue2 = CharacteristicIdentifier(uuid: "F015", service: "FFF0")

        /// “value”, `F016`.
        public static let value = CharacteristicIdentifier(uuid: "F016", service: "FFF0")

        /// “client”, `F017`.
        public static let client = CharacteristicIdentifier(uuid: "F017", service: "FFF0")

        /// “́́”, `F018`.
        public static let characteristicF018 = CharacteristicIdentifier(
            uuid: "F018",
            service: "FFF0"
        )

        /// “none”, `F019`.
        public static let none = CharacteristicIdentifier(uuid: "F019", service: "FFF0")

        /// Characteristic `F0FF`.
        public static let characteristicF0FF = CharacteristicIdentifier(
            uuid: "F0FF",
            service: "FFF0"
        )

        /// Characteristic `F0FE`.
        public static let characteristicF0FE = CharacteristicIdentifier(
            uuid: "F0FE",
            service: "FFF0"
        )

        /// Characteristic `F0FD`.
        public static let characteristicF0FD = CharacteristicIdentifier(
            uuid: "F0FD",
            service: "FFF0"
        )

        /// Heart Rate Measurement, `2A37`.
        public static let heartRateMeasurement = CharacteristicIdentifier(
            uuid: "2A37",
            service: ServiceIdentifier(uuid: "FFF0", instance: 1)
        )

        /// Battery Level, `2A19`.
        public static let batteryLevel = CharacteristicIdentifier(
            uuid: "2A19",
            service: ServiceIdentifier(uuid: "FFF0", instance: 1)
        )

        /// Manufacturer Name String, `2A29`.
        public static let manufacturerNameString = CharacteristicIdentifier(
            uuid: "2A29",
            service: ServiceIdentifier(uuid: "FFF0", instance: 1)
        )

        /// Battery Level, `2A19`.
        public static let batteryLevel2 = CharacteristicIdentifier(uuid: "2A19", service: "180F")
    }
}

// MARK: FFF0

extension Hostile {
    /// Reads “default”, `F000`.
    public func defaultValue() async throws -> Data {
        try await bluejay.read(from: Characteristic.defaultValue)
    }

    /// Receives the values of “default”, `F000`.
    public var defaultValues: ValueStream<Data> {
        bluejay.values(of: Characteristic.defaultValue)
    }

    /// Writes “default”, `F000`.
    public func setDefaultValue(_ value: Data) async throws {
        try await bluejay.write(to: Characteristic.defaultValue, value: value)
    }

    /// Reads “class”, `F001`.
    public func classValue() async throws -> Data {
        try await bluejay.read(from: Characteristic.classValue)
    }

    /// Receives the values of “class”, `F001`.
    public var classValues: ValueStream<Data> {
        bluejay.values(of: Characteristic.classValue)
    }

    /// Writes “class”, `F001`.
    public func setClassValue(_ value: Data) async throws {
        try await bluejay.write(to: Characteristic.classValue, value: value)
    }

    /// Reads “self”, `F002`.
    public func selfValue() async throws -> Data {
        try await bluejay.read(from: Characteristic.selfValue)
    }

    /// Receives the values of “self”, `F002`.
    public var selfValues: ValueStream<Data> {
        bluejay.values(of: Characteristic.selfValue)
    }

    /// Writes “self”, `F002`.
    public func setSelfValue(_ value: Data) async throws {
        try await bluejay.write(to: Characteristic.selfValue, value: value)
    }

    /// Reads “init”, `F003`.
    public func initValue() async throws -> Data {
        try await bluejay.read(from: Characteristic.initValue)
    }

    /// Receives the values of “init”, `F003`.
    public var initValues: ValueStream<Data> {
        bluejay.values(of: Characteristic.initValue)
    }

    /// Writes “init”, `F003`.
    public func setInitValue(_ value: Data) async throws {
        try await bluejay.write(to: Characteristic.initValue, value: value)
    }

    /// Reads “1st value”, `F004`.
    public func characteristic1stValue() async throws -> Data {
        try await bluejay.read(from: Characteristic.characteristic1stValue)
    }

    /// Receives the values of “1st value”, `F004`.
    public var characteristic1stValues: ValueStream<Data> {
        bluejay.values(of: Characteristic.characteristic1stValue)
    }

    /// Writes “1st value”, `F004`.
    public func setCharacteristic1stValue(_ value: Data) async throws {
        try await bluejay.write(to: Characteristic.characteristic1stValue, value: value)
    }

    /// Reads `F005`.
    public func characteristicF005() async throws -> Data {
        try await bluejay.read(from: Characteristic.characteristicF005)
    }

    /// Receives the values of `F005`.
    public var characteristicF005Values: ValueStream<Data> {
        bluejay.values(of: Characteristic.characteristicF005)
    }

    /// Writes `F005`.
    public func setCharacteristicF005(_ value: Data) async throws {
        try await bluejay.write(to: Characteristic.characteristicF005, value: value)
    }

    /// Reads “😀”, `F006`.
    public func characteristicF006() async throws -> Data {
        try await bluejay.read(from: Characteristic.characteristicF006)
    }

    /// Receives the values of “😀”, `F006`.
    public var characteristicF006Values: ValueStream<Data> {
        bluejay.values(of: Characteristic.characteristicF006)
    }

    /// Writes “😀”, `F006`.
    public func setCharacteristicF006(_ value: Data) async throws {
        try await bluejay.write(to: Characteristic.characteristicF006, value: value)
    }

    /// Reads “/ public”, `F007`.
    public func publicValue() async throws -> Data {
        try await bluejay.read(from: Characteristic.publicValue)
    }

    /// Receives the values of “/ public”, `F007`.
    public var publicValues: ValueStream<Data> {
        bluejay.values(of: Characteristic.publicValue)
    }

    /// Writes “/ public”, `F007`.
    public func setPublicValue(_ value: Data) async throws {
        try await bluejay.write(to: Characteristic.publicValue, value: value)
    }

    /// Reads “" (1)" #error("x")”, `F008`.
    public func characteristic1ErrorX() async throws -> Data {
        try await bluejay.read(from: Characteristic.characteristic1ErrorX)
    }

    /// Reads “aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…”, `F009`.
    public func aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa() async throws -> Data {
        try await bluejay.read(from: Characteristic.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa)
    }

    /// Reads “connect”, `F00A`.
    public func connect2() async throws -> Data {
        try await bluejay.read(from: Characteristic.connect2)
    }

    /// Receives the values of “connect”, `F00A`.
    public var connect2Values: ValueStream<Data> {
        bluejay.values(of: Characteristic.connect2)
    }

    /// Writes “connect”, `F00A`.
    public func setConnect2(_ value: Data) async throws {
        try await bluejay.write(to: Characteristic.connect2, value: value)
    }

    /// Reads “bluejay”, `F00B`.
    public func bluejay2() async throws -> Data {
        try await bluejay.read(from: Characteristic.bluejay2)
    }

    /// Receives the values of “bluejay”, `F00B`.
    public var bluejay2Values: ValueStream<Data> {
        bluejay.values(of: Characteristic.bluejay2)
    }

    /// Writes “bluejay”, `F00B`.
    public func setBluejay2(_ value: Data) async throws {
        try await bluejay.write(to: Characteristic.bluejay2, value: value)
    }

    /// Reads “Émission d'énergie”, `F00C`.
    public func emissionDenergie() async throws -> Data {
        try await bluejay.read(from: Characteristic.emissionDenergie)
    }

    /// Reads “set interval”, `F00D`.
    public func setInterval() async throws -> Data {
        try await bluejay.read(from: Characteristic.setInterval)
    }

    /// Receives the values of “set interval”, `F00D`.
    public var setIntervals: ValueStream<Data> {
        bluejay.values(of: Characteristic.setInterval)
    }

    /// Writes “set interval”, `F00D`.
    public func setSetInterval(_ value: Data) async throws {
        try await bluejay.write(to: Characteristic.setInterval, value: value)
    }

    /// Reads “interval”, `F00E`.
    public func interval2() async throws -> Data {
        try await bluejay.read(from: Characteristic.interval2)
    }

    /// Receives the values of “interval”, `F00E`.
    public var interval2Values: ValueStream<Data> {
        bluejay.values(of: Characteristic.interval2)
    }

    /// Writes “interval”, `F00E`.
    public func setInterval2(_ value: Data) async throws {
        try await bluejay.write(to: Characteristic.interval2, value: value)
    }

    /// Reads “intervals”, `F00F`.
    public func intervals2() async throws -> Data {
        try await bluejay.read(from: Characteristic.intervals2)
    }

    /// Receives the values of “intervals”, `F00F`.
    public var intervals2Values: ValueStream<Data> {
        bluejay.values(of: Characteristic.intervals2)
    }

    /// Writes “intervals”, `F00F`.
    public func setIntervals2(_ value: Data) async throws {
        try await bluejay.write(to: Characteristic.intervals2, value: value)
    }

    /// Reads “x”, `F010`.
    public func x() async throws -> Data {
        try await bluejay.read(from: Characteristic.x)
    }

    /// Reads “gnp exe”, `F011`.
    public func gnpExe() async throws -> Data {
        try await bluejay.read(from: Characteristic.gnpExe)
    }

    /// Reads “- Parameter x: y Z Q”, `F012`.
    public func parameterXYZQ() async throws -> Data {
        try await bluejay.read(from: Characteristic.parameterXYZQ)
    }

    /// Reads “type”, `F013`.
    public func type() async throws -> Data {
        try await bluejay.read(from: Characteristic.type)
    }

    /// Reads “name”, `F014`.
    public func name2() async throws -> Data {
        try await bluejay.read(from: Characteristic.name2)
    }

    /// Reads “Default”, `F015`.
    public func defaultValue2() async throws -> Data {
        try await bluejay.read(from: Characteristic.defaultValue2)
    }

    /// Reads “value”, `F016`.
    public func value() async throws -> Data {
        try await bluejay.read(from: Characteristic.value)
    }

    /// Reads “client”, `F017`.
    public func client() async throws -> Data {
        try await bluejay.read(from: Characteristic.client)
    }

    /// Reads “́́”, `F018`.
    public func characteristicF018() async throws -> Data {
        try await bluejay.read(from: Characteristic.characteristicF018)
    }

    /// Reads “none”, `F019`.
    public func none() async throws -> Data {
        try await bluejay.read(from: Characteristic.none)
    }

    /// Reads `F0FF`.
    public func characteristicF0FF() async throws -> Data {
        try await bluejay.read(from: Characteristic.characteristicF0FF)
    }

    /// Reads `F0FE`.
    public func characteristicF0FE() async throws -> Data {
        try await bluejay.read(from: Characteristic.characteristicF0FE)
    }

    /// Reads `F0FD`.
    public func characteristicF0FD() async throws -> Data {
        try await bluejay.read(from: Characteristic.characteristicF0FD)
    }

    /// Receives the values of `F0FD`.
    public var characteristicF0FDValues: ValueStream<Data> {
        bluejay.values(of: Characteristic.characteristicF0FD)
    }

    /// Writes `F0FD`.
    public func setCharacteristicF0FD(_ value: Data) async throws {
        try await bluejay.write(to: Characteristic.characteristicF0FD, value: value)
    }
}

// MARK: FFF0#1

extension Hostile {
    /// Reads Heart Rate Measurement, `2A37`.
    public func heartRateMeasurement() async throws -> Data {
        try await bluejay.read(from: Characteristic.heartRateMeasurement)
    }

    /// Reads Battery Level, `2A19`.
    public func batteryLevel() async throws -> Data {
        try await bluejay.read(from: Characteristic.batteryLevel)
    }

    /// Writes Battery Level, `2A19`.
    public func setBatteryLevel(_ value: Data) async throws {
        try await bluejay.write(to: Characteristic.batteryLevel, value: value)
    }

    /// Reads Manufacturer Name String, `2A29`.
    public func manufacturerNameString() async throws -> String {
        try await bluejay.read(from: Characteristic.manufacturerNameString)
    }

    /// Writes Manufacturer Name String, `2A29`.
    public func setManufacturerNameString(_ value: String) async throws {
        try await bluejay.write(to: Characteristic.manufacturerNameString, value: value)
    }
}

// MARK: Battery, 180F

extension Hostile {
    /// Reads Battery Level, `2A19`.
    public func batteryLevel2() async throws -> BatteryReading {
        try await bluejay.read(from: Characteristic.batteryLevel2)
    }

    /// Receives the values of Battery Level, `2A19`.
    public var batteryLevel2Values: ValueStream<BatteryReading> {
        bluejay.values(of: Characteristic.batteryLevel2)
    }
}
