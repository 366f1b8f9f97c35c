import BluejayCore
import BluejayDBus
import TestTraits
import Testing

@testable import BluejayBlueZ

private let hci0: ObjectPath = "/org/bluez/hci0"
private let sensor: ObjectPath = "/org/bluez/hci0/dev_C4_7C_8D_6A_1F_02"

@Suite("Properties of adapters and of their devices")
struct AdapterPropertiesTests {
    @Test("The properties of an adapter are read as recorded with BlueZ 5.66")
    func recorded() throws {
        let adapter = try #require(
            Adapter1([
                "Address": .string("00:AA:01:00:00:00"), "AddressType": .string("public"),
                "Name": .string("BlueZ 5.66"), "Alias": .string("lab"), "Class": .uint32(0),
                "Powered": .boolean(true), "PowerState": .string("on"),
                "Discovering": .boolean(true), "Modalias": .string("usb:v1D6Bp0246d0542"),
                "Roles": .strings(["central", "peripheral", "central-peripheral", "broadcaster"]),
            ]).adapter(named: "hci0")
        )
        #expect(adapter.description == "hci0 (00:AA:01:00:00:00)")
        #expect(adapter.alias == "lab")
        #expect(!adapter.isRandomAddress)
        #expect(adapter.isPowered)
        #expect(!adapter.isBlocked)
        #expect(adapter.isDiscovering)
        #expect(adapter.bluezVersion == BlueZVersion(5, 66))
        #expect(adapter.features == [.central, .peripheral, .centralAndPeripheral])
    }

    @Test(
        "Missing or mistyped properties are unknown; an object without an address is not an adapter"
    )
    func missing() throws {
        #expect(Adapter1(["Name": .string("a")]).adapter(named: "hci0") == nil)
        #expect(Adapter1(["Address": .boolean(true)]).adapter(named: "hci0") == nil)
        let adapter = try #require(
            Adapter1([
                "Address": .string("00:AA:01:00:00:00"), "AddressType": .uint32(7),
                "Alias": .boolean(true), "Name": .string("computer"), "Powered": .string("yes"),
                "PowerState": .string("off-blocked"), "Modalias": .uint32(1), "Roles": .byte(0),
            ]).adapter(named: "hci0")
        )
        #expect(adapter.alias == "computer")
        #expect(!adapter.isPowered)
        #expect(adapter.isBlocked)
        #expect(adapter.bluezVersion == nil)
        #expect(adapter.features == .central)
    }

    @Test(
        "The manager interfaces of an adapter object determine its features",
        .pitfall(.experimentalFeatures)
    )
    func interfaces() {
        let tree = ObjectTree([
            hci0: [
                Adapter1.interface: ["Address": .string("00:AA:01:00:00:00")],
                "org.bluez.LEAdvertisingManager1": [:],
                "org.bluez.AdvertisementMonitorManager1": [:],
            ]
        ])
        #expect(Adapter1.features(of: hci0, in: tree) == [.advertising, .advertisementMonitors])
        #expect(Adapter1.features(of: "/org/bluez/hci1", in: tree) == [])
    }

    @Test("The experimental features of the kernel are listed from BlueZ 5.63 on")
    func experimentalFeatures() {
        func features(_ properties: ObjectTree.Properties) -> [String] {
            ObjectTree([hci0: [Adapter1.interface: properties]])
                .experimentalFeatures(ofAdapter: hci0)
        }
        let quality = "330859bc-7506-492d-9370-9a6f0614037f"
        #expect(features(["ExperimentalFeatures": .strings([quality])]) == [quality])
        #expect(features([:]) == [])
        #expect(features(["ExperimentalFeatures": .boolean(true)]) == [])
        #expect(ObjectTree().experimentalFeatures(ofAdapter: hci0) == [])
    }

    @Test("The known devices of one adapter are listed with their stored properties")
    func devices() {
        let tree = ObjectTree([
            hci0: [Adapter1.interface: [:]],
            sensor: [
                Device1.interface: [
                    "Address": .string("C4:7C:8D:6A:1F:02"), "AddressType": .string("random"),
                    "Name": .string("Sensor"), "Paired": .boolean(true),
                    "Bonded": .boolean(false), "Trusted": .boolean(true),
                    "Connected": .boolean(true),
                    "UUIDs": .strings(["0000180d-0000-1000-8000-00805f9b34fb"]),
                ]
            ],
            "/org/bluez/hci0/dev_00_00_00_00_00_01": [
                Device1.interface: [
                    "Address": .string("00:00:00:00:00:01"), "Paired": .boolean(true),
                    "RSSI": .int16(-60),
                ]
            ],
            "/org/bluez/hci0/dev_broken": [Device1.interface: ["Name": .string("no address")]],
            "/org/bluez/hci1/dev_C4_7C_8D_6A_1F_02": [
                Device1.interface: ["Address": .string("C4:7C:8D:6A:1F:02")]
            ],
        ])
        let known = tree.knownPeripherals(of: hci0)
        #expect(known.map(\.identifier.address) == ["00:00:00:00:00:01", "C4:7C:8D:6A:1F:02"])
        #expect(known.map(\.name) == ["No Name", "Sensor"])
        // BlueZ before 5.65 lacks `Bonded`.
        #expect(known.map(\.isBonded) == [true, false])
        #expect(known.map(\.isPaired) == [true, true])
        #expect(known.map(\.isTrusted) == [false, true])
        #expect(known.map(\.isConnected) == [false, true])
        #expect(known.map(\.rssi) == [-60, nil])
        #expect(known.map(\.services) == [[], [.heartRate]])
    }
}

