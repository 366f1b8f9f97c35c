import ArgumentParser
import BluejayCommandLine
import BluejayCore
import Foundation

/// A value as JSON: always its bytes, and its interpretation where known.
struct ValueJSON: Encodable {
    let characteristic: String
    let name: String?
    let service: String
    /// The time of arrival; `nil` for a read.
    var time: Date?
    let hex: String
    var text: String?
    var number: ValueNumber?
    /// The unit of ``number``.
    var unit: String?
    /// The fields of a value with more than one, by name.
    var fields: [String: ReadingField]?

    /// Creates the object; a value that does not fit the format is present only as ``hex``.
    init(_ value: Data, of characteristic: CharacteristicIdentifier, as format: ValueFormat) {
        self.characteristic = characteristic.uuid.displayText(characteristic.instance)
        name = characteristic.uuid.standardName
        service = characteristic.service.uuid.displayText(characteristic.service.instance)
        hex = value.hexadecimal
        let format = format.resolved(for: characteristic.uuid)
        guard ![.hex, .raw].contains(format),
            let decoded = try? DecodedValue(value, as: format)
        else { return }
        text = decoded.label
        number = decoded.number
        unit = decoded.unit
        guard decoded.fields.count > 1 else { return }
        fields = Dictionary(
            decoded.fields.map { ($0.name, $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }
}
