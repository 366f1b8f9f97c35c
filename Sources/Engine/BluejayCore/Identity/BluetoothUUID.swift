public import FoundationEssentials

/// A Bluetooth UUID of 16, 32 or 128 bits, compared as 128 bits.
///
/// `180D` and `0000180D-0000-1000-8000-00805F9B34FB` are the same value (Core Specification, Vol 3, Part
/// B, 2.5.1).
///
/// Text that is not a UUID is kept as a *malformed* value. It equals only a value with the same text,
/// and the first call that uses it fails with ``BluejayError/malformedUUID(_:)``.
public struct BluetoothUUID: Hashable, Swift.Sendable {
    private enum Storage: Hashable {
        case bits(high: UInt64, low: UInt64)
        case malformed(String)
    }

    /// The lower 96 bits of the Bluetooth Base UUID, in two halves.
    private static let baseHigh: UInt64 = 0x0000_0000_0000_1000
    private static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB

    private let storage: Storage

    /// Reads 4, 8 or 36 characters (`180D`, `0000180D`, or the form with hyphens), in either case.
    ///
    /// Any other text creates a malformed value; see ``isMalformed`` and ``validated()``.
    public init(string: String) {
        storage = Self.parse(string) ?? .malformed(string)
    }

    /// Reads the same text as ``init(string:)``, and throws for any other text.
    ///
    /// - Parameter text: 4, 8 or 36 characters, in either case.
    /// - Throws: ``BluejayError/malformedUUID(_:)``.
    public init(validating text: String) throws {
        guard let parsed = Self.parse(text) else { throw BluejayError.malformedUUID(text) }
        storage = parsed
    }

    /// Creates a UUID from an assigned number of 16 bits.
    public init(uint16 value: UInt16) {
        self.init(uint32: UInt32(value))
    }

    /// Creates a UUID from an assigned number of 32 bits.
    public init(uint32 value: UInt32) {
        storage = .bits(high: UInt64(value) << 32 | Self.baseHigh, low: Self.baseLow)
    }

    /// Creates a UUID from 128 bits.
    public init(_ uuid: UUID) {
        // The text always has 36 characters, so it is always valid.
        self.init(string: uuid.uuidString)
    }

    /// Reads 2, 4 or 16 bytes as on the air, the lowest first; fails for any other number of bytes.
    package init?(littleEndian bytes: some BidirectionalCollection<UInt8>) {
        var high: UInt64 = 0
        var low: UInt64 = 0
        for byte in bytes.reversed() {
            high = high << 8 | low >> 56
            low = low << 8 | UInt64(byte)
        }
        switch bytes.count {
        case 2, 4: storage = .bits(high: low << 32 | Self.baseHigh, low: Self.baseLow)
        case 16: storage = .bits(high: high, low: low)
        default: return nil
        }
    }

    /// Whether this value was created from text that is not a UUID.
    public var isMalformed: Bool {
        if case .malformed = storage { return true }
        return false
    }

    /// Returns this value, or throws if it is malformed.
    ///
    /// - Throws: ``BluejayError/malformedUUID(_:)``.
    @discardableResult
    public func validated() throws -> BluetoothUUID {
        if case .malformed(let text) = storage { throw BluejayError.malformedUUID(text) }
        return self
    }

    /// The shortest form in upper case: 4, 8 or 36 characters.
    ///
    /// For a malformed value, it is the original text.
    public var uuidString: String {
        switch storage {
        case .malformed(let text): return text
        case .bits(let high, let low):
            guard low == Self.baseLow, high & 0xFFFF_FFFF == Self.baseHigh else {
                return Self.text(high, low, isUppercase: true)
            }
            let short = high >> 32
            return Hexadecimal.text(short, digits: short > 0xFFFF ? 8 : 4, isUppercase: true)
        }
    }

    /// The form that BlueZ uses: 36 characters in lower case.
    ///
    /// For a malformed value, it is the original text.
    package var canonicalText: String {
        switch storage {
        case .malformed(let text): text
        case .bits(let high, let low): Self.text(high, low, isUppercase: false)
        }
    }

    private static func text(_ high: UInt64, _ low: UInt64, isUppercase: Bool) -> String {
        var characters: [UInt8] = []
        characters.reserveCapacity(36)
        func append(_ value: UInt64, _ digits: Int) {
            Hexadecimal.append(value, digits: digits, isUppercase: isUppercase, to: &characters)
        }
        append(high >> 32, 8)
        characters.append(hyphen)
        append(high >> 16, 4)
        characters.append(hyphen)
        append(high, 4)
        characters.append(hyphen)
        append(low >> 48, 4)
        characters.append(hyphen)
        append(low, 12)
        return String(decoding: characters, as: UTF8.self)
    }

    private static let hyphen = UInt8(ascii: "-")

    private static func parse(_ text: String) -> Storage? {
        switch text.utf8.count {
        case 4, 8: short(text).map { .bits(high: $0 << 32 | baseHigh, low: baseLow) }
        case 36: long(text)
        default: nil
        }
    }

    private static func short(_ text: String) -> UInt64? {
        var value: UInt64 = 0
        for character in text.utf8 {
            guard let digit = Hexadecimal.value(character) else { return nil }
            value = value << 4 | digit
        }
        return value
    }

    private static func long(_ text: String) -> Storage? {
        var high: UInt64 = 0
        var low: UInt64 = 0
        var place = 0
        for character in text.utf8 {
            switch place {
            case 8, 13, 18, 23:
                guard character == UInt8(ascii: "-") else { return nil }
            default:
                guard let digit = Hexadecimal.value(character) else { return nil }
                if place < 18 { high = high << 4 | digit } else { low = low << 4 | digit }
            }
            place += 1
        }
        return .bits(high: high, low: low)
    }
}

extension BluetoothUUID: ExpressibleByStringLiteral {
    /// Creates a UUID from a literal such as `"FFE1"`, like ``init(string:)``.
    public init(stringLiteral text: String) {
        self.init(string: text)
    }
}

extension BluetoothUUID: CustomStringConvertible {
    /// The same text as ``uuidString``.
    public var description: String { uuidString }
}

/// The name of this type in CoreBluetooth.
public typealias CBUUID = BluetoothUUID