@Suite("Detection of a foreign discovery")
struct ForeignDiscoveryTests {
    @Test("A discovery without a local session is foreign")
    func foreign() {
        var discovery = ExternalDiscoveryTracker()
        #expect(discovery.observed(isDiscovering: false, isLocal: false) == false)
        #expect(discovery.observed(isDiscovering: true, isLocal: false) == true)
    }

    @Test("The owner is unknown during a local session, until bluetoothd has reported the end")
    func ours() {
        var discovery = ExternalDiscoveryTracker()
        #expect(discovery.observed(isDiscovering: false, isLocal: true) == false)
        #expect(discovery.observed(isDiscovering: true, isLocal: true) == nil)
        #expect(discovery.observed(isDiscovering: true, isLocal: false) == nil)
        #expect(discovery.observed(isDiscovering: false, isLocal: false) == false)
        #expect(discovery.observed(isDiscovering: true, isLocal: false) == true)
    }

    @Test("A foreign discovery that a local session joins has an unknown owner")
    func joined() {
        var discovery = ExternalDiscoveryTracker()
        _ = discovery.observed(isDiscovering: true, isLocal: false)
        #expect(discovery.observed(isDiscovering: true, isLocal: true) == nil)
        #expect(discovery.observed(isDiscovering: true, isLocal: false) == nil)
    }
}

@Suite("Selection of another adapter at run time")
struct AdapterChoiceTests {
    private static let hci1: ObjectPath = "/org/bluez/hci1"

    private static func known(_ zero: AdapterState, _ one: AdapterState) -> [KnownAdapter] {
        [(hci0, zero, "00:AA:01:00:00:00"), (hci1, one, "00:AA:01:01:00:01")].map {
            KnownAdapter(path: $0.0, address: $0.2, state: $0.1)
        }
    }

    private static func selector(
        _ choice: AdapterChoice,
        _ zero: AdapterState,
        _ one: AdapterState
    ) -> AdapterSelector {
        var selector = AdapterSelector(choice)
        _ = selector.changed(.running, known(zero, one))
        return selector
    }

    @Test("A change from one powered adapter to another does not report a new Bluetooth state")
    func bothOn() {
        var selector = Self.selector(.any, .on, .on)
        #expect(
            selector.select(.named("hci1"), .running, Self.known(.on, .on)) == [.use(Self.hci1)]
        )
        #expect(selector.choice == .named("hci1"))
        #expect(selector.usableAdapter == Self.hci1)
        #expect(selector.select(.any, .running, Self.known(.on, .on)) == [.use(hci0)])
    }

    @Test(
        "A change to an adapter that is off reports Bluetooth as off, also for a choice by address"
    )
    func off() {
        var selector = Self.selector(.any, .on, .off)
        let choice = AdapterChoice.named("00:aa:01:01:00:01")
        #expect(
            selector.select(choice, .running, Self.known(.on, .off)) == [.report(.poweredOff)]
        )
        #expect(selector.adapter == Self.hci1)
        #expect(
            selector.changed(.running, Self.known(.on, .on))
                == [.use(Self.hci1), .report(.poweredOn)]
        )
    }

    @Test("A new choice releases the pin")
    func pinned() {
        var selector = Self.selector(.any, .off, .on)
        _ = selector.setPinned(true)
        _ = selector.changed(.running, Self.known(.on, .on))
        #expect(selector.adapter == Self.hci1)
        #expect(selector.select(.any, .running, Self.known(.on, .on)) == [.use(hci0)])
    }

    @Test("A choice made before the first reply of bluetoothd takes effect with this reply")
    func early() {
        var selector = AdapterSelector(.any)
        #expect(
            selector.select(.named("hci1"), .running, Self.known(.on, .on))
                == [.use(Self.hci1), .report(.poweredOn)]
        )
    }
}
