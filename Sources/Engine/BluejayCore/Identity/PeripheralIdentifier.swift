public import FoundationEssentials

/// Identifies a peripheral, in this process and after a restart.
///
/// Two identifiers are equal if their UUIDs are; the name is for people. An identifier from an address alone,
/// such as `"C4:7C:8D:6A:1F:02"`, equals those with the same address, public or random.
///
/// BlueZ identifies devices by address, so the UUID is created from the address and can be converted
/// back. It is a UUID of version 8 (RFC 9562, 5.8) with these octets:
///
/// | Octets | Value |
/// | --- | --- |
/// | 0–5 | the address in printed order |
/// | 6 | `0x80` for a public address, `0x81` for a random one, `0x82` if the type is not known |
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

    /// A literal that is not an address, or `nil`.
    private let malformedText: String?

    /// Creates an identifier from a UUID that was stored earlier.
    public init(uuid: UUID, name: String?) {
        self.init(uuid: uuid, name: name, malformedText: nil)
    }

    private init(uuid: UUID, name: String?, malformedText: String?) {
        self.uuid = uuid
        self.name = name ?? "No Name"
        self.malformedText = malformedText
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

    /// Creates an identifier from an address alone.
    ///
    /// A call finds out whether the address is public or random: bluetoothd knows it, or a search of
    /// `connect` finds it. The identifiers that calls return have the type.
    ///
    /// A literal does the same: `bluejay.connect("C4:7C:8D:6A:1F:02")`.
    ///
    /// - Parameters:
    ///   - address: Six pairs of hexadecimal digits in either case, with colons or hyphens between them.
    ///   - name: The name to show.
    /// - Throws: ``BluejayError/malformedAddress(_:)``.
    public init(address: String, name: String? = nil) throws {
        guard let parsed = DeviceAddress(address, kind: .random) else {
            throw BluejayError.malformedAddress(address)
        }
        self.init(uuid: Self.uuid(for: parsed, .unknown), name: name)
    }

    /// Creates an identifier from an address reported by BlueZ.
    package init(address: DeviceAddress, name: String?) {
        self.init(uuid: Self.uuid(for: address, Kind(address.kind)), name: name)
    }

    /// The address, such as `C4:7C:8D:6A:1F:02`, or `nil` if the UUID was not created from one.
    public var address: String? { layout?.address.text }

    /// Whether the address is random, or `nil` if its type is not known or the UUID was not created from an
    /// address.
    public var isRandomAddress: Bool? { deviceAddress.map { $0.kind == .random } }

    /// The address in the UUID, or `nil` for any other UUID, and if the type of the address is not known.
    package var deviceAddress: DeviceAddress? {
        layout.flatMap { $0.kind == .unknown ? nil : $0.address }
    }

    /// The addresses that the identifier may mean: one, or a random and a public one.
    package var possibleAddresses: [DeviceAddress] {
        guard let layout else { return [] }
        guard layout.kind == .unknown else { return [layout.address] }
        return DeviceAddress.Kind.allCases.reversed().compactMap {
            DeviceAddress(octets: layout.address.octets, kind: $0)
        }
    }

    /// The reason why the identifier means no peripheral of BlueZ, or `nil`.
    package var rejection: BluejayError? {
        if let malformedText { return .malformedAddress(malformedText) }
        return layout == nil ? .unexpectedPeripheral(self) : nil
    }

    /// The type of the address in octet 6.
    private enum Kind: UInt8 {
        case `public` = 0x80
        case random = 0x81
        case unknown = 0x82

        init(_ kind: DeviceAddress.Kind) {
            self = kind == .random ? .random : .public
        }
    }

    /// The address in the UUID, whose type is that of `kind` if it is known; `nil` for any other UUID.
    private var layout: (address: DeviceAddress, kind: Kind)? {
        let o = uuid.uuid
        guard malformedText == nil, let kind = Kind(rawValue: o.6),
            let address = DeviceAddress(
                octets: [o.0, o.1, o.2, o.3, o.4, o.5],
                kind: kind == .public ? .public : .random
            ),
            uuid == Self.uuid(for: address, kind)
        else { return nil }
        return (address, kind)
    }

    /// Returns the UUID of an address in the layout described above.
    private static func uuid(for address: DeviceAddress, _ kind: Kind) -> UUID {
        UUID(
            uuid: (
                address.octet(0), address.octet(1), address.octet(2), address.octet(3),
                address.octet(4), address.octet(5), kind.rawValue, 0x01,
                0x80, UInt8(ascii: "b"), UInt8(ascii: "l"), UInt8(ascii: "u"), UInt8(ascii: "e"),
                UInt8(ascii: "j"), UInt8(ascii: "a"), UInt8(ascii: "y")
            )
        )
    }
}

extension PeripheralIdentifier: ExpressibleByStringLiteral {
    /// Creates an identifier from a literal such as `"C4:7C:8D:6A:1F:02"`, like ``init(address:name:)``.
    ///
    /// Never fails: for a literal that is not an address, the first call that uses the identifier fails with
    /// ``BluejayError/malformedAddress(_:)``.
    public init(stringLiteral text: String) {
        if let identifier = try? PeripheralIdentifier(address: text) {
            self = identifier
        } else {
            let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
            self.init(uuid: zero, name: text, malformedText: text)
        }
    }
}

extension PeripheralIdentifier: Hashable {
    /// Compares the UUIDs only, or the addresses if one has an unknown type.
    public static func == (left: PeripheralIdentifier, right: PeripheralIdentifier) -> Bool {
        guard left.malformedText == nil, right.malformedText == nil else {
            return left.malformedText == right.malformedText
        }
        if left.uuid == right.uuid { return true }
        guard left.isOfUnknownKind || right.isOfUnknownKind, let address = left.layout?.address
        else { return false }
        return address.octets == right.layout?.address.octets
    }

    /// Hashes the first octets of the UUID, which equal identifiers have in common.
    public func hash(into hasher: inout Hasher) {
        let o = uuid.uuid
        for octet in [o.0, o.1, o.2, o.3, o.4, o.5] { hasher.combine(octet) }
    }

    private var isOfUnknownKind: Bool { uuid.uuid.6 == Kind.unknown.rawValue }
}

extension PeripheralIdentifier: CustomStringConvertible {
    /// The name with the address, or with the UUID if that was not created from an address.
    ///
    /// Line breaks and terminal control codes in the name are shown as `\u{1B}`, which makes the text
    /// safe for a log line.
    public var description: String {
        if let malformedText { return malformedText.displayText }
        return "\(name.displayText) (\(address ?? uuid.uuidString))"
    }
}
