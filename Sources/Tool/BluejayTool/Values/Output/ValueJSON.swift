import BluejayCore
import Foundation

/// A value as JSON: always its bytes, and its meaning where known.
struct ValueJSON: RecordContent {
    static let type = RecordType.value
    private let attribute: CharacteristicRecord
    private let value: Data
    private let decoded: DecodedValue?

    /// Creates the content; a value that does not fit the format has only bytes.
    init(
        _ value: Data,
        of uuid: BluetoothUUID,
        _ attribute: CharacteristicRecord,
        as format: ValueFormat
    ) {
        self.attribute = attribute
        self.value = value
        let format = format.resolved(for: uuid)
        let hasMeaning = ![.hex, .raw].contains(format)
        decoded = hasMeaning ? try? DecodedValue(value, as: format) : nil
    }

    init(
        _ value: Data,
        of characteristic: CharacteristicIdentifier,
        handle: UInt16? = nil,
        as format: ValueFormat
    ) {
        let attribute = CharacteristicRecord(characteristic, handle: handle)
        self.init(value, of: characteristic.uuid, attribute, as: format)
    }

    private enum Key: CodingKey {
        case value, number, unit, text, fields
    }

    func encode(to encoder: any Encoder) throws {
        try attribute.encode(to: encoder)
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(value, forKey: .value)
        guard let decoded else { return }
        try object.encodeIfPresent(decoded.number, forKey: .number)
        try object.encodeIfPresent(decoded.unit, forKey: .unit)
        try object.encodeIfPresent(decoded.label, forKey: .text)
        guard decoded.fields.count > 1 else { return }
        let fields = Dictionary(
            decoded.fields.map { ($0.name.lowerCamelCase, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        try object.encode(fields, forKey: .fields)
    }
}

extension String {
    /// The words as a key: `fat-free mass` becomes `fatFreeMass`, and `BMI` becomes `bmi`.
    var lowerCamelCase: String {
        let words = split { !$0.isLetter && !$0.isNumber }
        let first = words.first.map { word in
            word.allSatisfy { !$0.isLowercase }
                ? word.lowercased() : word.prefix(1).lowercased() + word.dropFirst()
        }
        return (first ?? "")
            + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}
