import BluejayGATTServer
import Foundation
import Testing

@Suite("Descriptions of local services")
struct LocalDescriptionTests {
    @Test("Local services, characteristics and advertisements are described in one line")
    func lines() {
        let level = LocalCharacteristic(
            uuid: "2A19",
            value: Data([87]),
            descriptors: [LocalDescriptor(uuid: "2901", value: Data([0x41]))]
        )
        let service = LocalService(uuid: "180F", characteristics: [level])
        #expect("\(service)" == "Battery (180F), 1 characteristic")
        #expect("\(level)" == "Battery Level (2A19): read, notify")
        #expect(
            String(reflecting: service)
                == "Battery (180F), not added [Battery Level (2A19): read, notify, value 57, "
                + "descriptors Characteristic User Description (2901)]"
        )
        #expect("\(LocalAdvertisement(name: "Lamp\u{1B}"))" == #""Lamp\u{1B}""#)
        let advertisement = LocalAdvertisement(name: "Lamp", serviceUUIDs: ["180F", "FFE0"])
        #expect("\(advertisement)" == #""Lamp", services Battery (180F), FFE0"#)
        #expect(String(reflecting: advertisement).contains("keepsAdvertising: true"))
    }
}
