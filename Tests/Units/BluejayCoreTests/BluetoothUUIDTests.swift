import BluejayCore
import Foundation
import Testing

@Suite("A Bluetooth UUID")
struct BluetoothUUIDTests {
    @Test(
        "Every spelling of an assigned number is the same value",
        arguments: [
            "180D", "180d", "0000180D", "0000180d", "0000180D-0000-1000-8000-00805F9B34FB",
            "0000180d-0000-1000-8000-00805f9b34fb",
        ]
    )
    func spellings(text: String) {
        let uuid = BluetoothUUID(string: text)
        #expect(uuid == BluetoothUUID(uint16: 0x180D))
        #expect(uuid.hashValue == BluetoothUUID(uint32: 0x180D).hashValue)
        #expect(uuid.uuidString == "180D")
        #expect(uuid.description == "180D")
        #expect(uuid.canonicalText == "0000180d-0000-1000-8000-00805f9b34fb")
        #expect(!uuid.isMalformed)
    }

    @Test("An assigned 32-bit number has eight digits")
    func longNumber() {
        let uuid = BluetoothUUID(uint32: 0x0123_4567)
        #expect(uuid.uuidString == "01234567")
        #expect(uuid.canonicalText == "01234567-0000-1000-8000-00805f9b34fb")
        #expect(uuid == BluetoothUUID(string: "01234567"))
    }

    @Test("Leading zeros are printed")
    func leadingZeros() {
        #expect(BluetoothUUID(uint16: 1).uuidString == "0001")
        #expect(BluetoothUUID(uint16: 1).canonicalText == "00000001-0000-1000-8000-00805f9b34fb")
        #expect(
            BluetoothUUID(string: "00000000-0000-0000-0000-000000000001").uuidString
                == "00000000-0000-0000-0000-000000000001"
        )
    }

    @Test("A 128-bit UUID is printed in full, in upper case")
    func customUUID() throws {
        let text = "CED261B7-F120-41C8-9A92-A41DE69CF2A8"
        let uuid = BluetoothUUID(string: text.lowercased())
        #expect(uuid.uuidString == text)
        #expect(uuid.canonicalText == text.lowercased())
        #expect(BluetoothUUID(try #require(UUID(uuidString: text))) == uuid)
    }

    @Test(
        "A UUID that differs from the base UUID in one group is not shortened",
        arguments: [
            "0000180D-0001-1000-8000-00805F9B34FB", "0000180D-0000-1001-8000-00805F9B34FB",
            "0000180D-0000-1000-8001-00805F9B34FB", "0000180D-0000-1000-8000-00805F9B34FC",
        ]
    )
    func nearTheBase(text: String) {
        #expect(BluetoothUUID(string: text).uuidString == text)
        #expect(BluetoothUUID(string: text) != BluetoothUUID(uint16: 0x180D))
    }

    @Test(
        "Malformed text is stored, and thrown as an error on use",
        arguments: [
            "", "180", "180DD", "18 D", "+80D", "0x180D", "180G", "１８０Ｄ",
            "0000180D00001000800000805F9B34FB", "0000180D-0000-1000-8000-00805F9B34F",
            "0000180D-0000-1000-8000-00805F9B34FBA", "0000180D_0000-1000-8000-00805F9B34FB",
            "0000180-D0000-1000-8000-00805F9B34FB", "G000180D-0000-1000-8000-00805F9B34FB",
            "{000180D-0000-1000-8000-00805F9B34F}",
        ]
    )
    func malformed(text: String) {
        let uuid = BluetoothUUID(string: text)
        #expect(uuid.isMalformed)
        #expect(uuid.uuidString == text)
        #expect(uuid.canonicalText == text)
        #expect(uuid == BluetoothUUID(string: text))
        #expect(uuid != BluetoothUUID(string: text + "!"))
        #expect(throws: BluejayError.malformedUUID(text)) { try uuid.validated() }
        #expect(throws: BluejayError.malformedUUID(text)) { try BluetoothUUID(validating: text) }
    }

    @Test("Validation returns a well-formed UUID")
    func validated() throws {
        #expect(try BluetoothUUID(string: "180D").validated() == BluetoothUUID(validating: "180d"))
    }

    @Test("CBUUID is the same type")
    func appleName() {
        #expect(CBUUID(string: "2A37") == BluetoothUUID(uint16: 0x2A37))
    }
}
