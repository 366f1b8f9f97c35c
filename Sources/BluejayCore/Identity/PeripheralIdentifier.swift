public import Foundation

/// Names a peripheral, in this process and after a restart.
///
/// Two identifiers are equal when their UUIDs are; the name is for people.
///
/// BlueZ knows devices by address, so the UUID is made from the address and can be turned back
/// into it. It is a UUID of version 8 (RFC 9562, 5.8) with these octets:
///
/// | Octets | Value |
/// | --- | --- |
/// | 0–5 | the address in printed order |
/// | 6 | `0x80` for a public address, `0x81` for a random one |
/// | 7 | `0x01`, the version of this layout |
/// | 8 | `0x80`, the variant |
/// | 9–15 | `bluejay` in ASCII |
///
/// A UUID that differs in any of them has no ``address`` and belongs to no peripheral of BlueZ.
public struct PeripheralIdentifier: Swift.Sendable {
    /// The UUID that stands for the peripheral's address.
    public let uuid: UUID

    /// The name the peripheral had when this identifier was made, or `No Name`.
    public let name: String

    /// Makes an identifier from a UUID that was stored earlier.
    public init(uuid: UUID, name: String?) {
        self.uuid = uuid
        self.name = name ?? "No Name"
    }

    /// Makes an identifier from an address, for a peripheral that need not be discovered first.
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

    /// Makes an identifier from an address as BlueZ reports it.
    package init(address: DeviceAddress, name: String?) {
        self.init(uuid: Self.uuid(for: address), name: name)
    }

    /// The address, such as `C4:7C:8D:6A:1F:02`, or `nil` when the UUID was not made from one.
    public var address: String? { deviceAddress?.text }

    /// Whether the address is random, or `nil` when the UUID was not made from an address.
    public var isRandomAddress: Bool? { deviceAddress.map { $0.kind == .random } }

    /// The address the UUID was made from, or `nil` for any other UUID.
    package var deviceAddress: DeviceAddress? {
        let octets = Self.octets(of: uuid)
        let kind: DeviceAddress.Kind = octets[6] & 1 == 1 ? .random : .public
        guard let address = DeviceAddress(octets: Array(octets[..<6]), kind: kind),
            octets == Self.octets(for: address)
        else { return nil }
        return address
    }

    /// The sixteen octets that stand for an address; the table above is this array.
    private static func octets(for address: DeviceAddress) -> [UInt8] {
        let versionAndKind: UInt8 = address.kind == .random ? 0x81 : 0x80
        return address.octets + [versionAndKind, 0x01, 0x80] + Array("bluejay".utf8)
    }

    private static func uuid(for address: DeviceAddress) -> UUID {
        let o = octets(for: address)
        return UUID(
            uuid: (
                o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7],
                o[8], o[9], o[10], o[11], o[12], o[13], o[14], o[15]
            )
        )
    }

    private static func octets(of uuid: UUID) -> [UInt8] {
        let t = uuid.uuid
        return [
            t.0, t.1, t.2, t.3, t.4, t.5, t.6, t.7,
            t.8, t.9, t.10, t.11, t.12, t.13, t.14, t.15,
        ]
    }
}

extension PeripheralIdentifier: Hashable {
    /// Compares the UUIDs alone.
    public static func == (left: PeripheralIdentifier, right: PeripheralIdentifier) -> Bool {
        left.uuid == right.uuid
    }

    /// Feeds the UUID alone, as equality does.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(uuid)
    }
}

extension PeripheralIdentifier: CustomStringConvertible {
    /// The name with the address, or with the UUID when that was not made from an address.
    public var description: String { "\(name) (\(address ?? uuid.uuidString))" }
}
