import BluejayCore
import Foundation
import Testing

@Suite("Extraction of values from data")
struct ExtractTests {
    /// The same eight bytes with `startIndex` 0 and 3.
    private static let inputs: [Data] = {
        let bytes: [UInt8] = [0xFE, 0xFF, 0x01, 0x80, 0x00, 0x00, 0x80, 0x3F]
        return [Data(bytes), Data([9, 9, 9] + bytes + [9]).dropFirst(3).dropLast()]
    }()

    @Test("The second input is a slice that does not begin at 0")
    func slices() {
        #expect(Self.inputs.map(\.startIndex) == [0, 3])
        #expect(Self.inputs[0] == Self.inputs[1])
    }

    @Test("Integers are little-endian", arguments: inputs)
    func integers(data: Data) throws {
        #expect(try data.extract(start: 0, length: 1) as UInt8 == 0xFE)
        #expect(try data.extract(start: 0, length: 1) as Int8 == -2)
        #expect(try data.extract(start: 1, length: 2) as UInt16 == 0x01FF)
        #expect(try data.extract(start: 2, length: 2) as Int16 == -32767)
        #expect(try data.extract(start: 0, length: 4) as UInt32 == 0x8001_FFFE)
        #expect(try data.extract(start: 0, length: 4) as Int32 == -0x7FFE_0002)
        #expect(try data.extract(start: 0, length: 8) as UInt64 == 0x3F80_0000_8001_FFFE)
        #expect(try data.extract(start: 0, length: 8) as Int64 == 0x3F80_0000_8001_FFFE)
    }

    @Test("Numbers, Booleans and bytes are extracted from their position", arguments: inputs)
    func otherTypes(data: Data) throws {
        #expect(try data.extract(start: 4, length: 4) as Float == 1)
        #expect(try data.extract(start: 3, length: 1) as Bool)
        #expect(try !(data.extract(start: 4, length: 1) as Bool))
        let bytes: Data = try data.extract(start: 1, length: 3)
        #expect(bytes == Data([0xFF, 0x01, 0x80]))
        #expect(bytes[0] == 0xFF)
        let one: Data = withPadding(Double(1).bitPattern.toBluetoothData())
        #expect(try one.extract(start: 1, length: 8) as Double == 1)
    }

    private func withPadding(_ data: Data) -> Data { Data([7]) + data }

    @Test("Text is decoded as UTF-8, and other bytes are an error")
    func text() throws {
        let data = Data("xé✓\u{0}".utf8) + Data([0xC3, 0x28])
        #expect(try data.extract(start: 1, length: 5) as String == "é✓")
        #expect(try data.extract(start: 6, length: 1) as String == "\u{0}")
        #expect(try data.extract(start: 0, length: 0) as String == "")
        #expect(throws: BluejayError.malformedText) {
            try data.extract(start: 7, length: 2) as String
        }
        #expect(throws: BluejayError.malformedText) {
            try data.extract(start: 1, length: 1) as String
        }
    }

    @Test("A custom type is extracted from its range")
    func ownType() throws {
        let data = Data([0xAA, 0x00, 0x48])
        #expect(
            try data.extract(start: 1, length: 2) as HeartRateReading
                == HeartRateReading(beatsPerMinute: 72)
        )
    }

    @Test("An empty range at the end is valid")
    func emptyPart() throws {
        for data in Self.inputs {
            #expect(try data.extract(start: 8, length: 0) as Data == Data())
        }
    }

    @Test(
        "A range outside the data is an error, also at the limits of Int",
        arguments: [
            (0, 9), (8, 1), (9, 0), (-1, 1), (0, -1), (7, 2), (.max, .max), (.max, 1), (1, .max),
            (.min, .min), (.min, 1), (1, .min),
        ] as [(Int, Int)]
    )
    func outOfBounds(start: Int, length: Int) {
        for data in Self.inputs {
            #expect(throws: BluejayError.dataOutOfBounds(start: start, length: length, count: 8)) {
                try data.extract(start: start, length: length) as Data
            }
            #expect(throws: BluejayError.self) {
                try data.extract(start: start, length: length) as UInt16
            }
        }
    }

    @Test("A length other than the size of the integer is an error")
    func wrongLength() {
        for data in Self.inputs {
            #expect(throws: BluejayError.dataOutOfBounds(start: 0, length: 2, count: 1)) {
                try data.extract(start: 0, length: 1) as UInt16
            }
            #expect(throws: BluejayError.dataOutOfBounds(start: 0, length: 2, count: 3)) {
                try data.extract(start: 0, length: 3) as UInt16
            }
            #expect(throws: BluejayError.dataOutOfBounds(start: 0, length: 1, count: 2)) {
                try data.extract(start: 0, length: 2) as Bool
            }
        }
    }
}
