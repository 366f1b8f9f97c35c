import Bluejay
import Foundation
import Testing

/// A value of six bytes inside other memory, so that reads beyond it are detected.
private let slice = Data([0xEE, 0xEE, 1, 2, 3, 4, 5, 6, 0xEE, 0xEE]).dropFirst(2).dropLast(2)

@Suite("Traps of values and identifiers")
struct ValueTrapTests {
    @Test("A range outside the data, or of another size than the type, is an error")
    func extractIsChecked() throws {
        #expect(try slice.extract(start: 1, length: 2) as UInt16 == 0x0302)
        #expect(try slice.extract(start: 1, length: 2) as Data == Data([2, 3]))
        #expect(try slice.extract(start: 0, length: 4) as String == "\u{1}\u{2}\u{3}\u{4}")
        let wrong: [(start: Int, length: Int)] = [
            (-1, 2), (5, 2), (6, 2), (7, 0), (0, -1), (.max, 2), (2, .max), (.max, .max), (.min, 2),
        ]
        for (start, length) in wrong {
            let error = BluejayError.dataOutOfBounds(start: start, length: length, count: 6)
            #expect(throws: error) { try slice.extract(start: start, length: length) as UInt16 }
            #expect(throws: error) { try slice.extract(start: start, length: length) as Data }
            #expect(throws: error) { try slice.extract(start: start, length: length) as String }
        }
        for length in [0, 1, 3, 6] {
            #expect(throws: BluejayError.dataOutOfBounds(start: 0, length: 2, count: length)) {
                try slice.extract(start: 0, length: length) as UInt16
            }
            #expect(throws: BluejayError.dataOutOfBounds(start: 0, length: 4, count: length)) {
                try slice.extract(start: 0, length: length) as Float
            }
        }
    }

    @Test("Equal identifiers have the same hash, whatever their names")
    func equalIdentifiersHashEqually() {
        let uuid = UUID()
        let names: [String?] = ["One", "Two", "", nil]
        let identifiers = names.map { PeripheralIdentifier(uuid: uuid, name: $0) }
        #expect(Set(identifiers).count == 1)
        #expect(Set(identifiers.map(\.hashValue)).count == 1)
        #expect([identifiers[0]: 1][identifiers[3]] == 1)
        #expect(identifiers[0] != PeripheralIdentifier(uuid: UUID(), name: "One"))
    }

    @Test(
        "Bytes that are not UTF-8 throw an error instead of trapping",
        arguments: [
            // A lone continuation, a cut and an overlong sequence, a surrogate, beyond Unicode.
            [0x80], [0xE2, 0x9C], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
            [0xFF],
        ] as [[UInt8]]
    )
    func malformedText(bytes: [UInt8]) {
        let data = Data("ok".utf8) + Data(bytes)
        #expect(throws: BluejayError.malformedText) { try String(bluetoothData: data) }
        #expect(throws: BluejayError.malformedText) {
            try data.extract(start: 2, length: bytes.count) as String
        }
    }

    @Test("Data of another length is not an integer, and integers are little-endian")
    func integersAreChecked() throws {
        func check<Value: BluetoothInteger>(_ type: Value.Type) {
            let size = Value.bitWidth / 8
            for count in 0...9 where count != size {
                let error = BluejayError.dataOutOfBounds(start: 0, length: size, count: count)
                #expect(throws: error) { try Value(bluetoothData: Data(count: count)) }
            }
        }
        check(Int8.self)
        check(Int16.self)
        check(Int32.self)
        check(Int64.self)
        check(UInt8.self)
        check(UInt16.self)
        check(UInt32.self)
        check(UInt64.self)
        #expect(try UInt32(bluetoothData: Data([1, 2, 3, 4])) == 0x0403_0201)
        #expect(UInt32(0x0403_0201).toBluetoothData() == Data([1, 2, 3, 4]))
        let others: [Any] = [Int(1), UInt(1)]
        #expect(!others.contains { $0 is any Receivable || $0 is any BluetoothSendable })
    }

    @Test(
        "A reading without an announced field is an error; half an interval is padding"
    )
    func heartRateIsChecked() throws {
        let whole = HeartRateReading(
            beatsPerMinute: 300,
            sensorContact: .detected,
            energyExpendedInKilojoules: 7,
            rrIntervalsIn1024ths: [900, 1000]
        )
        let bytes = whole.toBluetoothData()
        #expect(bytes.count == 9)
        #expect(try HeartRateReading(bluetoothData: bytes) == whole)
        // From 5 bytes on, the list of intervals contains the complete ones; below, a field is truncated.
        for count in 5...9 {
            let reading = try HeartRateReading(bluetoothData: bytes.prefix(count))
            #expect(
                reading.rrIntervalsIn1024ths == Array([900, 1000].prefix((count - 5) / 2))
            )
        }
        for count in 0...4 {
            let start = [0: 0, 1: 1, 2: 1, 3: 3, 4: 3][count] ?? -1
            let length = count == 0 ? 1 : 2
            let error = BluejayError.dataOutOfBounds(start: start, length: length, count: count)
            #expect(throws: error) { try HeartRateReading(bluetoothData: bytes.prefix(count)) }
        }
    }

    @Test("An identifier created after a renaming has the new name and equals the old one")
    func renamed() throws {
        let address = "C4:7C:8D:6A:1F:02"
        let before = try PeripheralIdentifier(address: address, isRandomAddress: true, name: "Old")
        let after = try PeripheralIdentifier(address: address, isRandomAddress: true, name: "New")
        #expect(before == after)
        #expect(after.name == "New")
        var known: Set = [before]
        #expect(known.update(with: after)?.name == "Old")
        #expect(known.map(\.name) == ["New"])
    }

    @Test("Text that is not a UUID throws an error instead of trapping")
    func malformedUUID() throws {
        let service = ServiceIdentifier(uuid: "no UUID")
        #expect(service.uuid.isMalformed)
        #expect(throws: BluejayError.malformedUUID("no UUID")) { try service.validated() }
        #expect(throws: BluejayError.malformedUUID("no UUID")) {
            try ServiceIdentifier(validating: "no UUID")
        }
        let characteristic = CharacteristicIdentifier(uuid: "2A3", service: .heartRate)
        #expect(throws: BluejayError.malformedUUID("2A3")) { try characteristic.validated() }
        #expect(throws: BluejayError.malformedUUID("2A3")) {
            try CharacteristicIdentifier(validating: "2A3", service: .heartRate)
        }
    }

    @Test("A UUID equals its long form, in either case")
    func longForm() {
        let long = "0000180d-0000-1000-8000-00805F9B34FB"
        #expect(ServiceIdentifier(uuid: "180D") == ServiceIdentifier(uuid: long))
        #expect(Set([ServiceIdentifier(uuid: "180d"), ServiceIdentifier(uuid: long)]).count == 1)
        #expect(
            CharacteristicIdentifier(uuid: "2A37", service: ServiceIdentifier(uuid: long))
                == .heartRateMeasurement
        )
    }
}
