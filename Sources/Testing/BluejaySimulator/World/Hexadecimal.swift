/// Numbers as paths, addresses and errors of bluetoothd show them.
enum Hexadecimal {
    /// The lower-case digits of a number, filled up with zeros.
    static func text(_ value: some UnsignedInteger, digits count: Int) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
