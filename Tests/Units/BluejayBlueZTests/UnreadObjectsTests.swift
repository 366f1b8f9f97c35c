import BluejayCore
import BluejayDBus
import TestSupport
import TestTraits
import Testing

@testable import BluejayBlueZ

private let hci0: ObjectPath = "/org/bluez/hci0"
private let sensor: ObjectPath = "/org/bluez/hci0/dev_C4_7C_8D_6A_1F_02"
private let service: ObjectPath = "/org/bluez/hci0/dev_C4_7C_8D_6A_1F_02/service0001"
private let other: ObjectPath = "/org/bluez/hci0/dev_C4_7C_8D_6A_1F_03"
private let names = [
    Adapter1.interface, Device1.interface, "org.bluez.Battery1", GattService1.interface,
]
/// The interfaces of every object, which the tree does not keep.
private let common: [String: ObjectTree.Properties] = [
    "org.freedesktop.DBus.Introspectable": [:], "org.freedesktop.DBus.Properties": [:],
]

/// The expected content of a tree, with everything read and no lookups.
private struct PlainTree: Equatable {
    typealias Objects = [ObjectPath: [String: ObjectTree.Properties]]

    var objects: Objects = [:]

    /// Returns the differences by object and interface, in the order of the reports.
    func changes(to new: Objects) -> [ObjectTree.Change] {
        let gone = objects.keys.sorted(by: >).flatMap { path in
            (objects[path] ?? [:]).keys.sorted().filter { new[path]?[$0] == nil }
                .map { ObjectTree.Change.removed(path, interface: $0) }
        }
        return gone
            + new.keys.sorted().flatMap { path in
                (new[path] ?? [:]).sorted { $0.key < $1.key }
                    .compactMap { change(path, $0.key, $0.value) }
            }
    }

    private func change(
        _ path: ObjectPath,
        _ interface: String,
        _ new: ObjectTree.Properties
    ) -> ObjectTree.Change? {
        guard let old = objects[path]?[interface] else { return .added(path, interface: interface) }
        let values = new.filter { old[$0.key] != $0.value }
        let lost = old.keys.filter { new[$0] == nil }.sorted()
        guard !values.isEmpty || !lost.isEmpty else { return nil }
        return .changed(path, interface: interface, values: values, invalidated: lost)
    }

    func paths(with interface: String, below root: ObjectPath?) -> [ObjectPath] {
        objects.filter { path, interfaces in
            interfaces[interface] != nil && root.map { path.isBelow($0) } != false
        }.keys.sorted()
    }

    func devices(_ address: DeviceAddress) -> Set<ObjectPath> {
        Set(
            objects.filter { path, interfaces in
                path.parent == hci0
                    && interfaces[Device1.interface].flatMap { DeviceAddress(device: $0) }
                        == address
            }.keys
        )
    }
}

private struct Dice {
    var random: SeededGenerator

    mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    mutating func path() -> ObjectPath { [hci0, sensor, service, other][below(4)] }

    mutating func properties() -> ObjectTree.Properties {
        let values: [(String, BusValue)] = [
            ("Address", .string("C4:7C:8D:6A:1F:02")), ("Address", .string("C4:7C:8D:6A:1F:03")),
            ("Address", .byte(1)), ("AddressType", .string("random")),
            ("AddressType", .string("odd")), ("AddressType", .boolean(true)), ("RSSI", .int16(-60)),
            ("RSSI", .int16(-61)), ("UUIDs", .strings([])),
            ("Data", .properties([("a", .bytes([1]))])),
        ]
        var properties: ObjectTree.Properties = [:]
        for _ in 0..<below(5) {
            let value = values[below(values.count)]
            properties[value.0] = value.1
        }
        return properties
    }

    mutating func interfaces() -> [String: ObjectTree.Properties] {
        var interfaces: [String: ObjectTree.Properties] = [:]
        for _ in 0...below(3) { interfaces[names[below(names.count)]] = properties() }
        return interfaces
    }

    mutating func objects() -> PlainTree.Objects {
        var objects: PlainTree.Objects = [:]
        for _ in 0..<below(5) { objects[path()] = interfaces() }
        return objects
    }
}

