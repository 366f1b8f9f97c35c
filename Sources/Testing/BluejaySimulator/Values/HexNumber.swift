/// Hexadecimal numbers in bluetoothd's paths, addresses and errors.
enum HexNumber {
    /// Formats a number in lower case, padded with zeros.
    static func text(_ value: some UnsignedInteger, digits count: Int) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
