internal import BluejayCompression
internal import FoundationEssentials

/// A received frame: one write or one notification.
///
/// | bytes | field |
/// | --- | --- |
/// | 0 | version in the high nibble, ``FrameKind`` in the low nibble |
/// | 1..2 | session |
/// | 3..4 | call |
/// | 5..6 | index |
///
/// The rest is the payload. The payloads of a message, in the order of their indices, are its
/// ``MessageHeader`` and its body. All frames but the last have the same size. Integers are little-endian.
struct Frame: Equatable, Swift.Sendable {
    static let version = 1
    static let headerLength = 7
    /// The size at the smallest ATT MTU, 23 bytes.
    static let minimumSize = 20
    /// The largest number of frames of a message.
    static let maximumCount = 1 << 16

    let version: Int
    /// The raw value of a ``FrameKind``.
    let kind: UInt8
    let session: UInt16
    let call: UInt16
    let index: Int
    let payload: Data

    /// Parses a frame, or returns `nil` if `data` has less than seven bytes.
    init?(_ data: Data) {
        guard data.count >= Self.headerLength else { return nil }
        let first = data.littleEndian(UInt8.self, at: 0)
        version = Int(first >> 4)
        kind = first & 0x0F
        session = data.littleEndian(UInt16.self, at: 1)
        call = data.littleEndian(UInt16.self, at: 3)
        index = Int(data.littleEndian(UInt16.self, at: 5))
        payload = data.dropFirst(Self.headerLength)
    }

    /// Whether a central of this version may have written the frame.
    var isFromCentral: Bool {
        version == Self.version && FrameKind(rawValue: kind)?.direction == .fromCentral
            && (index > 0 || MessageHeader(payload) != nil)
    }
}

/// The fields of a message before its body.
///
/// | bytes | field |
/// | --- | --- |
/// | 0 | ``MessageFlags`` |
/// | 1..4 | length of the body as sent |
/// | 5..8 | CRC-32 of the first five bytes of the frames, bytes 0..4 of this header, and the body |
struct MessageHeader: Equatable, Swift.Sendable {
    static let length = 9

    let flags: MessageFlags
    let bodyLength: Int
    let checksum: UInt32

    /// Parses a header, or returns `nil` if `data` has less than nine bytes.
    init?(_ data: Data) {
        guard data.count >= Self.length else { return nil }
        flags = MessageFlags(rawValue: data.littleEndian(UInt8.self, at: 0))
        bodyLength = Int(data.littleEndian(UInt32.self, at: 1))
        checksum = data.littleEndian(UInt32.self, at: 5)
    }

    /// Computes the header of a body.
    init(_ flags: MessageFlags, _ body: Data, of key: MessageKey) {
        self.flags = flags
        bodyLength = body.count
        var covered = key.prefix
        covered.append(flags.rawValue)
        covered.append(littleEndian: UInt32(truncatingIfNeeded: bodyLength))
        checksum = CRC32.checksum(of: body, after: CRC32.checksum(of: covered))
    }

    var encoded: Data {
        var data = Data([flags.rawValue])
        data.append(littleEndian: UInt32(truncatingIfNeeded: bodyLength))
        data.append(littleEndian: checksum)
        return data
    }

    /// Returns the number of frames of the message, or `nil` if the first frame is too long.
    ///
    /// - Parameter payloadLength: The length of the payload of the first frame.
    /// - Returns: At least 1.
    func frameCount(payloadLength: Int) -> Int? {
        let length = Self.length + bodyLength
        guard payloadLength <= length else { return nil }
        return (length + payloadLength - 1) / payloadLength
    }
}

struct MessageKey: Hashable, Swift.Sendable {
    let kind: FrameKind
    let session: UInt16
    let call: UInt16

    /// The first five bytes of each frame.
    var prefix: Data {
        var data = Data([UInt8(Frame.version << 4) | kind.rawValue])
        data.append(littleEndian: session)
        data.append(littleEndian: call)
        return data
    }

    /// The authenticated data of a sealed message: all fields that give its body a meaning.
    func sealedHeader(_ flags: MessageFlags, on characteristic: String) -> Data {
        prefix + [flags.rawValue] + Data(characteristic.utf8)
    }
}

/// The frames of a message, each created when it is read.
struct FrameSequence: RandomAccessCollection, Swift.Sendable {
    /// The first five bytes of each frame.
    let prefix: Data
    /// The message header and the body.
    let content: Data
    let payloadLength: Int

    var startIndex: Int { 0 }
    var endIndex: Int { (content.count + payloadLength - 1) / payloadLength }

    subscript(index: Int) -> Data {
        var frame = prefix
        frame.append(littleEndian: UInt16(truncatingIfNeeded: index))
        frame.append(content.dropFirst(index * payloadLength).prefix(payloadLength))
        return frame
    }
}

extension Data {
    /// Appends an integer, its least significant byte first.
    mutating func append<Integer: FixedWidthInteger>(littleEndian integer: Integer) {
        for shift in stride(from: 0, to: Integer.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: integer >> shift))
        }
    }

    /// Returns an integer, whose bytes must be within the data.
    ///
    /// - Parameters:
    ///   - type: The type of the integer.
    ///   - offset: The position of its least significant byte, counted from the first byte.
    /// - Returns: The integer.
    func littleEndian<Integer: FixedWidthInteger>(_ type: Integer.Type, at offset: Int) -> Integer {
        let start = startIndex + offset
        return (0..<Integer.bitWidth / 8).reduce(0) { integer, position in
            integer | Integer(truncatingIfNeeded: self[start + position]) << (8 * position)
        }
    }
}
