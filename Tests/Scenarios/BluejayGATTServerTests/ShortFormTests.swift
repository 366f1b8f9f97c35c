import BluejayGATTServer
import Foundation
import Testing

@Suite("Short forms of local services")
struct ShortFormTests {
    @Test("A characteristic is readable and notifiable by default, and its value is empty")
    func characteristic() {
        let level = LocalCharacteristic(uuid: "FFE1")
        #expect(level.uuid == BluetoothUUID(uint16: 0xFFE1))
        #expect(level.properties == [.read, .notify])
        #expect(level.value.isEmpty)
        let given = LocalCharacteristic(
            uuid: "FFE2",
            value: Data([1]),
            descriptors: [LocalDescriptor(uuid: "2901", value: Data([0x41]))]
        )
        #expect(given.properties == [.read, .notify] && given.value == Data([1]))
    }

    @Test("A service requires a UUID only, and a malformed literal is rejected when it is added")
    func service() async throws {
        let service = LocalService(uuid: "FFE0")
        #expect(service.uuid == "FFE0" && service.isPrimary && service.characteristics.isEmpty)
        #expect(LocalService(uuid: "lamp").uuid.isMalformed)
    }

    @Test("An advertisement requires a name only")
    func advertisement() throws {
        let lamp = LocalAdvertisement(name: "Lamp")
        #expect(lamp == LocalAdvertisement(localName: "Lamp"))
        #expect(lamp.isConnectable && lamp.serviceUUIDs.isEmpty)
        let both = LocalAdvertisement(name: "Lamp", serviceUUIDs: ["FFE0"])
        #expect(both.serviceUUIDs == ["FFE0"] && both.localName == "Lamp")
        try both.validated()
    }
}
