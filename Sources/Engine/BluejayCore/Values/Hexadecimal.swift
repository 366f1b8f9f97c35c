/// Hexadecimal digits as they stand in texts of Bluetooth: a fixed number of them, zeros included.
package enum Hexadecimal {
    /// The digits of a number, the highest first.
    ///
    /// - Parameters:
    ///   - value: What does not fit is cut off at the high end.
    ///   - count: How many digits.
    ///   - isUppercase: Whether `A` is written rather than `a`.
    /// - Returns: The text.
    package static func text(_ value: UInt64, digits count: Int, isUppercase: Bool) -> String {
        var characters: [UInt8] = []
        characters.reserveCapacity(count)
        append(value, digits: count, isUppercase: isUppercase, to: &characters)
        return String(decoding: characters, as: UTF8.self)
    }

    /// Appends the digits of a number as ASCII, the highest first.
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

    /// The value of an ASCII character, in either case; nil for one that is no digit.
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
