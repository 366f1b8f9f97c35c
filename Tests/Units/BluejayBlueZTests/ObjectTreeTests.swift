import BluejayCore
import BluejayDBus
import TestTraits
import Testing

@testable import BluejayBlueZ

private let hci0: ObjectPath = "/org/bluez/hci0"
private let hci1: ObjectPath = "/org/bluez/hci1"
private let hci10: ObjectPath = "/org/bluez/hci10"
private let sensor: ObjectPath = "/org/bluez/hci0/dev_C4_7C_8D_6A_1F_02"
private let address = "C4:7C:8D:6A:1F:02"

@Suite("The objects of bluetoothd")
struct ObjectTreeTests {
    private static func known() -> ObjectTree {
        ObjectTree([
            hci0: [Adapter1.interface: ["Powered": .boolean(true), "Name": .string("a")]],
            sensor: [Device1.interface: ["Connected": .boolean(false)], "org.bluez.Battery1": [:]],
        ])
    }

    @Test("The first reading adds all objects, parents before children")
    func firstSnapshot() {
        var tree = ObjectTree()
        let changes = tree.replace(
            with: snapshot([
                sensor: [Device1.interface: [:]], hci0: [Adapter1.interface: ["A": .byte(1)]],
            ])
        )
        #expect(
            changes == [
                .added(hci0, interface: Adapter1.interface),
                .added(sensor, interface: Device1.interface),
            ]
        )
        #expect(tree.value(hci0, Adapter1.interface, "A") == .byte(1))
    }

    @Test("A second reading reports only the differences", .pitfall(.startOrder))
    func secondSnapshot() {
        var tree = Self.known()
        let changes = tree.replace(
            with: snapshot([
                hci0: [Adapter1.interface: ["Powered": .boolean(false)]],
                hci1: [Adapter1.interface: [:]],
                sensor: ["org.bluez.Battery1": [:]],
            ])
        )
        #expect(
            changes == [
                .removed(sensor, interface: Device1.interface),
                .changed(
                    hci0,
                    interface: Adapter1.interface,
                    values: ["Powered": .boolean(false)],
                    invalidated: ["Name"]
                ),
                .added(hci1, interface: Adapter1.interface),
            ]
        )
        #expect(tree.properties(hci0, Adapter1.interface) == ["Powered": .boolean(false)])
        let again = tree.replace(
            with: snapshot([
                hci0: [Adapter1.interface: ["Powered": .boolean(false)]],
                hci1: [Adapter1.interface: [:]],
                sensor: ["org.bluez.Battery1": [:]],
            ])
        )
        #expect(again == [])
    }

    @Test("Clearing the tree removes children before parents")
    func removeAll() {
        var tree = Self.known()
        #expect(
            tree.removeAll() == [
                .removed(sensor, interface: "org.bluez.Battery1"),
                .removed(sensor, interface: Device1.interface),
                .removed(hci0, interface: Adapter1.interface),
            ]
        )
        #expect(tree == ObjectTree())
    }

    @Test("An added interface leaves the other interfaces of its path unchanged")
    func interfacesAdded() {
        var tree = Self.known()
        let changes = tree.interfacesAdded(sensor, content(["org.bluez.Input1": ["A": .byte(1)]]))
        #expect(changes == [.added(sensor, interface: "org.bluez.Input1")])
        #expect(tree.value(sensor, Device1.interface, "Connected") == .boolean(false))
    }

    @Test("An interface that is added again has only its new properties")
    func addedAgain() {
        var tree = Self.known()
        let changes = tree.interfacesAdded(
            hci0,
            content([Adapter1.interface: ["Name": .string("b")]])
        )
        #expect(changes == [.added(hci0, interface: Adapter1.interface)])
        #expect(tree.properties(hci0, Adapter1.interface) == ["Name": .string("b")])
    }

    @Test("Removing an unknown interface changes nothing; removing the last one removes the object")
    func interfacesRemoved() {
        var tree = Self.known()
        #expect(tree.interfacesRemoved(hci1, [Adapter1.interface]) == [])
        #expect(tree.interfacesRemoved(sensor, ["org.bluez.No"]) == [])
        #expect(
            tree.interfacesRemoved(
                sensor,
                [Device1.interface, "org.bluez.No", "org.bluez.Battery1"]
            )
                == [
                    .removed(sensor, interface: Device1.interface),
                    .removed(sensor, interface: "org.bluez.Battery1"),
                ]
        )
        #expect(tree == ObjectTree([hci0: Self.known().all(hci0)]))
    }

    @Test(
        "Changed properties are merged and invalidated ones removed; equal values are reported, too"
    )
    func propertiesChanged() {
        var tree = Self.known()
        let values: ObjectTree.Properties = ["Powered": .boolean(true), "New": .byte(1)]
        let changes = tree.propertiesChanged(
            hci0,
            Adapter1.interface,
            values,
            invalidated: ["Name"]
        )
        #expect(
            changes == [
                .changed(hci0, interface: Adapter1.interface, values: values, invalidated: ["Name"])
            ]
        )
        #expect(tree.properties(hci0, Adapter1.interface) == values)
    }

    @Test(
        "A reading of one interface reports the differences; an empty one reports nothing"
    )
    func readAll() {
        var tree = Self.known()
        #expect(tree.readAll(sensor, Device1.interface, [:]) == [])
        #expect(tree.readAll(hci1, Adapter1.interface, ["Powered": .boolean(true)]) == [])
        #expect(tree == Self.known())
        let before = Self.known().all(hci0)[Adapter1.interface] ?? [:]
        #expect(tree.readAll(hci0, Adapter1.interface, before) == [])
        let read: ObjectTree.Properties = ["New": .byte(1)]
        #expect(
            tree.readAll(hci0, Adapter1.interface, read) == [
                .changed(
                    hci0,
                    interface: Adapter1.interface,
                    values: read,
                    invalidated: before.keys.sorted()
                )
            ]
        )
        #expect(tree.properties(hci0, Adapter1.interface) == read)
    }

    @Test("Changes of unknown objects are ignored", .pitfall(.startOrder))
    func unknownChange() {
        var tree = Self.known()
        let values: ObjectTree.Properties = ["A": .byte(1)]
        #expect(tree.propertiesChanged(hci1, Adapter1.interface, values, invalidated: []) == [])
        #expect(tree.propertiesChanged(hci0, "org.bluez.No", values, invalidated: []) == [])
        #expect(tree == Self.known())
    }

    @Test("A reply of another shape counts as empty")
    func otherShape() {
        var tree = ObjectTree()
        #expect(tree.replace(with: .strings(["a"])) == [])
        #expect(tree.interfacesAdded(hci0, .byte(1)) == [])
        #expect(tree.paths(with: Adapter1.interface) == [])
        #expect(tree == ObjectTree())
    }

    @Test("hci10 is not a child of hci1", .pitfall(.pathPrefix))
    func namespace() {
        let below1: ObjectPath = "/org/bluez/hci1/dev_A"
        let below10: ObjectPath = "/org/bluez/hci10/dev_A"
        let tree = ObjectTree([
            below1: [Device1.interface: [:]], below10: [Device1.interface: [:]],
            hci1: [Device1.interface: [:]],
        ])
        #expect(tree.paths(with: Device1.interface, below: hci1) == [below1])
        #expect(tree.paths(with: Device1.interface) == [hci1, below1, below10])
    }
}

