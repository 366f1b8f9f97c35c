/// Hexadecimal text of a fixed number of digits, as Bluetooth uses it.
package enum Hexadecimal {
    /// Returns `count` digits of a number, highest first; excess high digits are dropped.
    package static func text(_ value: UInt64, digits count: Int, isUppercase: Bool) -> String {
        var characters: [UInt8] = []
        characters.reserveCapacity(count)
        append(value, digits: count, isUppercase: isUppercase, to: &characters)
        return String(decoding: characters, as: UTF8.self)
    }

    /// Appends the digits of a number as ASCII, highest first.
    package static func append(
        _ value: UInt64,
        digits count: Int,
        isUppercase: Bool,
        to characters: inout [UInt8]
    ) {
        for place in stride(from: count - 1, through: 0, by: -1) {
            let digit = UInt8(truncatingIfNeeded: value >> UInt64(4 * place)) & 0xF
            let letters = isUppercase ? UInt8(ascii: "A") : UInt8(ascii: "a")
            characters.append(digit < 10 ? UInt8(ascii: "0") + digit : letters + digit - 10)
        }
    }

    /// Returns the value of an ASCII digit in either case, or `nil` for any other character.
    @inline(__always)
    package static func value(_ character: UInt8) -> UInt64? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(character - UInt8(ascii: "0"))
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(character - UInt8(ascii: "A") + 10)
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(character - UInt8(ascii: "a") + 10)
        default: nil
        }
    }
}
