import BluejayCore
import BluejayDBus
import Testing

@testable import BluejayBlueZ

@Suite("The attributes of a link")
struct AttributeTableTests {
    private let report = BluetoothUUID(uint16: 0x2A4D)
    private let device: ObjectPath = "/org/bluez/hci0/dev_C0_00_00_00_00_01"

    private func service(
        _ number: Int,
        _ uuid: UInt16 = 0x1812,
        _ characteristics: [DiscoveredCharacteristic] = [],
        includes: [Int] = []
    ) throws -> DiscoveredService {
        DiscoveredService(
            path: try path(number),
            uuid: BluetoothUUID(uint16: uuid),
            isPrimary: true,
            includes: try includes.map(path),
            characteristics: characteristics
        )
    }

    private func path(_ number: Int) throws -> ObjectPath {
        try #require(ObjectPath("\(device.text)/service000\(number)"))
    }

    private func reports(in number: Int, _ handles: ClosedRange<Int>) throws
        -> [DiscoveredCharacteristic]
    {
        try handles.map { handle in
            let path = try #require(ObjectPath("\(try path(number).text)/char000\(handle)"))
            return DiscoveredCharacteristic(
                path: path,
                uuid: report,
                properties: .read,
                descriptors: [
                    DiscoveredDescriptor(
                        path: try #require(ObjectPath("\(path.text)/desc0001")),
                        uuid: BluetoothUUID(uint16: 0x2908)
                    )
                ]
            )
        }
    }

    private func identifier(_ service: Int, _ instance: Int) -> CharacteristicIdentifier {
        CharacteristicIdentifier(
            uuid: report,
            service: ServiceIdentifier(uuid: BluetoothUUID(uint16: 0x1812), instance: service),
            instance: instance
        )
    }

    private func paths(_ table: AttributeTable) -> [String?] {
        [(0, 0), (0, 1), (1, 0), (1, 1)].map { service, instance in
            table.characteristic(identifier(service, instance))?.path?.text.suffix(20).description
        }
    }

    @Test("Instances are numbered by handle, separately in each service")
    func instances() throws {
        var table = AttributeTable()
        let first = try service(1, 0x1812, reports(in: 1, 2...3))
        let second = try service(5, 0x1812, reports(in: 5, 6...6))
        table.update([first, second], hasBattery: false)
        #expect(
            paths(table) == [
                "service0001/char0002", "service0001/char0003", "service0005/char0006", nil,
            ]
        )
        #expect(table.characteristic(identifier(0, -1)) == nil)
        #expect(table.has(identifier(1, 0).service))
        #expect(!table.has(identifier(2, 0).service))
        #expect(table.services.map(\.identifier.instance) == [0, 1])
    }

    @Test(
        "After the removal of an attribute, the later ones keep their identity and change their number"
    )
    func countedAnew() throws {
        var table = AttributeTable()
        let first = try service(1, 0x1812, reports(in: 1, 2...3))
        let second = try service(5, 0x1812, reports(in: 5, 6...7))
        table.update([first, second], hasBattery: false)
        let kept = try #require(table.characteristic(identifier(1, 1)))
        #expect(table.removeService(at: first.path) == identifier(0, 0).service)
        for characteristic in first.characteristics {
            #expect(table.remove(at: characteristic.path) != nil)
        }
        table.update([second], hasBattery: false)
        #expect(table.characteristic(identifier(0, 1)) === kept)
        #expect(kept.identifier == identifier(0, 1))
        #expect(table.characteristic(identifier(1, 1)) == nil)
        table.update([first, second], hasBattery: false)
        #expect(table.characteristic(identifier(1, 1)) === kept)
    }

    @Test(
        "Included services are listed with their instances; services without an object are omitted"
    )
    func includes() throws {
        var table = AttributeTable()
        table.update(
            try [
                service(1, 0x180F), service(2, 0x180F), service(3, 0x1812, [], includes: [2, 9]),
            ],
            hasBattery: false
        )
        #expect(
            table.services.map(\.includes) == [
                [], [], [ServiceIdentifier(uuid: BluetoothUUID(uint16: 0x180F), instance: 1)],
            ]
        )
    }

    @Test("A descriptor is found by its number until its object is removed")
    func descriptors() throws {
        var table = AttributeTable()
        let found = try service(1, 0x1812, reports(in: 1, 2...3))
        table.update([found], hasBattery: false)
        let owner = try #require(table.characteristic(identifier(0, 1)))
        let uuid = BluetoothUUID(uint16: 0x2908)
        let descriptor = try #require(owner.descriptor(uuid, instance: 0))
        #expect(owner.descriptor(uuid, instance: 1) == nil)
        #expect(owner.descriptor(uuid, instance: -1) == nil)
        #expect(table.descriptor(descriptor.id) === descriptor)
        #expect(table.characteristic(descriptor.id) == nil)
        #expect(table.removeDescriptor(at: descriptor.path) === descriptor)
        #expect(table.removeDescriptor(at: descriptor.path) == nil)
        #expect(table.descriptor(descriptor.id) == nil)
        table.update([], hasBattery: false)
        #expect(table.descriptor(descriptor.id) == nil)
    }
}
