/// The address of a Bluetooth device: six octets and whether they are public or random.
///
/// Two devices may have the same octets with different kinds, so equality compares both.
package struct DeviceAddress: Hashable, Swift.Sendable {
    /// The origin of the address.
    ///
    /// `rawValue` is the text of `Device1.AddressType`.
    package enum Kind: String, Hashable, Swift.Sendable, CaseIterable {
        /// Registered with the IEEE; never changes.
        case `public`
        /// Chosen by the device: static, or private and changing.
        case random
    }

    /// The six octets in printed order, the first in bits 40 to 47; bit 48 is set in a random address.
    ///
    /// A single number, because every report of a scan compares addresses.
    private let bits: UInt64

    private init(bits: UInt64, kind: Kind) {
        self.bits = kind == .random ? bits | 1 << 48 : bits
    }

    package var kind: Kind { bits >> 48 == 0 ? .public : .random }

    /// Creates an address from six octets in printed order; fails for any other number of octets.
    package init?(octets: [UInt8], kind: Kind) {
        guard octets.count == 6 else { return nil }
        self.init(bits: octets.reduce(0) { $0 << 8 | UInt64($1) }, kind: kind)
    }

    /// Reads an address in BlueZ's notation, such as `C4:7C:8D:6A:1F:02`, or with hyphens.
    ///
    /// Accepts upper and lower case; fails for anything other than six pairs of hexadecimal digits
    /// separated by colons, or by hyphens.
    package init?(_ text: String, kind: Kind) {
        guard text.utf8.count == 17 else { return nil }
        var bits: UInt64 = 0
        var separator: UInt8?
        var place = 0
        for character in text.utf8 {
            if place % 3 == 2 {
                let isSeparator =
                    separator.map { $0 == character }
                    ?? (character == UInt8(ascii: ":") || character == UInt8(ascii: "-"))
                guard isSeparator else { return nil }
                separator = character
            } else {
                guard let digit = Hexadecimal.value(character) else { return nil }
                bits = bits << 4 | digit
            }
            place += 1
        }
        self.init(bits: bits, kind: kind)
    }

    /// Returns one of the six octets; 0 is the first in printed order.
    package func octet(_ index: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: bits >> UInt64(40 - 8 * index))
    }

    /// The six octets in printed order.
    package var octets: [UInt8] { (0..<6).map(octet) }

    /// The address in BlueZ's notation: upper case, with colons.
    package var text: String {
        var characters: [UInt8] = []
        characters.reserveCapacity(17)
        for index in 0..<6 {
            if index > 0 { characters.append(UInt8(ascii: ":")) }
            Hexadecimal.append(
                UInt64(octet(index)),
                digits: 2,
                isUppercase: true,
                to: &characters
            )
        }
        return String(decoding: characters, as: UTF8.self)
    }
}

extension DeviceAddress: CustomStringConvertible {
    package var description: String { text }
}
