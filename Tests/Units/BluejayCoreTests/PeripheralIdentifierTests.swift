import BluejayCore
import Foundation
import Testing

@Suite("The identifier of a peripheral")
struct PeripheralIdentifierTests {
    @Test("The UUID of an address has the documented octets")
    func documentedOctets() throws {
        let random = try PeripheralIdentifier(
            address: "C4:7C:8D:6A:1F:02",
            isRandomAddress: true,
            name: nil
        )
        #expect(random.uuid.uuidString == "C47C8D6A-1F02-8101-8062-6C75656A6179")
        let fixed = try PeripheralIdentifier(
            address: "C4:7C:8D:6A:1F:02",
            isRandomAddress: false,
            name: nil
        )
        #expect(fixed.uuid.uuidString == "C47C8D6A-1F02-8001-8062-6C75656A6179")
        #expect(random != fixed)
    }

    @Test("A stored UUID restores the address", arguments: [true, false])
    func reversible(isRandom: Bool) throws {
        let made = try PeripheralIdentifier(
            address: "00:1f:FE:6a:1F:02",
            isRandomAddress: isRandom,
            name: "Sensor"
        )
        let stored = PeripheralIdentifier(uuid: made.uuid, name: nil)
        #expect(stored == made)
        #expect(stored.address == "00:1F:FE:6A:1F:02")
        #expect(stored.isRandomAddress == isRandom)
        let address = try #require(stored.deviceAddress)
        #expect(address.kind == (isRandom ? .random : .public))
        #expect(PeripheralIdentifier(address: address, name: nil) == made)
    }

    @Test(
        "A UUID that differs in one fixed octet has no address",
        arguments: [
            // The version, a kind that does not exist, the layout, the variant, the letters.
            "C47C8D6A-1F02-4101-8062-6C75656A6179", "C47C8D6A-1F02-8301-8062-6C75656A6179",
            "C47C8D6A-1F02-8102-8062-6C75656A6179", "C47C8D6A-1F02-8101-8162-6C75656A6179",
            "C47C8D6A-1F02-8101-C062-6C75656A6179", "C47C8D6A-1F02-8101-8042-6C75656A6179",
            "C47C8D6A-1F02-8101-8062-6C75656A6178", "00000000-0000-0000-0000-000000000000",
        ]
    )
    func foreign(text: String) throws {
        let uuid = try #require(UUID(uuidString: text))
        let identifier = PeripheralIdentifier(uuid: uuid, name: "Other")
        #expect(identifier.deviceAddress == nil)
        #expect(identifier.address == nil)
        #expect(identifier.isRandomAddress == nil)
        #expect(identifier.description == "Other (\(text))")
    }

    @Test(
        "An address alone is an identifier of unknown address type",
        arguments: ["C4:7C:8D:6A:1F:02", "c4:7c:8d:6a:1f:02", "C4-7C-8D-6A-1F-02"]
    )
    func addressAlone(text: String) throws {
        let identifier = try PeripheralIdentifier(address: text)
        #expect(identifier.uuid.uuidString == "C47C8D6A-1F02-8201-8062-6C75656A6179")
        #expect(identifier.address == "C4:7C:8D:6A:1F:02")
        #expect(identifier.isRandomAddress == nil)
        #expect(identifier.deviceAddress == nil)
        #expect(identifier.rejection == nil)
        #expect(identifier.description == "No Name (C4:7C:8D:6A:1F:02)")
        #expect(identifier == PeripheralIdentifier(stringLiteral: text))
        #expect(identifier == PeripheralIdentifier(uuid: identifier.uuid, name: nil))
        #expect(identifier.possibleAddresses.map(\.kind) == [.random, .public])
        #expect(Set(identifier.possibleAddresses.map(\.text)) == ["C4:7C:8D:6A:1F:02"])
    }

