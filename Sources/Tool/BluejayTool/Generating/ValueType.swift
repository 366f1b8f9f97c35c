import BluejayCore
import Foundation

/// The Swift type of a characteristic's values.
struct ValueType {
    private typealias Value = Receivable & Hashable & Swift.Sendable

    private let type: any Value.Type

    var name: String { "\(type)" }

    /// Whether a value can be written in this type.
    private var isWritable: Bool { type is any BluetoothSendable.Type }

    /// Returns the type for a characteristic: that of its assigned number if it decodes all values, else `Data`.
    static func type(of uuid: String, for values: [[UInt8]]) -> ValueType {
        let data = ValueType(type: Data.self)
        guard let known = types[uuid].map(ValueType.init) else { return data }
        return values.allSatisfy { known.decoded($0) != nil } ? known : data
    }

    /// The type for writing: this one if it can be encoded, else `Data`.
    var written: ValueType { isWritable ? self : ValueType(type: Data.self) }

    /// A value to write in a test: the recorded one, else one that this type accepts.
    func sample(_ recorded: [UInt8]?) -> [UInt8] {
        let candidates =
            (recorded.map { [$0] } ?? []) + [[0x31], [0x31, 0], [0xEA, 0x07, 1, 2, 3, 4, 5]]
            + [[0xEA, 0x07, 1, 2, 3, 4, 5, 5, 0, 0]]
        let kept = candidates.first { candidate in
            let value = decoded(candidate) as? any BluetoothSendable
            return value.map { Array($0.toBluetoothData()) } == candidate
        }
        return kept ?? [0x31]
    }

    private func decoded(_ value: [UInt8]) -> (any Value)? {
        try? type.init(bluetoothData: Data(value))
    }

    /// The names of all types.
    static let names: Set<String> = Set(types.values.map { "\($0)" })

    private static let types: [String: any Value.Type] = [
        "2A06": AlertLevel.self, "2A07": Int8.self, "2A08": BluetoothDateTime.self,
        "2A09": BluetoothWeekday.self, "2A18": GlucoseReading.self, "2A19": BatteryReading.self,
        "2A1C": ThermometerReading.self, "2A1E": ThermometerReading.self, "2A21": UInt16.self,
        "2A23": SystemIdentifier.self, "2A2B": CurrentTimeReading.self,
        "2A34": GlucoseContextReading.self, "2A35": BloodPressureReading.self,
        "2A36": BloodPressureReading.self, "2A37": HeartRateReading.self,
        "2A38": BodySensorLocation.self, "2A39": UInt8.self, "2A50": PlugAndPlayIdentifier.self,
        "2A53": RunningSpeedAndCadenceReading.self, "2A5B": CyclingSpeedAndCadenceReading.self,
        "2A5D": SensorLocation.self, "2A5E": PulseOximeterSpotCheckReading.self,
        "2A5F": PulseOximeterReading.self, "2A63": CyclingPowerReading.self,
        "2A6D": PressureReading.self, "2A6E": TemperatureReading.self,
        "2A6F": HumidityReading.self, "2A9C": BodyCompositionReading.self,
        "2A9D": WeightReading.self, "2ACD": TreadmillReading.self, "2AD1": RowerReading.self,
        "2AD2": IndoorBikeReading.self, "2BED": BatteryStatusReading.self,
    ].merging(texts.map { ($0, String.self) }, uniquingKeysWith: { first, _ in first })

    private static let texts = [
        "2A00", "2A24", "2A25", "2A26", "2A27", "2A28", "2A29", "2A3D", "2A87", "2A8A", "2A90",
        "2AA2", "2ABE",
    ]
}
