import BluejayCore
import BluejayDBus
import TestSupport
import TestTraits
import Testing

@testable import BluejayBlueZ

private let adapter: ObjectPath = "/org/bluez/hci0"
private let sensor: ObjectPath = "/org/bluez/hci0/dev_C4_7C_8D_6A_1F_02"
private let heartRate = "0000180d-0000-1000-8000-00805f9b34fb"

/// A bus with a scripted bluetoothd and a scanning client.
private final class ScannedBus {
    let loop = TestLoop()
    private(set) var reports: [DiscoveredDevice] = []
    /// The last reports of the devices whose connections have ended.
    private(set) var ended: [DiscoveredDevice] = []
    let client: BlueZClient
    private let bus: TestBus
    private let daemon: BusConnection
    private let session: DiscoverySession
    private var objects: ObjectServer?
    private var leases: [DiscoveryLease] = []
    private var marker: Int32 = 0

    init() throws {
        bus = try TestBus(loop)
        let address = BusAddress.address(bus.address)
        daemon = try BusConnection(address, on: loop.context, clock: loop.clock)
        client = BlueZClient(on: loop.context, address: address, clock: loop.clock)
        session = DiscoverySession(client, adapter: adapter)
        let objects = ObjectServer(daemon)
        objects.exportManager(at: .root)
        let methods = ["SetDiscoveryFilter": "a{sv}", "StartDiscovery": "", "StopDiscovery": ""]
        objects.export(
            [
                BusInterface(
                    Adapter1.interface,
                    properties: [BusProperty("Powered", "b", get: { .boolean(true) })],
                    methods: methods.map { name, types in
                        BusMethod(name, inputSignature: types) { $0.reply() }
                    }
                )
            ],
            at: adapter
        )
        daemon.requestName("org.bluez") { _ in }
        let client = client
        try loop.wait(for: "bluetoothd") { client.state == .running }
        self.objects = objects
    }

    func scan(_ filter: DiscoveryFilter = DiscoveryFilter(reportsDuplicates: true)) throws {
        let lease = session.scan(filter) { [weak self] in
            self?.reports.append($0)
        } connectionEnded: { [weak self] in
            self?.ended.append($0)
        } failed: { _ in
        }
        leases.append(lease)
        loop.clock.advance(by: .zero)
    }

    func takeReports() -> [DiscoveredDevice] {
        let drained = reports
        reports = []
        return drained
    }

    func endScans() {
        for lease in leases { lease.end() }
        leases = []
    }

    /// Signals a change of the device, as bluetoothd does.
    func change(
        _ properties: BusProperties,
        invalidated: [String] = [],
        of device: ObjectPath = sensor
    ) throws {
        try emit(device, Device1.interface, properties, invalidated)
    }

    func add(_ properties: BusProperties, as device: ObjectPath = sensor) throws {
        let content = [BusEntry(.string(Device1.interface), .properties(properties))]
        try daemon.emit(
            .root,
            StandardInterfaces.objectManager,
            "InterfacesAdded",
            [.objectPath(device), .dictionary(content, key: "s", value: "a{sv}")]
        )
    }

    func remove() throws {
        try daemon.emit(
            .root,
            StandardInterfaces.objectManager,
            "InterfacesRemoved",
            [.objectPath(sensor), .strings([Device1.interface])]
        )
    }

    /// Waits until the client has received all signals.
    func settle() throws {
        marker += 1
        let last = BusValue.int32(marker)
        try emit(adapter, Adapter1.interface, [("Marker", last)], [])
        let client = client
        try loop.wait(for: "the signals") {
            client.objects.value(adapter, Adapter1.interface, "Marker") == last
        }
    }

    private func emit(
        _ path: ObjectPath,
        _ interface: String,
        _ properties: BusProperties,
        _ invalidated: [String]
    ) throws {
        try daemon.emit(
            path,
            StandardInterfaces.properties,
            "PropertiesChanged",
            [.string(interface), .properties(properties), .strings(invalidated)]
        )
    }
}

@Suite("The reports of a scan", .timeLimit(.minutes(15)))
struct DiscoveredDeviceTests {
    private static let device: BusProperties = [
        ("Address", .string("C4:7C:8D:6A:1F:02")), ("Name", .string("Sensor")),
        ("UUIDs", .strings([heartRate])), ("Connected", .boolean(false)),
    ]
    private static let companies: BusProperties = [
        (
            "ManufacturerData",
            .dictionary([BusEntry(.uint16(1), .variant(.bytes([1])))], key: "q", value: "v")
        )
    ]