    @Test("An address alone equals the identifier with its type", arguments: [true, false])
    func equality(isRandom: Bool) throws {
        let address = "C4:7C:8D:6A:1F:02"
        let typed = try PeripheralIdentifier(
            address: address,
            isRandomAddress: isRandom,
            name: "Lamp"
        )
        #expect(typed == "C4:7C:8D:6A:1F:02")
        #expect("c4-7c-8d-6a-1f-02" == typed)
        #expect(typed != "C4:7C:8D:6A:1F:03")
        #expect(Set([typed]).contains("C4:7C:8D:6A:1F:02"))
        #expect(typed.possibleAddresses.map(\.kind) == [isRandom ? .random : .public])
        let foreign = PeripheralIdentifier(
            uuid: try #require(UUID(uuidString: "C47C8D6A-1F02-4101-8062-6C75656A6179")),
            name: nil
        )
        #expect(foreign != "C4:7C:8D:6A:1F:02")
    }

    @Test("The first call that uses a malformed literal rejects it")
    func malformedLiteral() {
        let identifier: PeripheralIdentifier = "Lamp\u{1B}"
        #expect(identifier.rejection == .malformedAddress("Lamp\u{1B}"))
        #expect(identifier.address == nil && identifier.possibleAddresses.isEmpty)
        #expect(identifier.description == #"Lamp\u{1B}"#)
        #expect(identifier == "Lamp\u{1B}")
        #expect(identifier != "Lamp")
        #expect(identifier != "00:00:00:00:00:00")
        #expect(throws: BluejayError.malformedAddress("Lamp")) {
            try PeripheralIdentifier(address: "Lamp")
        }
    }

    @Test("Equality and hash ignore the name")
    func nameDoesNotCount() throws {
        let uuid = UUID()
        let identifiers: Set = [
            PeripheralIdentifier(uuid: uuid, name: "One"),
            PeripheralIdentifier(uuid: uuid, name: "Two"),
        ]
        #expect(identifiers.count == 1)
        #expect(identifiers.contains(PeripheralIdentifier(uuid: uuid, name: nil)))
    }

    @Test("A missing name is shown as No Name, with the address")
    func description() throws {
        let identifier = try PeripheralIdentifier(
            address: "C4:7C:8D:6A:1F:02",
            isRandomAddress: true,
            name: nil
        )
        #expect(identifier.name == "No Name")
        #expect(identifier.description == "No Name (C4:7C:8D:6A:1F:02)")
    }

    @Test(
        "A name cannot forge a log line or control a terminal, and is stored unchanged",
        arguments: [
            ("Bad\nlinux: rooted", #"Bad\u{A}linux: rooted"#),
            ("\u{1B}[2J\u{9B}31m\r", #"\u{1B}[2J\u{9B}31m\u{D}"#),
            ("a\u{202E}b\u{2028}c\0", #"a\u{202E}b\u{2028}c\u{0}"#),
            (#"Zoë's "👩‍👧" \n"#, #"Zoë's "👩‍👧" \n"#),
        ]
    )
    func forgedName(name: String, shown: String) throws {
        let identifier = try PeripheralIdentifier(
            address: "C4:7C:8D:6A:1F:02",
            isRandomAddress: true,
            name: name
        )
        #expect(identifier.name == name)
        #expect(identifier.description == "\(shown) (C4:7C:8D:6A:1F:02)")
        let error = BluejayError.peripheralNotFound(identifier)
        #expect(error.localizedDescription.hasPrefix("peripheral \(shown) ("))
        let daemon = BluejayError.daemon(name: "org.bluez.Error.Failed", message: name)
        #expect(daemon.description == "BlueZ returned org.bluez.Error.Failed: \(shown)")
    }

    @Test("Malformed text is rejected")
    func malformed() {
        #expect(throws: BluejayError.malformedAddress("C4:7C")) {
            try PeripheralIdentifier(address: "C4:7C", isRandomAddress: true, name: nil)
        }
    }
}
