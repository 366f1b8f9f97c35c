import Bluejay
import Foundation
import Testing

@Suite("Values that are sent and received directly")
struct TransferableTests {
    private func roundTrip<Value: BluetoothInteger>(_ type: Value.Type) throws {
        let size = Value.bitWidth / 8
        let values: [Value] = [.min, .max, 0, 1, .max / 3]
        for value in values {
            let data = value.toBluetoothData()
            #expect(data.count == size)
            #expect(try Value(bluetoothData: data) == value)
            #expect(try Value(bluetoothData: (Data([1, 2]) + data).dropFirst(2)) == value)
        }
        for count in [0, size - 1, size + 1] {
            let error = BluejayError.dataOutOfBounds(start: 0, length: size, count: count)
            #expect(throws: error) { try Value(bluetoothData: Data(count: count)) }
        }
    }

    @Test("Integers survive a round trip, and other lengths are an error")
    func integers() throws {
        try roundTrip(Int8.self)
        try roundTrip(Int16.self)
        try roundTrip(Int32.self)
        try roundTrip(Int64.self)
        try roundTrip(UInt8.self)
        try roundTrip(UInt16.self)
        try roundTrip(UInt32.self)
        try roundTrip(UInt64.self)
    }

    @Test("The lowest byte is sent first")
    func byteOrder() {
        #expect(UInt32(0x0102_0304).toBluetoothData() == Data([4, 3, 2, 1]))
        #expect(Int16(-2).toBluetoothData() == Data([0xFE, 0xFF]))
    }

    @Test("Int and UInt are neither sent nor received")
    func ambiguousWidths() {
        let values: [Any] = [Int(1), UInt(1)]
        #expect(!values.contains { $0 is any BluetoothSendable || $0 is any Receivable })
    }

    @Test("A received slice of data begins at 0")
    func dataSlice() {
        let received = Data(bluetoothData: Data([1, 2, 3]).dropFirst())
        #expect(received == Data([2, 3]))
        #expect(received[0] == 2)
        #expect(received.toBluetoothData() == received)
    }

    @Test("Text survives a round trip, and bytes that are not UTF-8 are an error")
    func text() throws {
        let text = "Ear Lobe é✓"
        #expect(try String(bluetoothData: text.toBluetoothData()) == text)
        #expect(throws: BluejayError.malformedText) {
            try String(bluetoothData: Data([0xFF, 0xFE]))
        }
    }

    @Test("Values are combined in order")
    func combined() {
        let data = combine([UInt8(1), DataPadding(2), UInt16(0x0302), "A", Data([9])])
        #expect(data == Data([1, 0, 0, 2, 3, 0x41, 9]))
        #expect(combine([]) == Data())
    }

    @Test("A negative padding is empty", arguments: [0, -1, .min])
    func padding(amount: Int) {
        #expect(DataPadding(amount).toBluetoothData().isEmpty)
    }
}
