import BluejayCommandLine
import BluejayCore
import Foundation

@testable import Bluejay
@testable import BluejayBlueZ
@testable import BluejayDBus
@testable import BluejayGATTServer
@testable import BluejaySimulator
@testable import BluejayTool

/// Feeds advertised data to the parsers of the client and of the simulated BlueZ.
///
/// A device that is updated by signals must equal one that is read from the same properties. The library and
/// the simulated BlueZ must agree on the length of an advertisement.
enum AdvertisingFuzzing {
    static func play(_ bytes: Data) throws {
        var input = FuzzInput(bytes)
        if input.flag() {
            try playDiscovery(&input)
        } else {
            try playAdvertisement(&input)
        }
    }

    // MARK: Discovery

    private static func playDiscovery(_ input: inout FuzzInput) throws {
        var properties: ObjectTree.Properties = ["Address": .string("00:00:00:00:00:01")]
        for _ in 0..<input.number(below: 8) {
            let (name, value) = input.property()
            if name != "Address", name != "AddressType" { properties[name] = value.unwrapped }
        }
        let path = BlueZFuzzing.devices[0]
        guard var device = DiscoveredDevice(path, Device1(properties)) else {
            throw Fuzzing.Violation(description: "\(properties) are of no device")
        }
        for _ in 0..<8 where !input.isEmpty {
            let update = (0..<1 + input.number(below: 3)).map { _ in
                let field = input.choice(of: AdvertisementUpdate.Field.allCases)
                let other = input.property()
                let value = other.name == field.rawValue ? other.value : input.value()
                return AdvertisementUpdate.Value(field: field, value: value.unwrapped)
            }
            let change = AdvertisementUpdate(update)
            device.apply(change)
            change.apply(to: &properties)
            let read = DiscoveredDevice(path, Device1(properties))
            try expect(read == device, "the properties of \(device) are \(properties)")
        }
        try check(device)
    }

    private static func check(_ device: DiscoveredDevice) throws {
        let advertisement = Advertisement(
            localName: device.name,
            manufacturerData: device.manufacturerData,
            serviceData: device.serviceData,
            serviceUUIDs: device.uuids,
            txPower: device.txPower,
            flags: device.flags.map { AdvertisingFlags(rawValue: $0) },
            appearance: device.appearance.map { Appearance(rawValue: $0) },
            rawFields: device.otherFields
        )
        let lengths = [0x14: 2, 0x1F: 4, 0x15: 16].map { type, length in
            (device.otherFields[UInt8(type)]?.count ?? 0) / length
        }
        let solicited = advertisement.solicitedServiceUUIDs
        try expect(solicited.count == lengths.reduce(0, +), "\(solicited) are solicited")
        _ = (advertisement.packet, "\(advertisement)")
        let row = ScanRow(
            ScanDiscovery(
                peripheralIdentifier: PeripheralIdentifier(
                    address: device.address,
                    name: device.name
                ),
                advertisement: advertisement,
                rssi: device.rssi ?? 127
            )
        )
        let fields = row.line.split(separator: "\t", omittingEmptySubsequences: false)
        try expect(fields.count == 6, "\(row.line) has \(fields.count) fields")
        for field in fields {
            try expect(field == String(field).printable, "\(field) is not printable")
        }
        _ = try JSONLines().line(DiscoveryJSON(row))
    }

    // MARK: Advertisements

    private static func playAdvertisement(_ input: inout FuzzInput) throws {
        let advertisement = input.advertisement()
        let properties = Dictionary(
            advertisement.wire.properties.map { ($0.name, $0.value) },
            uniquingKeysWith: { first, _ in first }
        )
        try playForeignProperties(properties, &input)
        let problem = Result { try advertisement.validated() }
        let parsed = Result { () throws(AdvertisementParser.Failure) in
            try AdvertisementParser.parse(properties, isDiscoverable: false, adapterName: "a")
        }
        switch (problem, parsed) {
        case (.success, .success(let data)):
            try expect(
                data.lengthInBytes == advertisement.length,
                "\(advertisement) has \(data.lengthInBytes) bytes, not \(advertisement.length)"
            )
        case (.success, .failure(let failure)):
            throw Fuzzing.Violation(description: "\(advertisement) is refused: \(failure)")
        case (.failure, _): break
        }
    }

    /// Replaces properties by those that another program may register.
    private static func playForeignProperties(
        _ properties: [String: BusValue],
        _ input: inout FuzzInput
    ) throws {
        let names = [
            "Type", "ServiceUUIDs", "SolicitUUIDs", "ManufacturerData", "ServiceData", "Data",
            "LocalName", "Includes", "Discoverable", "Appearance", "Timeout", "MinInterval",
            "Patterns",
        ]
        var properties = properties
        for _ in 0..<input.number(below: 4) { properties[input.choice(of: names)] = input.value() }
        let name = input.text()
        guard
            let data = try? AdvertisementParser.parse(
                properties,
                isDiscoverable: input.flag(),
                setsPower: input.flag(),
                adapterName: name
            )
        else { return }
        try expect(data.lengthInBytes <= 31, "an advertisement has \(data.lengthInBytes) bytes")
        guard let patterns = AdvertisementPatterns(properties) else { return }
        for version in SimulatedBlueZVersion.allCases { _ = patterns.matches(data, version) }
    }
}

extension FuzzInput {
    fileprivate mutating func uuid() -> BluetoothUUID {
        switch number(below: 3) {
        case 0: BluetoothUUID(uint16: integer())
        case 1: BluetoothUUID(uint32: integer())
        default: BluetoothUUID(littleEndian: data(of: 16)) ?? BluetoothUUID(string: text())
        }
    }

    fileprivate mutating func advertisement() -> LocalAdvertisement {
        var advertisement = LocalAdvertisement()
        advertisement.serviceUUIDs = (0..<number(below: 4)).map { _ in uuid() }
        for _ in 0..<number(below: 3) { advertisement.manufacturerData[integer()] = bytes() }
        for _ in 0..<number(below: 3) { advertisement.serviceData[uuid()] = bytes() }
        if flag() { advertisement.localName = text() }
        if flag() { advertisement.appearance = integer() }
        advertisement.includesTxPower = flag()
        advertisement.isConnectable = flag()
        advertisement.isDiscoverable = flag()
        if flag() {
            let limits = [Int32](repeating: 0, count: 2).map { _ in
                Duration.milliseconds(integer(Int32.self))
            }.sorted()
            advertisement.interval = limits[0]...limits[1]
        }
        if flag() { advertisement.timeout = .milliseconds(integer(Int32.self)) }
        if flag() { advertisement.txPower = Int(integer(Int16.self)) }
        return advertisement
    }
}
