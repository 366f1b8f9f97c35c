public import FoundationEssentials

/// A value of the Battery Level Status characteristic, `2BED`.
public struct BatteryStatusReading: Hashable, Swift.Sendable {
    /// An answer that a device may not know.
    public enum Answer: UInt8, Hashable, Swift.Sendable {
        /// No.
        case no
        /// Yes.
        case yes
        /// The device does not know.
        case unknown
        /// A reserved number.
        case reserved
    }

    /// The direction of the charge.
    public enum ChargeState: UInt8, Hashable, Swift.Sendable {
        /// The device does not know.
        case unknown
        /// The battery charges.
        case charging
        /// The battery powers the device.
        case dischargingActive
        /// The battery loses charge without powering the device.
        case dischargingInactive
    }

    /// A coarse level.
    public enum ChargeLevel: UInt8, Hashable, Swift.Sendable {
        /// The device does not know.
        case unknown
        /// Good.
        case good
        /// Low.
        case low
        /// Critical.
        case critical
    }

    /// The kind of charging, a number with assigned meanings.
    public struct ChargingType: RawRepresentable, Hashable, Swift.Sendable {
        /// The number, 0 to 7.
        public let rawValue: UInt8

        /// Creates the value of any number.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The battery does not charge, or the kind is unknown.
        public static let unknownOrNotCharging = ChargingType(rawValue: 0)
        /// Constant current.
        public static let constantCurrent = ChargingType(rawValue: 1)
        /// Constant voltage.
        public static let constantVoltage = ChargingType(rawValue: 2)
        /// Trickle charging.
        public static let trickle = ChargingType(rawValue: 3)
        /// Float charging.
        public static let float = ChargingType(rawValue: 4)
    }

    /// The reasons for a charging fault.
    public struct ChargingFaults: OptionSet, Hashable, Swift.Sendable {
        /// The bits of the value.
        public let rawValue: UInt8

        /// Creates reasons from their bits.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The battery.
        public static let battery = ChargingFaults(rawValue: 1 << 0)
        /// The external power source.
        public static let externalPowerSource = ChargingFaults(rawValue: 1 << 1)
        /// Another reason.
        public static let other = ChargingFaults(rawValue: 1 << 2)
    }

    /// Whether a battery is present.
    public let isBatteryPresent: Bool
    /// Whether a wired power source is connected.
    public let wiredPowerSource: Answer
    /// Whether a wireless power source is connected.
    public let wirelessPowerSource: Answer
    /// The direction of the charge.
    public let chargeState: ChargeState
    /// A coarse level.
    public let chargeLevel: ChargeLevel
    /// The kind of charging.
    public let chargingType: ChargingType
    /// The reasons for a charging fault; empty without a fault.
    public let chargingFaults: ChargingFaults
    /// The identifier of the battery, or `nil` if absent.
    public let identifier: UInt16?
    /// The charge, or `nil` if absent.
    public let battery: BatteryReading?
    /// Whether the battery requires service, or `nil` if absent.
    public let isServiceRequired: Answer?
    /// Whether the battery has a fault, or `nil` if absent.
    public let hasBatteryFault: Bool?
}

extension BatteryStatusReading: Receivable {
    /// Decodes a value; bytes that no flag announces are ignored.
    ///
    /// - Parameter bluetoothData: The whole value.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` if a field is missing or incomplete.
    public init(bluetoothData: Data) throws {
        var reader = ByteReader(bluetoothData)
        let flags = FieldFlags(try reader.next(UInt8.self))
        let power: UInt16 = try reader.next()
        func bits(_ first: Int, _ count: Int) -> UInt8 {
            UInt8(truncatingIfNeeded: power >> first) & (1 << count - 1)
        }
        isBatteryPresent = bits(0, 1) == 1
        wiredPowerSource = Answer(rawValue: bits(1, 2)) ?? .reserved
        wirelessPowerSource = Answer(rawValue: bits(3, 2)) ?? .reserved
        chargeState = ChargeState(rawValue: bits(5, 2)) ?? .unknown
        chargeLevel = ChargeLevel(rawValue: bits(7, 2)) ?? .unknown
        chargingType = ChargingType(rawValue: bits(9, 3))
        chargingFaults = ChargingFaults(rawValue: bits(12, 3))
        identifier = try reader.next(if: flags[0])
        battery = try reader.next(if: flags[1], UInt8.self).map(BatteryReading.init)
        let additional: UInt8? = try reader.next(if: flags[2])
        isServiceRequired = additional.map { Answer(rawValue: $0 & 3) ?? .reserved }
        hasBatteryFault = additional.map { $0 & 4 != 0 }
    }
}
