import BluejayCore
import Foundation
import Testing

@Suite("A heart rate reading")
struct HeartRateReadingTests {
    @Test("The heart rate has 8 or 16 bits")
    func widths() throws {
        #expect(try HeartRateReading(bluetoothData: Data([0, 72])).beatsPerMinute == 72)
        #expect(try HeartRateReading(bluetoothData: Data([1, 0x2C, 1])).beatsPerMinute == 300)
    }

    @Test(
        "The contact status is decoded only if the sensor supports it",
        arguments: [
            (0x00, .notSupported), (0x02, .notSupported), (0x04, .notDetected), (0x06, .detected),
        ] as [(UInt8, HeartRateReading.SensorContact)]
    )
    func contact(flags: UInt8, contact: HeartRateReading.SensorContact) throws {
        #expect(try HeartRateReading(bluetoothData: Data([flags, 60])).sensorContact == contact)
    }

    @Test("All fields are decoded, also from a slice")
    func allFields() throws {
        let bytes: [UInt8] = [0x1F, 0x50, 0x00, 0x34, 0x12, 0x00, 0x04, 0x00, 0x02]
        let expected = HeartRateReading(
            beatsPerMinute: 80,
            sensorContact: .detected,
            energyExpendedInKilojoules: 0x1234,
            rrIntervalsIn1024ths: [1024, 512]
        )
        #expect(try HeartRateReading(bluetoothData: Data(bytes)) == expected)
        #expect(try HeartRateReading(bluetoothData: Data([7, 7] + bytes).dropFirst(2)) == expected)
        #expect(expected.rrIntervals == [.seconds(1), .milliseconds(500)])
    }

    @Test("An interval is exact")
    func exactInterval() {
        let reading = HeartRateReading(beatsPerMinute: 60, rrIntervalsIn1024ths: [1, .max])
        #expect(reading.rrIntervals[0] * 1024 == .seconds(1))
        #expect(reading.rrIntervals[1] * 1024 == .seconds(65535))
    }

    @Test(
        "Bytes after the announced fields are ignored",
        arguments: [
            [0x00, 72, 0, 0, 0, 0, 0, 0], [0x00, 72, 9],
        ] as [[UInt8]]
    )
    func trailingBytes(bytes: [UInt8]) throws {
        #expect(
            try HeartRateReading(bluetoothData: Data(bytes)) == HeartRateReading(beatsPerMinute: 72)
        )
    }

    @Test("The list of intervals may be empty, and a single trailing byte is ignored")
    func intervals() throws {
        for bytes in [[0x10, 72], [0x10, 72, 9]] as [[UInt8]] {
            let reading = try HeartRateReading(bluetoothData: Data(bytes))
            #expect(reading == HeartRateReading(beatsPerMinute: 72))
        }
        let reading = try HeartRateReading(bluetoothData: Data([0x10, 0x3E, 0xB1, 0x03, 0xDE]))
        #expect(reading == HeartRateReading(beatsPerMinute: 62, rrIntervalsIn1024ths: [945]))
    }

    @Test(
        "A value without an announced field is an error",
        arguments: [
            ([], 0, 1), ([0x00], 1, 1), ([0x01], 1, 2), ([0x01, 72], 1, 2), ([0x08, 72], 2, 2),
            ([0x08, 72, 1], 2, 2), ([0x09, 72, 0, 1], 3, 2),
        ] as [([UInt8], Int, Int)]
    )
    func short(bytes: [UInt8], start: Int, length: Int) {
        let error = BluejayError.dataOutOfBounds(start: start, length: length, count: bytes.count)
        #expect(throws: error) { try HeartRateReading(bluetoothData: Data(bytes)) }
    }

    @Test("The shortest encoding is sent")
    func encoding() {
        #expect(HeartRateReading(beatsPerMinute: 72).toBluetoothData() == Data([0, 72]))
        #expect(HeartRateReading(beatsPerMinute: 255).toBluetoothData() == Data([0, 255]))
        #expect(HeartRateReading(beatsPerMinute: 256).toBluetoothData() == Data([1, 0, 1]))
    }

    @Test("Every combination of fields survives a round trip")
    func roundTrip() throws {
        for rate: UInt16 in [0, 72, 255, 256, .max] {
            for contact: HeartRateReading.SensorContact in [.notSupported, .notDetected, .detected]
            {
                for energy: UInt16? in [nil, 0, .max] {
                    for intervals: [UInt16] in [[], [1024], [0, .max, 513]] {
                        let reading = HeartRateReading(
                            beatsPerMinute: rate,
                            sensorContact: contact,
                            energyExpendedInKilojoules: energy,
                            rrIntervalsIn1024ths: intervals
                        )
                        let data = reading.toBluetoothData()
                        #expect(try HeartRateReading(bluetoothData: data) == reading)
                    }
                }
            }
        }
    }
}