@Suite("Objects that are parsed on demand")
struct UnreadObjectsTests {
    /// Applies a change to both, and returns the actual and the expected reports.
    private static func step(
        _ tree: inout ObjectTree,
        _ plain: inout PlainTree,
        _ dice: inout Dice
    ) -> (told: [ObjectTree.Change], expected: [ObjectTree.Change]) {
        let path = dice.path()
        let name = names[dice.below(names.count)]
        let known = plain.objects[path]?[name]
        switch dice.below(6) {
        case 0, 1:
            // In half of the cases the change is small.
            var objects = dice.below(2) == 0 ? dice.objects() : plain.objects
            objects[path] = dice.below(3) == 0 ? nil : dice.interfaces()
            let expected = plain.changes(to: objects)
            plain.objects = objects
            let told = objects.mapValues { $0.merging(common) { own, _ in own } }
            return (tree.replace(with: snapshot(told)), expected)
        case 2:
            let added = dice.interfaces()
            plain.objects[path, default: [:]].merge(added) { $1 }
            return (
                tree.interfacesAdded(path, content(added.merging(common) { own, _ in own })),
                added.keys.sorted().map { .added(path, interface: $0) }
            )
        case 3:
            plain.objects[path]?[name] = nil
            if plain.objects[path]?.isEmpty == true { plain.objects[path] = nil }
            return (
                tree.interfacesRemoved(path, common.keys.sorted() + [name]),
                known == nil ? [] : [.removed(path, interface: name)]
            )
        case 4:
            let values = dice.properties()
            let lost = ["RSSI", "Address", "AddressType", "UUIDs"][dice.below(4)]
            plain.objects[path]?[name] = known?.merging(values) { $1 }.filter { $0.key != lost }
            let told = tree.propertiesChanged(path, name, values, invalidated: [lost])
            let change = ObjectTree.Change.changed(
                path,
                interface: name,
                values: values,
                invalidated: [lost]
            )
            return (told, known == nil ? [] : [change])
        default:
            let strength = AdvertisementUpdate([.init(field: .rssi, value: .int16(-70))])
            plain.objects[path]?[Device1.interface]?["RSSI"] = .int16(-70)
            let isKnown = tree.advertised(path, strength)
            #expect(isKnown == (plain.objects[path]?[Device1.interface] != nil))
            return ([], [])
        }
    }

    private static func expectSame(_ tree: ObjectTree, _ plain: PlainTree, _ note: String) {
        for path in [hci0, sensor, service, other] {
            for name in names {
                #expect(tree.properties(path, name) == plain.objects[path]?[name], "\(note)")
            }
        }
        #expect(tree == ObjectTree(plain.objects), "\(note)")
    }

