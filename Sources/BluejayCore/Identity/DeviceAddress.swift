/// The address of a Bluetooth device: six octets and whether they are public or random.
///
/// Two devices may carry the same six octets with different kinds, so both take part in
/// equality.
package struct DeviceAddress: Hashable, Swift.Sendable {
    /// Who hands the address out.
    ///
    /// `rawValue` is the text of `Device1.AddressType`.
    package enum Kind: String, Hashable, Swift.Sendable, CaseIterable {
        /// Registered with the IEEE and never changing.
        case `public`
        /// Chosen by the device: static, or private and changing.
        case random
    }

    /// Whether the address is public or random.
    package let kind: Kind

    /// The six octets in printed order, the first in bits 40 to 47.
    private let bits: UInt64

    /// Makes an address from six octets in printed order, or `nil` for any other number.
    package init?(octets: [UInt8], kind: Kind) {
        guard octets.count == 6 else { return nil }
        bits = octets.reduce(0) { $0 << 8 | UInt64($1) }
        self.kind = kind
    }

    /// Reads an address as BlueZ prints it, such as `C4:7C:8D:6A:1F:02`.
    ///
    /// Upper and lower case are both read; anything else than six pairs of hexadecimal digits
    /// between five colons is refused.
    package init?(_ text: String, kind: Kind) {
        let pairs = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard pairs.count == 6 else { return nil }
        var octets: [UInt8] = []
        for pair in pairs {
            let digits = pair.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
            guard pair.count == 2, digits.count == 2 else { return nil }
            octets.append(UInt8(digits[0] << 4 | digits[1]))
        }
        self.init(octets: octets, kind: kind)
    }

    /// The six octets in printed order.
    package var octets: [UInt8] {
        (0..<6).map { UInt8(truncatingIfNeeded: bits >> (40 - 8 * $0)) }
    }

    /// The address as BlueZ prints it: upper case, with colons.
    package var text: String {
        octets.map { octet in
            let digits = String(octet, radix: 16, uppercase: true)
            return digits.count == 2 ? digits : "0" + digits
        }.joined(separator: ":")
    }
}

extension DeviceAddress: CustomStringConvertible {
    package var description: String { text }
}
