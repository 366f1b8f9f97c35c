public import FoundationEssentials

/// Identifies a peripheral, in this process and after a restart.
///
/// Two identifiers are equal if their UUIDs are; the name is for people.
///
/// BlueZ identifies devices by address, so the UUID is created from the address and can be converted
/// back. It is a UUID of version 8 (RFC 9562, 5.8) with these octets:
///
/// | Octets | Value |
/// | --- | --- |
/// | 0–5 | the address in printed order |
/// | 6 | `0x80` for a public address, `0x81` for a random one |
/// | 7 | `0x01`, the version of this layout |
/// | 8 | `0x80`, the variant |
/// | 9–15 | `bluejay` in ASCII |
///
/// A UUID with any other layout has no ``address`` and matches no peripheral of BlueZ.
public struct PeripheralIdentifier: Swift.Sendable {
    /// The UUID that represents the peripheral's address.
    public let uuid: UUID

    /// The name of the peripheral when this identifier was created, or `No Name`.
    ///
    /// Unfiltered text from the air: it may contain line breaks and terminal control codes, which
    /// ``description`` escapes.
    public let name: String

    /// Creates an identifier from a UUID that was stored earlier.
    public init(uuid: UUID, name: String?) {
        self.uuid = uuid
        self.name = name ?? "No Name"
    }

    /// Creates an identifier from an address, for a peripheral that has not been discovered.
    ///
    /// - Parameters:
    ///   - address: Six pairs of hexadecimal digits, such as `C4:7C:8D:6A:1F:02`.
    ///   - isRandomAddress: Whether the address is random (most LE peripherals) or public.
    ///   - name: The name to show.
    /// - Throws: ``BluejayError/malformedAddress(_:)``.
    public init(address: String, isRandomAddress: Bool, name: String?) throws {
        guard let parsed = DeviceAddress(address, kind: isRandomAddress ? .random : .public)
        else { throw BluejayError.malformedAddress(address) }
        self.init(address: parsed, name: name)
    }

    /// Creates an identifier from an address reported by BlueZ.
    package init(address: DeviceAddress, name: String?) {
        self.init(uuid: Self.uuid(for: address), name: name)
    }

    /// The address, such as `C4:7C:8D:6A:1F:02`, or `nil` if the UUID was not created from one.
    public var address: String? { deviceAddress?.text }

    /// Whether the address is random, or `nil` if the UUID was not created from an address.
    public var isRandomAddress: Bool? { deviceAddress.map { $0.kind == .random } }

    /// The address in the UUID, or `nil` for any other UUID.
    package var deviceAddress: DeviceAddress? {
        let o = uuid.uuid
        let kind: DeviceAddress.Kind = o.6 & 1 == 1 ? .random : .public
        guard let address = DeviceAddress(octets: [o.0, o.1, o.2, o.3, o.4, o.5], kind: kind),
            uuid == Self.uuid(for: address)
        else { return nil }
        return address
    }

    /// Returns the UUID of an address in the layout described above.
    private static func uuid(for address: DeviceAddress) -> UUID {
        UUID(
            uuid: (
                address.octet(0), address.octet(1), address.octet(2), address.octet(3),
                address.octet(4), address.octet(5), address.kind == .random ? 0x81 : 0x80, 0x01,
                0x80, UInt8(ascii: "b"), UInt8(ascii: "l"), UInt8(ascii: "u"), UInt8(ascii: "e"),
                UInt8(ascii: "j"), UInt8(ascii: "a"), UInt8(ascii: "y")
            )
        )
    }
}

extension PeripheralIdentifier: Hashable {
    /// Compares the UUIDs only.
    public static func == (left: PeripheralIdentifier, right: PeripheralIdentifier) -> Bool {
        left.uuid == right.uuid
    }

    /// Hashes the UUID only, in accordance with equality.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(uuid)
    }
}

extension PeripheralIdentifier: CustomStringConvertible {
    /// The name with the address, or with the UUID if that was not created from an address.
    ///
    /// Line breaks and terminal control codes in the name are shown as `\u{1B}`, which makes the text
    /// safe for a log line.
    public var description: String { "\(name.displayText) (\(address ?? uuid.uuidString))" }
}
