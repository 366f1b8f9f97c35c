import BluejayCommandLine
import BluejayCore
import Foundation

/// An event of a served device.
struct ServeEvent: Encodable, Equatable, Sendable {
    enum Kind: String, Encodable {
        case advertising, connected, identified, disconnected, read, written, subscribed
        case unsubscribed, sent, ended
    }

    let event: Kind
    /// The central, such as `Phone (C0:FF:EE:00:00:01)`; `nil` if BlueZ does not name it.
    var central: String?
    /// The characteristic, such as `180D/2A37`.
    var characteristic: String?
    var value: Data?
    var note: String?

    init(
        _ event: Kind,
        _ central: PeripheralIdentifier? = nil,
        on characteristic: String? = nil,
        value: Data? = nil,
        note: String? = nil
    ) {
        self.event = event
        self.central = central?.displayText
        self.characteristic = characteristic
        self.value = value
        self.note = note
    }

    var text: String {
        let bytes = value.map { $0.isEmpty ? "(empty)" : $0.hexadecimalText }
        let by = central.map { "by \($0)" }
        return [event.rawValue, characteristic, bytes, note, by].compactMap(\.self)
            .joined(separator: " ")
    }
}

extension Data {
    /// Pairs of hexadecimal digits, in lower case.
    var hexadecimalText: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
