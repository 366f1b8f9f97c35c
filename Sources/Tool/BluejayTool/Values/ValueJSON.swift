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
    var number: Double?
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
        switch format.resolved(for: characteristic.uuid) {
        case .auto, .hex, .raw: break
        case .text: text = try? ValueFormat.text.text(of: value)
        case let format:
            number = try? format.number(in: value)
            let fields = (try? format.fields(of: value)) ?? []
            unit = fields.first?.unit
            guard fields.count > 1 else { break }
            self.fields = Dictionary(
                fields.map { ($0.name, $0) },
                uniquingKeysWith: { first, _ in first }
            )
        }
    }
}