    @Test("A report has the latest advertisement and the properties that bluetoothd stores")
    func changes() throws {
        let bus = try ScannedBus()
        try bus.scan()
        try bus.add(Self.device + [("RSSI", .int16(-60))])
        try bus.change([("RSSI", .int16(-61))])
        try bus.change(Self.companies + [("RSSI", .int16(-62))])
        // A change of the connection is not an advertisement.
        try bus.change([("Connected", .boolean(true))])
        try bus.change([("RSSI", .int16(-63))])
        try bus.change([("Name", .string("Other")), ("Connected", .boolean(false))])
        try bus.change([("RSSI", .string("strong"))])
        try bus.change([("TxPower", .int16(4))])
        try bus.settle()
        let reports = bus.takeReports()
        #expect(reports.map(\.rssi) == [-60, -61, -62, -63, -63, nil, nil])
        #expect(reports.map(\.isConnected) == [false, false, false, true, false, false, false])
        #expect(
            reports.map(\.name)
                == ["Sensor", "Sensor", "Sensor", "Sensor", "Other", "Other", "Other"]
        )
        #expect(reports.map { $0.manufacturerData[1]?.count } == [nil, nil, 1, 1, 1, 1, 1])
        #expect(reports.map(\.txPower) == [nil, nil, nil, nil, nil, nil, 4])
        #expect(reports.allSatisfy { $0.uuids == [BluetoothUUID(uint16: 0x180D)] })
    }

    @Test(
        "The end of a connection is reported once, to a scan that has reported the connection",
        arguments: ["ends", "removed", "advertises"]
    )
    func connectionEnds(_ way: String) throws {
        let bus = try ScannedBus()
        try bus.add(Self.device.filter { $0.name != "Connected" } + [("Connected", .boolean(true))])
        try bus.settle()
        let heart = DiscoveryFilter(
            services: [BluetoothUUID(uint16: 0x180D)],
            reportsDuplicates: true
        )
        try bus.scan(heart)
        // Scans without a filter, and for another service, report no such device.
        try bus.scan()
        try bus.scan(
            DiscoveryFilter(services: [BluetoothUUID(uint16: 0x180F)], reportsDuplicates: true)
        )
        #expect(bus.takeReports().map(\.isConnected) == [true])
        switch way {
        case "ends": try bus.change([("Connected", .boolean(false))])
        case "removed": try bus.remove()
        default: try bus.change([("Connected", .boolean(false)), ("RSSI", .int16(-60))])
        }
        try bus.change([("Connected", .boolean(false))])
        try bus.settle()
        #expect(bus.ended.map(\.isConnected) == [false])
        #expect(bus.ended.map(\.name) == ["Sensor"])
        #expect(bus.takeReports().count == (way == "advertises" ? 2 : 0))
    }

    @Test(
        "A device without an RSSI is out of range until its RSSI is known again",
        .pitfall(.hiddenSignals)
    )
    func outOfRange() throws {
        let bus = try ScannedBus()
        try bus.scan()
        try bus.add(Self.device + [("RSSI", .int16(-60))])
        try bus.change([], invalidated: ["RSSI"])
        try bus.change(Self.companies)
        try bus.settle()
        #expect(bus.takeReports().map(\.rssi) == [-60])
        try bus.change([("RSSI", .int16(-70))])
        try bus.settle()
        #expect(bus.takeReports().map { $0.manufacturerData[1]?.count } == [1])
    }

    @Test(
        "A removed device that is added again is reported as new",
        .pitfall(.privateAddressesStayTemporary)
    )
    func removed() throws {
        let bus = try ScannedBus()
        try bus.scan()
        try bus.add(Self.device + Self.companies + [("RSSI", .int16(-60))])
        try bus.remove()
        try bus.change([("RSSI", .int16(-61))])
        try bus.add(Self.device + [("RSSI", .int16(-62))])
        try bus.change([("RSSI", .int16(-63))])
        try bus.settle()
        let reports = bus.takeReports()
        #expect(reports.map(\.rssi) == [-60, -62, -63])
        #expect(reports.map(\.manufacturerData.count) == [1, 0, 0])
    }

    @Test("Observers receive no advertised properties, but the object tree stores them")
    func observers() throws {
        let bus = try ScannedBus()
        var record: [ObjectTree.Change] = []
        let observations = [ObservationScope.everything, .devices(of: adapter), .device(sensor)]
            .map { scope in
                bus.client.observe(scope) { event in
                    guard case .changed(let changes) = event else { return }
                    record += changes.filter { $0.interface == Device1.interface }
                }
            }
        func rssi() -> Int? { bus.client.objects.device(at: sensor)?.rssi }
        try bus.add(Self.device)
        try bus.settle()
        #expect(record == Array(repeating: .added(sensor, interface: Device1.interface), count: 3))
        record = []
        try bus.change([("RSSI", .int16(-60))])
        try bus.settle()
        #expect(rssi() == -60)
        try bus.scan()
        _ = bus.takeReports()
        try bus.change([("RSSI", .int16(-61))])
        try bus.settle()
        #expect(rssi() == -61)
        #expect(bus.takeReports().map(\.rssi) == [-61])
        bus.endScans()
        try bus.change([("RSSI", .int16(-62))])
        try bus.settle()
        #expect(rssi() == -62)
        #expect(bus.takeReports().isEmpty)
        #expect(record.isEmpty)
        let values: BusProperties = [("RSSI", .int16(-63)), ("Connected", .boolean(true))]
        try bus.change(values)
        try bus.settle()
        let change = ObjectTree.Change.changed(
            sensor,
            interface: Device1.interface,
            values: ["RSSI": .int16(-63), "Connected": .boolean(true)],
            invalidated: []
        )
        #expect(record == [change, change, change])
        withExtendedLifetime(observations) {}
    }

    @Test("A scan reports only the devices of its adapter")
    func otherAdapter() throws {
        let bus = try ScannedBus()
        try bus.scan()
        for name in ["hci1", "hci00"] {
            let other = try #require(ObjectPath("/org/bluez/\(name)/dev_C4_7C_8D_6A_1F_02"))
            try bus.add(Self.device + [("RSSI", .int16(-60))], as: other)
            try bus.change([("RSSI", .int16(-61))], of: other)
        }
        try bus.settle()
        #expect(bus.takeReports().isEmpty)
    }

    @Test("Each of several scans receives all reports from its start on")
    func several() throws {
        let bus = try ScannedBus()
        try bus.scan()
        try bus.add(Self.device + [("RSSI", .int16(-60))])
        try bus.settle()
        try bus.scan()
        // Only the second scan receives it: the first one has reported the device already.
        #expect(bus.takeReports().map(\.rssi) == [-60, -60])
        try bus.change([("RSSI", .int16(-61))])
        try bus.settle()
        #expect(bus.takeReports().map(\.rssi) == [-61, -61])
    }

    @Test("A report matches the object tree after any sequence of changes", arguments: 1...4)
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bus = try ScannedBus()
        try bus.scan()
        try bus.add(Self.device + [("RSSI", .int16(-60))])
        let others: BusProperties = [
            ("Connected", .boolean(true)), ("Connected", .boolean(false)), ("Name", .string("B")),
            ("Name", .byte(1)), ("UUIDs", .strings([])), ("AddressType", .string("random")),
            ("AddressType", .string("odd")), ("AddressType", .string("public")),
        ]
        let values = AdvertisementUpdateTests.values + others
        let advertised: Set = [
            "RSSI", "TxPower", "ManufacturerData", "ServiceData", "AdvertisingData",
            "AdvertisingFlags", "Name", "UUIDs",
        ]
        try bus.settle()
        _ = bus.takeReports()
        for step in 0..<150 {
            let changes = (0..<Int.random(in: 1...2, using: &random)).compactMap { _ in
                values.randomElement(using: &random)
            }
            let lost = Int.random(in: 0..<8, using: &random) == 0 ? ["RSSI"] : []
            try bus.change(changes, invalidated: lost)
            try bus.settle()
            let device = try #require(bus.client.objects.device(at: sensor))
            let isTold = device.isSeen && changes.contains { advertised.contains($0.name) }
            let expected = isTold ? DiscoveredDevice(sensor, device) : nil
            #expect(bus.takeReports() == [expected].compactMap(\.self), "seed \(seed) step \(step)")
        }
    }
}
