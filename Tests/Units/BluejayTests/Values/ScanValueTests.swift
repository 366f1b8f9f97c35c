import Bluejay
import Foundation
import Testing

@Suite("Values of a scan")
struct ScanValueTests {
    private func discovery(_ advertisement: Advertisement) throws -> ScanDiscovery {
        let identifier = try PeripheralIdentifier(
            address: "C4:7C:8D:6A:1F:02",
            isRandomAddress: true,
            name: "Sensor"
        )
        return ScanDiscovery(
            peripheralIdentifier: identifier,
            advertisement: advertisement,
            rssi: -60
        )
    }

    @Test("The advertisement packet has all values with the keys and types of CoreBluetooth")
    func packet() throws {
        let heartRate = BluetoothUUID(uint16: 0x180D)
        let packet = try discovery(
            Advertisement(
                localName: "Sensor",
                manufacturerData: [0x1234: Data([9]), 0x004C: Data([2, 21])],
                serviceData: [heartRate: Data([7])],
                serviceUUIDs: [heartRate],
                txPower: -4,
                isConnectable: false
            )
        ).advertisementPacket
        #expect(packet[CBAdvertisementDataLocalNameKey] as? String == "Sensor")
        #expect(
            packet[CBAdvertisementDataManufacturerDataKey] as? Data == Data([0x4C, 0, 2, 21])
        )
        #expect(
            packet[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] == [heartRate: Data([7])]
        )
        #expect(packet[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [heartRate])
        #expect(packet[CBAdvertisementDataTxPowerLevelKey] as? Int == -4)
        #expect((packet[CBAdvertisementDataTxPowerLevelKey] as? NSNumber)?.intValue == -4)
        #expect(packet[CBAdvertisementDataIsConnectable] as? Bool == false)
        #expect((packet[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue == false)
        #expect(packet.count == 6)
    }

    @Test("Solicited services are read from the raw fields, and an incomplete UUID is omitted")
    func solicitedServices() throws {
        let fields: [UInt8: Data] = [
            0x14: Data([0x0D, 0x18, 0x0F, 0x18, 0x0A]), 0x1F: Data([0x78, 0x56, 0x34, 0x12]),
            0x15: Data(0...15), 0x24: Data([1]),
        ]
        let advertisement = Advertisement(rawFields: fields)
        let expected = ["180D", "180F", "12345678", "0F0E0D0C-0B0A-0908-0706-050403020100"]
        #expect(advertisement.solicitedServiceUUIDs == expected.map { BluetoothUUID(string: $0) })
        let packet = try discovery(advertisement).advertisementPacket
        let solicited = packet[CBAdvertisementDataSolicitedServiceUUIDsKey] as? [CBUUID]
        #expect(solicited == advertisement.solicitedServiceUUIDs)
        #expect(Advertisement(rawFields: [0x15: Data(0...14)]).solicitedServiceUUIDs.isEmpty)
    }

    @Test("The flags of an advertisement have names, and reserved bits are printed as a number")
    func flags() {
        let flags: AdvertisingFlags = [.generalDiscoverable, .classicNotSupported]
        #expect(flags.rawValue == 0x06)
        #expect(flags.description == "general discoverable, no Classic")
        #expect(AdvertisingFlags(rawValue: 0x81).description == "limited discoverable, 0x80")
        #expect(AdvertisingFlags().description == "none")
    }

    @Test("A value that is not advertised has no key")
    func emptyPacket() throws {
        let packet = try discovery(Advertisement()).advertisementPacket
        #expect(packet.isEmpty, "\(packet)")
        #expect(Advertisement().isConnectable == nil)
    }

    @Test("The connect action accepts two values or four")
    func connectSpellings() throws {
        let seen = try discovery(Advertisement())
        let spellings: [ScanAction] = [
            .connect(seen, { _ in }),
            .connect(seen) { _ in },
            .connect(seen, .none, .default, { _ in }),
        ]
        // Without its own limit, it has the limit of all connections; with four values, the given one.
        let limits: [Timeout] = [.standard, .standard, .none]
        for (action, limit) in zip(spellings, limits) {
            guard case .connect(let found, let timeout, let options, _) = action else {
                Issue.record("the action does not connect")
                continue
            }
            #expect(found == seen)
            #expect(timeout == limit)
            #expect(options == .default)
        }
    }

    @Test("The two-value form calls the given completion")
    func completionIsKept() throws {
        let seen = try discovery(Advertisement())
        var results: [PeripheralIdentifier] = []
        let action = ScanAction.connect(seen) { result in
            if case .success(let peripheral) = result { results.append(peripheral) }
        }
        if case .connect(_, _, _, let completion) = action {
            completion(.success(seen.peripheralIdentifier))
        }
        #expect(results == [seen.peripheralIdentifier])
    }

    @Test("No warnings are enabled by default")
    func warnings() {
        let options = WarningOptions.default
        #expect(!options.notifyOnConnection)
        #expect(!options.notifyOnDisconnection)
        #expect(!options.notifyOnNotification)
    }

    @Test("The listen options keep their raw values")
    func rawValues() {
        #expect(MultipleListenOption.trap.rawValue == 0)
        #expect(MultipleListenOption.replaceable.rawValue == 1)
        #expect(CBCharacteristicWriteType.withResponse.rawValue == 0)
        #expect(CBCharacteristicWriteType.withoutResponse.rawValue == 1)
    }
}
