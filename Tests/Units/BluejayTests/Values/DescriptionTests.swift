import BluejayCore
import Foundation
import Testing

@testable import Bluejay

@Suite("Descriptions of values")
struct DescriptionTests {
    private let heartRate: ServiceIdentifier = "180D"

    private var service: PeripheralService {
        PeripheralService(
            identifier: heartRate,
            isPrimary: true,
            characteristics: [
                PeripheralCharacteristic(
                    identifier: CharacteristicIdentifier(uuid: "2A37", service: heartRate),
                    properties: .notify,
                    descriptors: ["2902"]
                ),
                PeripheralCharacteristic(
                    identifier: CharacteristicIdentifier(
                        uuid: "FFE1",
                        service: heartRate,
                        instance: 1
                    ),
                    properties: [.read, .write],
                    descriptors: []
                ),
            ],
            includedServices: ["180F"]
        )
    }

    private func discovery(name: String?) throws -> ScanDiscovery {
        ScanDiscovery(
            peripheralIdentifier: try PeripheralIdentifier(
                address: "C4:7C:8D:6A:1F:02",
                isRandomAddress: true,
                name: name
            ),
            advertisement: Advertisement(
                localName: name,
                manufacturerData: [0x0059: Data([1, 0xAB])],
                serviceData: ["180F": Data([87])],
                serviceUUIDs: ["180D", "FFE0"],
                txPower: -4,
                flags: [.generalDiscoverable],
                appearance: Appearance(rawValue: 0x0341),
                rawFields: [0x14: Data([0x0D, 0x18])]
            ),
            rssi: -60
        )
    }