extension ObjectTree {
    fileprivate func all(_ path: ObjectPath) -> [String: Properties] {
        [Adapter1.interface: properties(path, Adapter1.interface) ?? [:]]
    }
}

@Suite("Adapters")
struct AdapterTests {
    private static func adapter(_ powered: Bool, _ address: String) -> [String: ObjectTree
        .Properties]
    {
        [Adapter1.interface: ["Powered": .boolean(powered), "Address": .string(address)]]
    }

    @Test("Adapters are sorted by number")
    func order() {
        let tree = ObjectTree([
            hci10: Self.adapter(true, "A"), hci1: Self.adapter(true, "B"),
            hci0: Self.adapter(false, "C"),
        ])
        #expect(tree.adapters == [hci0, hci1, hci10])
    }

    private func choice(_ choice: AdapterChoice, _ tree: ObjectTree) -> ObjectPath? {
        AdapterSelector.adapter(choice, among: tree.knownAdapters)
    }

    @Test(
        "The choice `any` prefers the first powered adapter; names and addresses select their adapter"
    )
    func choice() {
        let address = "00:AA:01:01:00:24"
        var tree = ObjectTree([
            hci0: Self.adapter(false, "A"), hci1: Self.adapter(true, address),
            hci10: Self.adapter(true, "B"),
        ])
        #expect(choice(.any, tree) == hci1)
        #expect(choice(.named("hci0"), tree) == hci0)
        #expect(choice(.named(address), tree) == hci1)
        #expect(choice(.named(address.lowercased()), tree) == hci1)
        #expect(choice(.named("hci2"), tree) == nil)
        let off: ObjectTree.Properties = ["Powered": .boolean(false)]
        for path in [hci1, hci10] {
            _ = tree.propertiesChanged(path, Adapter1.interface, off, invalidated: [])
        }
        #expect(choice(.any, tree) == hci0)
        #expect(choice(.any, ObjectTree()) == nil)
    }

    struct Row: Swift.Sendable {
        let powered: Bool?
        let powerState: String?
        let expected: AdapterState
    }

