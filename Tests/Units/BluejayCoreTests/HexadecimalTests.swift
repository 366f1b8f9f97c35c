import BluejayCore
import Testing

@Suite("Hexadecimal digits")
struct HexadecimalTests {
    @Test(
        "A number is printed with the requested number of digits, in the requested case",
        arguments: [
            (0x0, 1, "0", "0"), (0xA, 2, "0a", "0A"), (0x180D, 4, "180d", "180D"),
            (0x9F, 4, "009f", "009F"), (0x1_2345, 4, "2345", "2345"), (0xFF, 0, "", ""),
            (UInt64.max, 16, "ffffffffffffffff", "FFFFFFFFFFFFFFFF"),
        ] as [(UInt64, Int, String, String)]
    )
    func text(value: UInt64, digits: Int, lower: String, upper: String) {
        #expect(Hexadecimal.text(value, digits: digits, isUppercase: false) == lower)
        #expect(Hexadecimal.text(value, digits: digits, isUppercase: true) == upper)
    }

    @Test("Exactly the twenty-two digits have a value, which equals Swift's")
    func values() {
        for character in UInt8.min...UInt8.max {
            let swift = character < 0x80 ? Character(Unicode.Scalar(character)).hexDigitValue : nil
            #expect(Hexadecimal.value(character) == swift.map { UInt64($0) })
        }
    }
}