    private static func expectFound(_ tree: ObjectTree, _ plain: PlainTree, _ note: String) {
        for name in names {
            for root in [nil, hci0, sensor, .root] as [ObjectPath?] {
                #expect(
                    tree.paths(with: name, below: root) == plain.paths(with: name, below: root),
                    "\(note)"
                )
            }
        }
        for text in ["C4:7C:8D:6A:1F:02", "C4:7C:8D:6A:1F:03"] {
            for kind in DeviceAddress.Kind.allCases {
                guard let address = DeviceAddress(text, kind: kind) else { continue }
                let found = tree.device(address, of: hci0)
                // Two devices may have the same address.
                let expected = plain.devices(address)
                #expect(found.map { expected.contains($0) } ?? expected.isEmpty, "\(note)")
            }
        }
    }

    @Test(
        "A lazy tree reports and contains the same as one that parses everything at once",
        arguments: 1...20
    )
    func random(seed: UInt64) {
        var dice = Dice(random: SeededGenerator(seed: seed))
        var tree = ObjectTree()
        var plain = PlainTree()
        var kept: [(tree: ObjectTree, plain: PlainTree)] = []
        for step in 0..<60 {
            let note = "seed \(seed) step \(step)"
            if dice.below(4) == 0 { kept.append((tree, plain)) }
            let (told, expected) = Self.step(&tree, &plain, &dice)
            #expect(told == expected, "\(note)")
            // Usually nothing is read between two changes.
            if dice.below(4) == 0 { Self.expectFound(tree, plain, note) }
            if dice.below(4) == 0 { Self.expectSame(tree, plain, note) }
        }
        // Changes after a copy was made are not in the copy.
        for (place, kept) in (kept + [(tree, plain)]).enumerated() {
            Self.expectFound(kept.tree, kept.plain, "seed \(seed) copy \(place)")
            Self.expectSame(kept.tree, kept.plain, "seed \(seed) copy \(place)")
        }
    }

    @Test("An object with only the common interfaces is ignored")
    func commonInterfaces() {
        var tree = ObjectTree()
        #expect(tree.replace(with: snapshot([sensor: common])) == [])
        #expect(tree.interfacesAdded(service, content(common)) == [])
        #expect(tree == ObjectTree())
        #expect(tree.interfacesRemoved(service, common.keys.sorted()) == [])
    }

    @Test(
        "The children of an object do not include those of a neighbour with the same prefix",
        .pitfall(.pathPrefix)
    )
    func neighbours() {
        let names = ["service0001", "service0001/char0002", "service0001/char0002/desc0003"]
        let others = [
            "service0001a", "service0001a/char0002", "service0002", "service0002/char0003",
        ]
        let battery = "org.bluez.Battery1"
        var tree = ObjectTree()
        _ = tree.replace(with: snapshot([sensor: [Device1.interface: [:]]]))
        #expect(tree.paths(with: battery, below: sensor) == [])
        for name in (others + names).shuffled() {
            _ = tree.interfacesAdded(path(name), content([battery: [:]]))
        }
        #expect(tree.paths(with: battery, below: service) == names.dropFirst().map(path))
        #expect(tree.paths(with: battery, below: path(names[1])) == [path(names[2])])
        #expect(tree.paths(with: battery, below: sensor) == (names + others).map(path).sorted())
        for name in names { _ = tree.interfacesRemoved(path(name), [battery]) }
        #expect(tree.paths(with: battery, below: service) == [])
        #expect(tree.paths(with: battery, below: sensor) == others.map(path).sorted())
        func path(_ name: String) -> ObjectPath { ObjectPath("\(sensor)/\(name)") ?? .root }
    }

    @Test("A copy does not reflect later changes, whether it was read before or not")
    func copies() throws {
        let address = try #require(DeviceAddress("C4:7C:8D:6A:1F:02", kind: .public))
        let properties: ObjectTree.Properties = [
            "Address": .string("C4:7C:8D:6A:1F:02"), "RSSI": .int16(-60),
        ]
        for isFoundBefore in [false, true] {
            var tree = ObjectTree([sensor: [Device1.interface: properties]])
            let copy = tree
            if isFoundBefore { #expect(copy.device(address, of: hci0) == sensor) }
            let moved: ObjectTree.Properties = ["Address": .string("C4:7C:8D:6A:1F:03")]
            _ = tree.propertiesChanged(sensor, Device1.interface, moved, invalidated: ["RSSI"])
            _ = tree.interfacesAdded(other, content(["org.bluez.Battery1": [:]]))
            #expect(copy.properties(sensor, Device1.interface) == properties)
            #expect(copy.device(address, of: hci0) == sensor)
            #expect(copy.paths(with: "org.bluez.Battery1") == [])
            #expect(tree.properties(sensor, Device1.interface) == moved)
            #expect(tree.device(address, of: hci0) == nil)
            #expect(tree.paths(with: "org.bluez.Battery1") == [other])
        }
    }

    @Test("An invalidated address no longer finds the device, except in an earlier copy")
    func lostAddress() throws {
        let address = try #require(DeviceAddress("C4:7C:8D:6A:1F:02", kind: .public))
        let properties: ObjectTree.Properties = ["Address": .string("C4:7C:8D:6A:1F:02")]
        for isFoundBefore in [false, true] {
            var tree = ObjectTree([sensor: [Device1.interface: properties]])
            let copy = tree
            if isFoundBefore { #expect(tree.device(address, of: hci0) == sensor) }
            _ = tree.propertiesChanged(sensor, Device1.interface, [:], invalidated: ["Address"])
            #expect(tree.device(address, of: hci0) == nil)
            #expect(copy.device(address, of: hci0) == sensor)
        }
    }

    @Test("Of two devices with one address the last is found, and the other one after its removal")
    func oneAddress() throws {
        let address = try #require(DeviceAddress("C4:7C:8D:6A:1F:02", kind: .public))
        let properties: ObjectTree.Properties = ["Address": .string("C4:7C:8D:6A:1F:02")]
        let both = ObjectTree([
            sensor: [Device1.interface: properties], other: [Device1.interface: properties],
        ])
        #expect(both.device(address, of: hci0) == other)
        var one = both
        _ = one.interfacesRemoved(other, [Device1.interface])
        #expect(one.device(address, of: hci0) == sensor)
        _ = one.interfacesAdded(other, content([Device1.interface: properties]))
        _ = one.interfacesRemoved(sensor, [Device1.interface])
        #expect(one.device(address, of: hci0) == other)
        _ = one.interfacesRemoved(other, [Device1.interface])
        #expect(one.device(address, of: hci0) == nil)
        #expect(both.device(address, of: hci0) == other)
    }

    @Test("Changes without observers are stored and not reported")
    func unheard() {
        let objects: PlainTree.Objects = [
            hci0: [Adapter1.interface: [:]], sensor: [Device1.interface: ["RSSI": .int16(1)]],
            other: [Device1.interface: [:]],
        ]
        var tree = ObjectTree([other: [Device1.interface: ["RSSI": .int16(2)]]])
        let changes = tree.replace(with: place(of: snapshot(objects))) { $0 == hci0 }
        #expect(changes == [.added(hci0, interface: Adapter1.interface)])
        #expect(tree == ObjectTree(objects))
    }

    static let shapes: [BusValue] = [
        .byte(1), .string("a"), .strings(["a"]), .bytes([1, 2]), .structure([.byte(1)]),
        .properties([("a", .byte(1))]),
        .dictionary([BusEntry(.objectPath(hci0), .byte(1))], key: "o", value: "y"),
        .dictionary([BusEntry(.objectPath(hci0), .strings(["a"]))], key: "o", value: "as"),
        .dictionary([BusEntry(.string("/a"), content([:]))], key: "s", value: "a{sa{sv}}"),
        .dictionary(
            [
                BusEntry(
                    .objectPath(hci0),
                    .dictionary([BusEntry(.byte(1), .properties([]))], key: "y", value: "a{sv}")
                )
            ],
            key: "o",
            value: "a{ya{sv}}"
        ),
    ]

    @Test("Objects of another shape have no interfaces", arguments: shapes)
    func malformed(value: BusValue) {
        var tree = ObjectTree([sensor: [Device1.interface: [:]]])
        #expect(tree.replace(with: value) == [.removed(sensor, interface: Device1.interface)])
        for name in names { #expect(tree.paths(with: name) == []) }
        #expect(tree.properties(hci0, Adapter1.interface) == nil)
        var empty = ObjectTree()
        #expect(empty.replace(with: place()) == [])
        #expect(empty == ObjectTree())
    }

    @Test(
        "Properties of another shape are ignored",
        arguments: [
            .byte(1), .strings(["Address"]), .variant(.variant(.byte(1))),
            .dictionary([BusEntry(.byte(1), .variant(.byte(1)))], key: "y", value: "v"),
        ] as [BusValue]
    )
    func malformedProperties(value: BusValue) throws {
        let address = try #require(DeviceAddress("C4:7C:8D:6A:1F:02", kind: .public))
        let interfaces = BusValue.dictionary(
            [BusEntry(.string(Device1.interface), value)],
            key: "s",
            value: value.signature
        )
        let objects = BusValue.dictionary(
            [BusEntry(.objectPath(sensor), interfaces)],
            key: "o",
            value: interfaces.signature
        )
        var tree = ObjectTree()
        #expect(tree.replace(with: objects) == [.added(sensor, interface: Device1.interface)])
        #expect(tree.device(address, of: hci0) == nil)
        #expect(tree.properties(sensor, Device1.interface) == [:])
    }

    @Test("Nested variants are unwrapped, and of two entries with one name the first is used")
    func variants() throws {
        let address = try #require(DeviceAddress("C4:7C:8D:6A:1F:02", kind: .random))
        let properties = BusValue.properties([
            ("Address", .variant(.variant(.string("C4:7C:8D:6A:1F:02")))),
            ("AddressType", .string("random")), ("Address", .string("C4:7C:8D:6A:1F:03")),
            ("AddressType", .string("public")),
        ])
        let interfaces = BusValue.dictionary(
            [BusEntry(.string(Device1.interface), .variant(properties))],
            key: "s",
            value: "v"
        )
        let objects = BusValue.dictionary(
            [BusEntry(.objectPath(sensor), .variant(interfaces))],
            key: "o",
            value: "v"
        )
        var tree = ObjectTree()
        _ = tree.replace(with: .variant(objects))
        #expect(tree.device(address, of: hci0) == sensor)
        #expect(tree.device(at: sensor)?.address == address)
        #expect(
            tree.properties(sensor, Device1.interface) == [
                "Address": .string("C4:7C:8D:6A:1F:02"), "AddressType": .string("random"),
            ]
        )
    }
}