    @Test(
        "The properties of an adapter determine whether it is usable",
        arguments: [
            Row(powered: nil, powerState: nil, expected: .off),
            Row(powered: true, powerState: nil, expected: .on),
            Row(powered: false, powerState: nil, expected: .off),
            Row(powered: true, powerState: "on", expected: .on),
            // The links are cut before Powered becomes false.
            Row(powered: true, powerState: "on-disabling", expected: .off),
            Row(powered: false, powerState: "off-enabling", expected: .off),
            // After rfkill, PowerState is "on" for a moment too long.
            Row(powered: false, powerState: "on", expected: .off),
            Row(powered: false, powerState: "off-blocked", expected: .blocked),
        ]
    )
    func state(row: Row) {
        var properties: ObjectTree.Properties = [:]
        properties["Powered"] = row.powered.map { .boolean($0) }
        properties["PowerState"] = row.powerState.map { .string($0) }
        let tree = ObjectTree([hci0: [Adapter1.interface: properties]])
        #expect(tree.adapterState(hci0) == row.expected)
        #expect(tree.adapterState(hci1) == .absent)
    }
}

@Suite("Devices")
struct DeviceTests {
    private static func device(_ kind: String?, _ text: String = address) -> [String: ObjectTree
        .Properties]
    {
        var properties: ObjectTree.Properties = ["Address": .string(text)]
        properties["AddressType"] = kind.map { .string($0) }
        return [Device1.interface: properties]
    }

    @Test(
        "A device is found by its address and address type, only below its adapter",
        .pitfall(.addressType)
    )
    func found() throws {
        let other: ObjectPath = "/org/bluez/hci10/dev_C4_7C_8D_6A_1F_02"
        let random = try #require(DeviceAddress(address, kind: .random))
        let open = try #require(DeviceAddress(address, kind: .public))
        let tree = ObjectTree([sensor: Self.device("random"), other: Self.device("public")])
        #expect(tree.device(random, of: hci0) == sensor)
        #expect(tree.device(open, of: hci0) == nil)
        #expect(tree.device(open, of: hci10) == other)
        #expect(tree.device(open, of: hci1) == nil)
    }

    @Test(
        "A device without an address type is public; an unknown type or no address is not a device"
    )
    func kinds() throws {
        let open = try #require(DeviceAddress(address, kind: .public))
        #expect(ObjectTree([sensor: Self.device(nil)]).device(open, of: hci0) == sensor)
        #expect(ObjectTree([sensor: Self.device("new")]).device(open, of: hci0) == nil)
        #expect(ObjectTree([sensor: Self.device("public", "C4")]).device(open, of: hci0) == nil)
        #expect(ObjectTree([sensor: [Device1.interface: [:]]]).device(open, of: hci0) == nil)
    }

    @Test(
        "The services of a device are sorted by handle, and objects other than GATT are ignored",
        .pitfall(.foreignChildren)
    )
    func services() throws {
        let service = { try #require(sensor.child($0)) }
        let (low, high) = (try service("service000a"), try service("service0010"))
        let first = try #require(high.child("char0011"))
        let second = try #require(high.child("char0013"))
        let measured = "00002A37-0000-1000-8000-00805F9B34FB"
        let tree = ObjectTree([
            sensor: [Device1.interface: [:]],
            high: [GattService1.interface: ["UUID": .string("180D"), "Primary": .boolean(true)]],
            low: [GattService1.interface: ["UUID": .string("1801"), "Primary": .boolean(false)]],
            second: [GattCharacteristic1.interface: ["UUID": .string("2a38")]],
            first: [
                GattCharacteristic1.interface: [
                    "UUID": .string(measured), "Flags": .strings(["notify"]), "MTU": .uint16(517),
                ]
            ],
            try service("fd0"): ["org.bluez.MediaTransport1": [:]],
            try service("serviceffff"): [GattService1.interface: [:]],
            "/org/bluez/hci0/dev_C4_7C_8D_6A_1F_03/service0001": [
                GattService1.interface: ["UUID": .string("1800")]
            ],
        ])
        let characteristics = [
            DiscoveredCharacteristic(
                path: first,
                uuid: BluetoothUUID(uint16: 0x2A37),
                properties: .notify,
                descriptors: []
            ),
            DiscoveredCharacteristic(
                path: second,
                uuid: BluetoothUUID(uint16: 0x2A38),
                properties: [],
                descriptors: []
            ),
        ]
        #expect(
            tree.services(of: sensor) == [
                DiscoveredService(
                    path: low,
                    uuid: BluetoothUUID(uint16: 0x1801),
                    isPrimary: false,
                    characteristics: []
                ),
                DiscoveredService(
                    path: high,
                    uuid: BluetoothUUID(uint16: 0x180D),
                    isPrimary: true,
                    characteristics: characteristics
                ),
            ]
        )
        #expect(characteristics.map(\.canNotify) == [true, false])
        #expect(tree.mtu(of: first) == 517)
        // BlueZ before 5.62 does not report it.
        #expect(tree.mtu(of: second) == nil)
    }
}