    @Test("A service and a characteristic have their standard names on one line")
    func services() {
        #expect("\(service)" == "Heart Rate (180D), 2 characteristics")
        let lines = service.characteristics.map { "\($0)" }
        #expect(
            lines == ["Heart Rate Measurement (2A37): notify", "FFE1 instance 1: read, write"]
        )
        #expect(
            String(reflecting: service)
                == "Heart Rate (180D), includes Battery (180F) [Heart Rate Measurement (2A37): notify "
                + "with Client Characteristic Configuration (2902); FFE1 instance 1: read, write]"
        )
        #expect(
            String(reflecting: service.characteristics[0])
                == "Heart Rate Measurement (2A37) of Heart Rate (180D): notify, descriptors "
                + "Client Characteristic Configuration (2902)"
        )
    }

    @Test("A discovery shows name, RSSI and services; its debug description shows all fields")
    func discoveries() throws {
        let discovery = try discovery(name: "Polar H10")
        #expect(
            "\(discovery)" == "Polar H10 (C4:7C:8D:6A:1F:02), -60 dBm, Heart Rate (180D), FFE0"
        )
        let all = String(reflecting: discovery)
        for part in [
            "Polar H10 (C4:7C:8D:6A:1F:02)", "-60 dBm", "services Heart Rate (180D), FFE0",
            "solicited services Heart Rate (180D)", "data of Battery (180F) 57",
            "data of company 0x0059 01AB", "field 0x14 0D18", "transmit power -4 dBm",
            "appearance Heart Rate Sensor", "flags general discoverable",
        ] { #expect(all.contains(part), "\(part) in \(all)") }
        let connected = ScanDiscovery(
            peripheralIdentifier: discovery.peripheralIdentifier,
            advertisement: Advertisement(),
            rssi: 127,
            isConnected: true
        )
        #expect("\(connected)" == "Polar H10 (C4:7C:8D:6A:1F:02), connected")
        #expect("\(Advertisement())" == "no data")
    }

    @Test("Text of a peer is printed on one line, without control characters")
    func hostileText() throws {
        let hostile = "Lamp\n\u{1B}[2J\u{9B}1m\u{202E}"
        let discovery = try discovery(name: hostile)
        var information = DeviceInformation()
        information.manufacturer = hostile
        information.firmwareRevision = hostile
        var advertised = KnownPeripheral(discovery.peripheralIdentifier)
        advertised.isConnected = true
        let values: [Any] = [
            discovery, discovery.advertisement, information, advertised,
            WatchEvent.found(discovery), ConnectionResult.success(discovery.peripheralIdentifier),
            PeripheralIdentifier(stringLiteral: hostile),
            BluetoothUUID(string: hostile).namedText,
        ]
        for value in values {
            for text in ["\(value)", value is String ? "" : String(reflecting: value)] {
                let isClean = text.unicodeScalars.allSatisfy {
                    $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && $0.value != 0x202E
                }
                #expect(isClean, "\(type(of: value))")
            }
        }
    }

    @Test("Results show their values and their errors")
    func results() throws {
        let lamp = try discovery(name: "Lamp").peripheralIdentifier
        #expect("\(ConnectionResult.success(lamp))" == "success(Lamp (C4:7C:8D:6A:1F:02))")
        let failed = ReadResult<UInt8>.failure(BluejayError.notConnected)
        #expect("\(failed)".hasPrefix("failure(not connected;"))
    }

    @Test("Readings print lines with units, and their debug descriptions print all fields")
    func readings() throws {
        let heart = try HeartRateReading(bluetoothData: Data([0x16, 72, 0, 4]))
        #expect("\(heart)" == "72 bpm, skin contact, intervals 1000 ms")
        #expect(String(reflecting: heart).contains("energyExpendedInKilojoules: nil"))
        #expect("\(BatteryReading(percent: 87))" == "87 %")
        #expect("\(try TemperatureReading(bluetoothData: Data([0x50, 0x0D])))" == "34.08 °C")
        let pressure = try BloodPressureReading(
            bluetoothData: Data([0, 120, 0, 80, 0, 93, 0])
        )
        #expect("\(pressure)" == "120.0/80.0 mmHg, mean 93.0")
        let time = BluetoothDateTime(
            year: 2026,
            month: 1,
            day: nil,
            hour: 2,
            minute: 3,
            second: 4
        )
        #expect("\(time)" == "2026-01-?? 02:03:04")
        let bike = try IndoorBikeReading(
            bluetoothData: Data([0x44, 0x02, 0xC4, 0x09, 180, 0, 0xCD, 0, 150])
        )
        #expect("\(bike)" == "25.0 km/h, 90.0 rpm, 205 W, 150 bpm")
        let none = try MedFloat16(bluetoothData: Data([0xFF, 0x07]))
        #expect("\(none)" == "notANumber")
        #expect("\(CurrentTimeReading.AdjustReasons(rawValue: 0b1010))" == "bits 1, 3")
        let format = PresentationFormat(format: .int16, exponent: -2, unit: 0x272F)
        #expect("\(format)" == "format 14, exponent -2, unit 272F, namespace 1, description 0000")
    }

    /// One value of each public type that others than the compiler describe.
    private var values: [any CustomStringConvertible] {
        get throws {
            let zeros = Data(repeating: 0, count: 60)
            let types: [any (Receivable & CustomStringConvertible).Type] = [
                HeartRateReading.self, BatteryReading.self, TemperatureReading.self,
                HumidityReading.self, PressureReading.self, ThermometerReading.self,
                BloodPressureReading.self, WeightReading.self, BodyCompositionReading.self,
                GlucoseReading.self, GlucoseContextReading.self,
                CyclingSpeedAndCadenceReading.self, CyclingPowerReading.self,
                RunningSpeedAndCadenceReading.self, PulseOximeterReading.self,
                PulseOximeterSpotCheckReading.self, BatteryStatusReading.self,
                CurrentTimeReading.self, BluetoothDateTime.self, TreadmillReading.self,
                IndoorBikeReading.self, RowerReading.self, BodySensorLocation.self,
                PlugAndPlayIdentifier.self, SystemIdentifier.self,
            ]
            return try types.map { try $0.init(bluetoothData: zeros) } + [
                service, service.characteristics[0], try discovery(name: nil), Advertisement(),
                KnownPeripheral("C4:7C:8D:6A:1F:02"), DeviceInformation(),
                BluetoothAdapter.Features(), AdvertisingFlags(), GlucoseReading.Status(),
                BloodPressureReading.Status.bodyMovement, CurrentTimeReading.AdjustReasons(),
                BatteryStatusReading.ChargingFaults.battery, BluejayError.Code.notConnected,
                BatteryStatusReading.ChargingType.trickle, PresentationFormat.Format.boolean,
            ]
        }
    }

    @Test("No value is printed as a dump of its fields or as an empty line")
    func noDumps() throws {
        for value in try values {
            let text = "\(value)"
            #expect(!text.isEmpty && !text.contains("\n"), "\(type(of: value))")
            #expect(!text.contains("nil") && !text.contains("rawValue"), "\(text)")
            #expect(!text.hasPrefix("\(type(of: value))("), "\(text)")
            #expect(!text.contains("Bluejay"), "\(text)")
        }
    }
}
