import Foundation

/// The own keys of a line of JSON; `Documentation/bluejay-output.schema.json` describes all of them.
protocol RecordContent: Encodable {
    static var type: RecordType { get }
}

/// The kinds of lines of JSON, one for each kind of content.
enum RecordType: String, Encodable {
    case discovery, adapter, service, value, write, battery, device, pairing, forgotten, serial
    case channel, serving, recording, finding
}

/// A line of JSON: its type, its time, its device, and the keys of its content.
struct OutputRecord<Content: RecordContent>: Encodable {
    let time: Date
    let device: OutputDevice?
    let content: Content

    private enum Key: CodingKey {
        case type, time, address, name
    }

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(Content.type, forKey: .type)
        try object.encode(time, forKey: .time)
        try object.encodeIfPresent(device?.address, forKey: .address)
        try object.encodeIfPresent(device?.name, forKey: .name)
        try content.encode(to: encoder)
    }
}
