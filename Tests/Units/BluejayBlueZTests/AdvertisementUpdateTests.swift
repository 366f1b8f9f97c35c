import BluejayCore
import Foundation
import Testing

@testable import BluejayBlueZ
@testable import BluejayDBus

private let sensor: ObjectPath = "/org/bluez/hci0/dev_C4_7C_8D_6A_1F_02"
private let heartRate = "0000180d-0000-1000-8000-00805f9b34fb"

/// Returns a `PropertiesChanged` as received.
private func message(_ arguments: [BusValue]) throws -> BusMessage {
    try BusMessage.signal(
        path: sensor,
        interface: StandardInterfaces.properties,
        member: "PropertiesChanged",
        arguments: arguments
    )
}

private func changed(
    _ properties: BusProperties,
    invalidated: [String] = []
) throws -> BusMessage {
    try message([.string(Device1.interface), .properties(properties), .strings(invalidated)])
}

@Suite("Updates of advertised properties")
struct AdvertisementUpdateTests {
    private static func companies(_ entries: [BusEntry]) -> BusValue {
        .dictionary(entries, key: "q", value: "v")
    }

    /// For each property valid values of bluetoothd, and invalid ones.
    static let values: [(name: String, value: BusValue)] = [
        ("RSSI", .int16(-60)), ("RSSI", .int16(127)), ("RSSI", .string("-60")), ("RSSI", .byte(3)),
        ("RSSI", .uint64(.max)), ("RSSI", .variant(.int16(-61))), ("TxPower", .int16(4)),
        ("TxPower", .double(4)),
        ("ManufacturerData", companies([BusEntry(.uint16(0x4C), .variant(.bytes([2, 21])))])),
        (
            "ManufacturerData",
            companies([
                BusEntry(.uint16(1), .variant(.bytes([1]))),
                BusEntry(.uint16(2), .variant(.byte(1))),
                BusEntry(.uint16(1), .variant(.bytes(Array(0..<30)))),
            ])
        ),
        ("ManufacturerData", companies([])), ("ManufacturerData", .bytes([1])),
        (
            "ManufacturerData",
            .dictionary([BusEntry(.int32(-1), .bytes([1]))], key: "i", value: "ay")
        ),
        ("ServiceData", .properties([(heartRate, .bytes([7])), ("no UUID", .bytes([]))])),
        ("ServiceData", .properties([(heartRate, .string("seven"))])),
        ("ServiceData", .strings([heartRate])), ("AdvertisingFlags", .bytes([6])),
        (
            "AdvertisingData",
            .dictionary([BusEntry(.byte(9), .variant(.bytes([65])))], key: "y", value: "v")
        ),
    ]

    @Test("An update of each advertised property changes the tree like PropertiesChanged")
    func inTree() throws {
        for (name, value) in Self.values {
            let message = try changed([(name, value), ("TxPower", .int16(-3))])
            let change = try #require(AdvertisementUpdate(message.reader), "\(name) \(value)")
            let properties = try #require(message.arguments()[1].namedValues)
            var tree = Self.tree()
            var expected = Self.tree()
            let isKnown = tree.advertised(sensor, change)
            #expect(isKnown)
            _ = expected.propertiesChanged(sensor, Device1.interface, properties, invalidated: [])
            #expect(tree == expected, "\(name) \(value)")
        }
    }

    @Test("A report after an update equals a new report of the changed device")
    func inReport() throws {
        for (name, value) in Self.values {
            let change = try #require(AdvertisementUpdate(try changed([(name, value)]).reader))
            var tree = Self.tree()
            var report = try #require(
                tree.device(at: sensor).flatMap { DiscoveredDevice(sensor, $0) }
            )
            _ = tree.advertised(sensor, change)
            report.apply(change)
            let anew = tree.device(at: sensor).flatMap { DiscoveredDevice(sensor, $0) }
            #expect(report == anew, "\(name) \(value)")
        }
    }

    @Test("Of two values of one property, the last one is stored")
    func twice() throws {
        let message = try changed([("RSSI", .int16(-1)), ("RSSI", .int16(-2))])
        var tree = Self.tree()
        _ = tree.advertised(sensor, try #require(AdvertisementUpdate(message.reader)))
        #expect(tree.device(at: sensor)?.rssi == -2)
    }

    @Test("A signal with other properties, another shape or invalidated names is not an update")
    func others() throws {
        let rssi: BusProperties = [("RSSI", .int16(-60))]
        let device = BusValue.string(Device1.interface)
        let others = [
            try changed([]), try changed(rssi, invalidated: ["TxPower"]),
            try changed([], invalidated: ["RSSI"]),
            try changed(rssi + [("Connected", .boolean(true))]),
            try changed([("Name", .string("a"))] + rssi), try changed([("RSS", .int16(-60))]),
            try changed([("UUIDs", .strings([heartRate]))]),
            try message([.string("org.bluez.Device2"), .properties(rssi), .strings([])]),
            try message([.objectPath("/"), .properties(rssi), .strings([])]),
            try message([device, .properties(rssi)]), try message([device]), try message([]),
            try message([device, .properties(rssi), .strings([]), .byte(1)]),
            try message([device, .properties(rssi), .byte(1)]),
            try message([device, .strings(["RSSI"]), .strings([])]),
            try message([device, .bytes([1]), .strings([])]),
            try message([
                device,
                .dictionary([BusEntry(.string("RSSI"), .int16(-60))], key: "s", value: "n"),
                .strings([]),
            ]),
            try message([
                device,
                .dictionary([BusEntry(.byte(1), .variant(.int16(-60)))], key: "y", value: "v"),
                .strings([]),
            ]),
        ]
        for (place, message) in others.enumerated() {
            #expect(AdvertisementUpdate(message.reader) == nil, "\(place)")
        }
    }

    @Test("An update of an unknown device is ignored")
    func unknown() throws {
        let change = AdvertisementUpdate([.init(field: .rssi, value: .int16(-60))])
        var tree = ObjectTree()
        let other = BusEntry(.string("org.bluez.Battery1"), .properties([]))
        for _ in 0..<2 {
            let known = tree
            // `#expect` does not accept a mutating call.
            let isKnown = tree.advertised(sensor, change)
            #expect(!isKnown)
            #expect(tree == known)
            _ = tree.interfacesAdded(sensor, .dictionary([other], key: "s", value: "a{sv}"))
        }
    }

    private static func tree() -> ObjectTree {
        let properties: BusProperties = [
            ("Address", .string("C4:7C:8D:6A:1F:02")), ("Name", .string("Sensor")),
            ("UUIDs", .strings([heartRate])), ("RSSI", .int16(-50)), ("TxPower", .int16(1)),
            ("ManufacturerData", companies([BusEntry(.uint16(9), .variant(.bytes([9])))])),
            ("ServiceData", .properties([(heartRate, .bytes([1]))])),
        ]
        var tree = ObjectTree()
        let entry = BusEntry(.string(Device1.interface), .properties(properties))
        _ = tree.interfacesAdded(sensor, .dictionary([entry], key: "s", value: "a{sv}"))
        return tree
    }
}
