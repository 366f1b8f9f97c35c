import Foundation

struct WriteResultJSON: RecordContent {
    static let type = RecordType.write
    let attribute: CharacteristicRecord
    let value: Data
    let writes: Int

    private enum Key: CodingKey {
        case value, bytes, writes
    }

    func encode(to encoder: any Encoder) throws {
        try attribute.encode(to: encoder)
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(value, forKey: .value)
        try object.encode(value.count, forKey: .bytes)
        try object.encode(writes, forKey: .writes)
    }
}
