import BluejayCommandLine
package import Foundation

/// A reply of a MeshCore radio, as far as these demos use them.
package enum MeshResponse: Equatable, Sendable {
    /// Success: 00.
    case ok
    /// Failure: 01 and the error code.
    case refused(UInt8)
    /// The identity of the radio: 05, 57 bytes with its key and its radio settings, its name.
    case selfInfo(key: Data, name: String)
    /// A text on the first channel: 08, 00, the path length, 00, the time, the text.
    case text(String, at: UInt32)
    /// The time of the radio: 09 and seconds since 1970.
    case time(UInt32)
    /// The advertisement of another radio: 80 and its key.
    case advert(key: Data)
    /// Any other reply.
    case other(Data)

    /// The length of a radio's key in bytes.
    package static let keyLength = 32
    private static let nameOffset = 58

    package init(_ data: Data) {
        let bytes = Array(data)
        switch bytes.first {
        case 0x00 where bytes.count == 1: self = .ok
        case 0x01 where bytes.count == 2: self = .refused(bytes[1])
        case 0x05 where bytes.count >= Self.nameOffset:
            self = .selfInfo(
                key: Data(bytes[4..<4 + Self.keyLength]),
                name: String(decoding: bytes[Self.nameOffset...], as: UTF8.self)
            )
        case 0x08 where bytes.count >= 8:
            self = .text(String(decoding: bytes[8...], as: UTF8.self), at: number(bytes[4..<8]))
        case 0x09 where bytes.count >= 5: self = .time(number(bytes[1..<5]))
        case 0x80 where bytes.count > Self.keyLength:
            self = .advert(key: Data(bytes[1...Self.keyLength]))
        default: self = .other(data)
        }
    }

    package var data: Data {
        switch self {
        case .ok: Data([0x00])
        case .refused(let code): Data([0x01, code])
        case .selfInfo(let key, let name): Self.selfInfo(key, name)
        // 255: received directly, not through other radios.
        case .text(let text, let time): Data([0x08, 0, 255, 0] + octets(time) + text.utf8)
        case .time(let time): Data([0x09] + octets(time))
        case .advert(let key): Data([0x80]) + key
        case .other(let data): data
        }
    }

    private static func selfInfo(_ key: Data, _ name: String) -> Data {
        // A chat node that sends with 22 dBm of 22, and does not report its position.
        var data = Data([0x05, 1, 22, 22]) + key + Data(count: 12)
        // 869.525 MHz, 250 kHz, spreading factor 11, coding rate 5: the usual settings in Europe.
        data += octets(869_525) + octets(250_000) + [11, 5]
        return data + Data(name.utf8)
    }
}

extension MeshResponse: CustomStringConvertible {
    package var description: String {
        switch self {
        case .ok: "ok"
        case .refused(let code): "refused with \(code)"
        case .selfInfo(let key, let name): "I am \(name.printable), \(Self.short(key))"
        case .text(let text, _): text.printable
        case .time(let time):
            Date(timeIntervalSince1970: TimeInterval(time)).formatted(.iso8601)
        case .advert(let key): "\(Self.short(key)) is there"
        case .other(let data): "\(data.count) bytes"
        }
    }

    private static func short(_ key: Data) -> String {
        key.prefix(3).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
