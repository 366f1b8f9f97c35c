import BluejayCommandLine
import BluejayCore
import Foundation

/// An event of a served device.
struct ServeEvent: Equatable, Sendable {
    enum Kind: String, Encodable {
        case advertising, connected, identified, disconnected, read, written, subscribed
        case unsubscribed, sent, ended
    }

    let event: Kind
    /// The central; `nil` if BlueZ does not name it.
    let central: PeripheralIdentifier?
    let characteristic: CharacteristicIdentifier?
    let value: Data?
    let note: String?

    init(
        _ event: Kind,
        _ central: PeripheralIdentifier? = nil,
        on characteristic: CharacteristicIdentifier? = nil,
        value: Data? = nil,
        note: String? = nil
    ) {
        self.event = event
        self.central = central
        self.characteristic = characteristic
        self.value = value
        self.note = note
    }

    var text: String {
        let bytes = value.map { $0.isEmpty ? "(empty)" : $0.hexadecimalText }
        let by = central.map { "by \($0.displayText)" }
        return [event.rawValue, characteristic?.displayText, bytes, note, by].compactMap(\.self)
            .joined(separator: " ")
    }
}

extension ServeEvent: RecordContent {
    static let type = RecordType.serving

    private enum Key: CodingKey {
        case event, value, note
    }

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(event, forKey: .event)
        try object.encodeIfPresent(value, forKey: .value)
        try object.encodeIfPresent(note, forKey: .note)
        try characteristic.map { CharacteristicRecord($0) }?.encode(to: encoder)
    }
}

extension Data {
    /// Pairs of hexadecimal digits, in lower case.
    var hexadecimalText: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
