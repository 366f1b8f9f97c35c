import BluejayCommandLine
package import Foundation

/// A command to a MeshCore radio, as far as these demos use them.
///
/// The bytes follow the companion protocol of MeshCore's firmware; numbers are little-endian.
package enum MeshCommand: Equatable, Sendable {
    /// The start packet: 01, 03, six spaces, a name. `MeshCoreSession` sends it.
    case start(name: String)
    /// A text to the first channel: 03, 00, 00, the time, the text.
    case text(String, at: UInt32)
    /// A request for the time: 05.
    case requestTime
    /// Any other command.
    case other(Data)

    package init(_ data: Data) {
        let bytes = Array(data)
        switch bytes.first {
        case 0x01 where bytes.count >= 8:
            self = .start(name: String(decoding: bytes[8...], as: UTF8.self))
        case 0x03 where bytes.count >= 7:
            self = .text(String(decoding: bytes[7...], as: UTF8.self), at: number(bytes[3..<7]))
        case 0x05: self = .requestTime
        default: self = .other(data)
        }
    }

    package var data: Data {
        switch self {
        case .start(let name): Data([0x01, 0x03] + [UInt8](repeating: 0x20, count: 6) + name.utf8)
        case .text(let text, let time): Data([0x03, 0, 0] + octets(time) + text.utf8)
        case .requestTime: Data([0x05])
        case .other(let data): data
        }
    }
}

extension MeshCommand: CustomStringConvertible {
    package var description: String {
        switch self {
        case .start(let name): "hello from \(name.printable)"
        case .text(let text, _): text.printable
        case .requestTime: "what time is it?"
        case .other(let data): "\(data.count) bytes"
        }
    }
}

func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
}

func octets(_ number: UInt32) -> [UInt8] {
    [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: number >> $0) }
}
