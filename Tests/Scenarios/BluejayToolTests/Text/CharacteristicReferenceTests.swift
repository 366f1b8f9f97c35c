import Bluejay
import BluejayCore
import Testing

@testable import BluejayTool

@Suite("Characteristic references", .timeLimit(.minutes(15)))
struct CharacteristicReferenceTests {
    static let choices = [
        ("2A4A", "1812/2A4A"), ("0x2a4a", "1812/2A4A"), ("hid information", "1812/2A4A"),
        ("HID-Information", "1812/2A4A"),
        ("00002a4a-0000-1000-8000-00805f9b34fb", "1812/2A4A"), ("2A4D#0", "1812/2A4D"),
        ("report#1", "1812/2A4D#1"), ("1812/2A4D#1", "1812/2A4D#1"),
        ("180F#0/2A19", "180F/2A19"), ("battery#1/battery-level", "180F#1/2A19"),
        (
            "6E400002B5A3F393E0A9E50E24DCCA9E",
            "6E400001-B5A3-F393-E0A9-E50E24DCCA9E/6E400002-B5A3-F393-E0A9-E50E24DCCA9E"
        ),
        (
            "6e400002-b5a3-f393-e0a9-e50e24dcca9e",
            "6E400001-B5A3-F393-E0A9-E50E24DCCA9E/6E400002-B5A3-F393-E0A9-E50E24DCCA9E"
        ),
    ]

    @Test(
        "A UUID or an assigned name selects a characteristic, and the printed form parses again",
        arguments: choices
    )
    func choice(text: String, expected: String) throws {
        let chosen = try CharacteristicReference(text).choose(from: keyboard).identifier
        #expect(chosen.displayText == expected)
        let exactly = chosen.displayText(withServiceInstance: true, withInstance: true)
        #expect(try CharacteristicReference(exactly).choose(from: keyboard).identifier == chosen)
    }

    static let descriptors = [
        ("2A4D#1/2902", "1812/2A4D#1/2902"), ("1812/report#1/2908", "1812/2A4D#1/2908"),
        ("180F#0/2A19/2902", "180F/2A19/2902"), ("2A19/2902", "180F/2A19/2902"),
    ]

    @Test(
        "A descriptor follows its characteristic, and the printed form parses again",
        arguments: descriptors
    )
    func descriptor(text: String, expected: String) throws {
        let chosen = try CharacteristicReference(text).chooseAttribute(from: keyboard)
        #expect(chosen.descriptor != nil)
        #expect(chosen.displayText(among: [chosen]) == expected)
        #expect(try CharacteristicReference(expected).chooseAttribute(from: keyboard) == chosen)
    }

    static let refusals = [
        ("2A37", "the device has no characteristic \"2A37\"; `bluejay services` lists them"),
        ("", "the device has no characteristic \"\"; `bluejay services` lists them"),
        (
            "hid-inf",
            "the device has no characteristic \"hid-inf\"; `bluejay services` lists them"
        ),
        (
            "2A4D#2",
            "the device has no characteristic \"2A4D#2\"; `bluejay services` lists them"
        ),
        (
            "180A/2A4A",
            "the device has no characteristic \"180A/2A4A\"; `bluejay services` lists them"
        ),
        (
            "2A4D#1/2A4A",
            "the device has no descriptor \"2A4D#1/2A4A\"; `bluejay services` lists them"
        ),
        (
            "2A4D#1/2902",
            "\"2A4D#1/2902\" is a descriptor; specify a characteristic"
        ),
        (
            "1/2/3/4",
            "the device has no characteristic \"1/2/3/4\"; `bluejay services` lists them"
        ),
        ("report", "\"report\" is ambiguous: 1812/2A4D#0, 1812/2A4D#1"),
        ("2A19", "\"2A19\" is ambiguous: 180F#0/2A19, 180F#1/2A19"),
    ]

    @Test(
        "A missing or ambiguous characteristic is rejected with a remedy",
        arguments: refusals
    )
    func refusal(text: String, message: String) {
        let failure = #expect(throws: ToolFailure.self) {
            try CharacteristicReference(text).choose(from: keyboard)
        }
        #expect(failure == ToolFailure(.failed, message))
    }

    @Test("A UUID or a whole assigned name identifies a service without a device")
    func assigned() {
        #expect(AttributeReference("heart-rate").assigned?.uuidString == "180D")
        #expect(AttributeReference("180d").assigned?.uuidString == "180D")
        #expect(AttributeReference("heart").assigned == nil)
    }
}
