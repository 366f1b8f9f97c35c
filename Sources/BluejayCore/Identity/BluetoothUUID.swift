public import Foundation

/// A Bluetooth UUID of 16, 32 or 128 bits, compared as 128 bits.
///
/// `180D` and `0000180D-0000-1000-8000-00805F9B34FB` are the same value (Core Specification,
/// Vol 3, Part B, 2.5.1).
///
/// Text that is no UUID is kept as a *malformed* value: it equals only a value with the same text,
/// and the first call that uses it completes with ``BluejayError/malformedUUID(_:)``.
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
    /// Any other text makes a malformed value; see ``isMalformed`` and ``validated()``.
    public init(string: String) {
        storage = Self.parse(string) ?? .malformed(string)
    }

    /// Reads the same text as ``init(string:)`` and refuses what is no UUID.
    ///
    /// - Parameter text: 4, 8 or 36 characters, in either case.
    /// - Throws: ``BluejayError/malformedUUID(_:)``.
    public init(validating text: String) throws {
        guard let parsed = Self.parse(text) else { throw BluejayError.malformedUUID(text) }
        storage = parsed
    }

    /// Makes a UUID from an assigned number of 16 bits.
    public init(uint16 value: UInt16) {
        self.init(uint32: UInt32(value))
    }

    /// Makes a UUID from an assigned number of 32 bits.
    public init(uint32 value: UInt32) {
        storage = .bits(high: UInt64(value) << 32 | Self.baseHigh, low: Self.baseLow)
    }

    /// Makes a UUID from 128 bits.
    public init(_ uuid: UUID) {
        // The text is always of the 36-character form, so it is always read.
        self.init(string: uuid.uuidString)
    }

    /// Whether the text this value was made from is no UUID.
    public var isMalformed: Bool {
        if case .malformed = storage { return true }
        return false
    }

    /// Returns this value, or throws when it is malformed.
    ///
    /// - Throws: ``BluejayError/malformedUUID(_:)``.
    @discardableResult
    public func validated() throws -> BluetoothUUID {
        if case .malformed(let text) = storage { throw BluejayError.malformedUUID(text) }
        return self
    }

    /// The shortest form in upper case: 4, 8 or 36 characters.
    ///
    /// For a malformed value it is the text it was made from.
    public var uuidString: String {
        guard case .bits(let high, let low) = storage, low == Self.baseLow,
            high & 0xFFFF_FFFF == Self.baseHigh
        else { return canonicalText.uppercasedUnless(isMalformed) }
        let short = high >> 32
        return Self.hexText(short, digits: short > 0xFFFF ? 8 : 4).uppercased()
    }

    /// The form BlueZ writes: 36 characters in lower case.
    ///
    /// For a malformed value it is the text it was made from.
    package var canonicalText: String {
        switch storage {
        case .malformed(let text): text
        case .bits(let high, let low):
            [
                Self.hexText(high >> 32, digits: 8),
                Self.hexText(high >> 16 & 0xFFFF, digits: 4),
                Self.hexText(high & 0xFFFF, digits: 4),
                Self.hexText(low >> 48, digits: 4),
                Self.hexText(low & 0xFFFF_FFFF_FFFF, digits: 12),
            ].joined(separator: "-")
        }
    }

    private static func parse(_ text: String) -> Storage? {
        let characters = Array(text.utf8)
        switch characters.count {
        case 4, 8:
            guard let value = bits(of: characters[...]) else { return nil }
            return .bits(high: value << 32 | baseHigh, low: baseLow)
        case 36:
            let groups = characters.split(
                separator: UInt8(ascii: "-"),
                omittingEmptySubsequences: false
            )
            guard groups.map(\.count) == [8, 4, 4, 4, 12] else { return nil }
            let values = groups.compactMap(bits(of:))
            guard values.count == 5 else { return nil }
            return .bits(
                high: values[0] << 32 | values[1] << 16 | values[2],
                low: values[3] << 48 | values[4]
            )
        default:
            return nil
        }
    }

    /// The value of at most 16 hexadecimal digits, or `nil` when one of them is none.
    private static func bits(of characters: ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for character in characters {
            guard let digit = Character(Unicode.Scalar(character)).hexDigitValue else { return nil }
            value = value << 4 | UInt64(digit)
        }
        return value
    }

    private static func hexText(_ value: UInt64, digits: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: digits - text.count) + text
    }
}

extension BluetoothUUID: CustomStringConvertible {
    /// The same text as ``uuidString``.
    public var description: String { uuidString }
}

extension String {
    fileprivate func uppercasedUnless(_ isKept: Bool) -> String {
        isKept ? self : uppercased()
    }
}

/// The name this type has in CoreBluetooth.
public typealias CBUUID = BluetoothUUID
