import BluejayCore
import Foundation
import Testing

@Suite("Names and identifiers from the assigned numbers")
struct StandardNamesTests {
    private static let services: [(ServiceIdentifier, UInt16, String)] = [
        (.genericAccess, 0x1800, "Generic Access"),
        (.genericAttribute, 0x1801, "Generic Attribute"),
        (.immediateAlert, 0x1802, "Immediate Alert"),
        (.linkLoss, 0x1803, "Link Loss"),
        (.txPower, 0x1804, "Tx Power"),
        (.currentTime, 0x1805, "Current Time"),
        (.glucose, 0x1808, "Glucose"),
        (.healthThermometer, 0x1809, "Health Thermometer"),
        (.deviceInformation, 0x180A, "Device Information"),
        (.heartRate, 0x180D, "Heart Rate"),
        (.battery, 0x180F, "Battery"),
        (.bloodPressure, 0x1810, "Blood Pressure"),
        (.humanInterfaceDevice, 0x1812, "Human Interface Device"),
        (.runningSpeedAndCadence, 0x1814, "Running Speed and Cadence"),
        (.automationIO, 0x1815, "Automation IO"),
        (.cyclingSpeedAndCadence, 0x1816, "Cycling Speed and Cadence"),
        (.cyclingPower, 0x1818, "Cycling Power"),
        (.locationAndNavigation, 0x1819, "Location and Navigation"),
        (.environmentalSensing, 0x181A, "Environmental Sensing"),
        (.bodyComposition, 0x181B, "Body Composition"),
        (.userData, 0x181C, "User Data"),
        (.weightScale, 0x181D, "Weight Scale"),
        (.continuousGlucoseMonitoring, 0x181F, "Continuous Glucose Monitoring"),
        (.pulseOximeter, 0x1822, "Pulse Oximeter"),
        (.fitnessMachine, 0x1826, "Fitness Machine"),
    ]

    /// Numbers without a static identifier; bumble 0.0.236 and bleak 3.1.0 agree on each.
    private static let others: [(UInt16, String)] = [
        (0x1813, "Scan Parameters"), (0x181E, "Bond Management"),
        (0x1820, "Internet Protocol Support"), (0x1821, "Indoor Positioning"),
        (0x1823, "HTTP Proxy"), (0x1824, "Transport Discovery"), (0x1825, "Object Transfer"),
        (0x1827, "Mesh Provisioning"), (0x1828, "Mesh Proxy"),
        (0x1829, "Reconnection Configuration"), (0x183A, "Insulin Delivery"),
        (0x183B, "Binary Sensor"), (0x183C, "Emergency Configuration"),
        (0x183D, "Authorization Control"), (0x183E, "Physical Activity Monitor"),
        (0x183F, "Elapsed Time"), (0x1840, "Generic Health Sensor"),
        (0x1843, "Audio Input Control"), (0x1844, "Volume Control"), (0x1847, "Device Time"),
        (0x184D, "Microphone Control"), (0x1854, "Hearing Access"),
        (0x1857, "Electronic Shelf Label"), (0x2800, "Primary Service"),
        (0x2801, "Secondary Service"), (0x2802, "Include"), (0x2803, "Characteristic"),
        (0x2900, "Characteristic Extended Properties"),
        (0x2901, "Characteristic User Description"),
        (0x2902, "Client Characteristic Configuration"),
        (0x2903, "Server Characteristic Configuration"), (0x2906, "Valid Range"),
        (0x2908, "Report Reference"), (0x290E, "Time Trigger Setting"),
        (0x2B78, "Gain Settings Attribute"), (0x2B94, "Media Player Icon Object ID"),
        (0x2BA4, "Media Control Point"), (0x2BB4, "Bearer UCI"), (0x2BC0, "Termination Reason"),
        (0x2BC4, "Sink ASE"), (0x2BC8, "Broadcast Receive State"),
        (0x2BDC, "Active Preset Index"),
    ]

    @Test("A service has its number and its name", arguments: services)
    func service(identifier: ServiceIdentifier, number: UInt16, name: String) {
        #expect(identifier.uuid == BluetoothUUID(uint16: number))
        #expect(identifier.uuid.standardName == name)
    }

    @Test("A characteristic has its number, its name and its service")
    func characteristics() {
        for row in StandardCharacteristics.all {
            #expect(row.identifier.uuid == BluetoothUUID(uint16: row.number))
            #expect(row.identifier.uuid.standardName == row.name)
            #expect(row.identifier.service == row.service, "\(row.name)")
        }
    }

    @Test("All identifiers are unique, and each service has a characteristic")
    func unique() {
        let identifiers = StandardCharacteristics.all.map(\.identifier)
        #expect(Set(identifiers).count == identifiers.count)
        #expect(Set(identifiers.map(\.service)) == Set(Self.services.map { $0.0 }))
        #expect(Set(Self.services.map { $0.0 }).count == Self.services.count)
    }

    @Test("A number without a constant has a name, too", arguments: others)
    func other(number: UInt16, name: String) {
        #expect(BluetoothUUID(uint16: number).standardName == name)
    }

    @Test(
        "A withdrawn number still has a name",
        arguments: [(0x2A56, "Digital"), (0x2A58, "Analog")]
    )
    func withdrawn(number: UInt16, name: String) {
        #expect(BluetoothUUID(uint16: number).standardName == name)
    }

    @Test("Every spelling of a UUID has the same name")
    func spellings() {
        for text in ["2a37", "00002A37", "00002a37-0000-1000-8000-00805f9b34fb"] {
            #expect(BluetoothUUID(string: text).standardName == "Heart Rate Measurement")
        }
    }

    @Test(
        "An unassigned number has no name",
        arguments: [
            "1900", "180", "Heart Rate", "", "00012A37", "0001180D-0000-1000-8000-00805F9B34FB",
            "0000180D-0000-1000-8000-00805F9B34FC", "6E400001-B5A3-F393-E0A9-E50E24DCCA9E", "FE59",
        ]
    )
    func unnamed(text: String) {
        #expect(BluetoothUUID(string: text).standardName == nil)
    }

    @Test("Each row has a number in its range and a name, in ascending order without duplicates")
    func rows() {
        let ranges: [ClosedRange<UInt16>] = [0x1800...0x29FF, 0x2A00...0x2AFF, 0x2B00...0x2CFF]
        #expect(StandardNames.lists.count == ranges.count)
        for (list, range) in zip(StandardNames.lists, ranges) {
            let rows = StandardNames.rows(of: list)
            let numbers = rows.compactMap { UInt16($0.number, radix: 16) }
            #expect(numbers.count == rows.count)
            #expect(numbers.allSatisfy(range.contains))
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
            for (row, line) in zip(rows, list.split(separator: "\n")) {
                #expect(row.number == row.number.uppercased())
                #expect(!row.name.isEmpty && row.name.utf8.allSatisfy { 0x20...0x7E ~= $0 })
                #expect(row.name.trimmingCharacters(in: .whitespaces) == row.name)
                #expect(line == "\(row.number) \(row.name)")
                #expect(BluetoothUUID(string: row.number).standardName == row.name)
            }
        }
    }

    @Test("The lists contain all assigned numbers")
    func counts() {
        let numbers = StandardNames.lists.flatMap(StandardNames.rows(of:)).map(\.number)
        func count(_ prefix: String) -> Int { numbers.count { $0.hasPrefix(prefix) } }
        #expect(count("18") == 75)
        #expect(count("28") == 4)
        #expect(count("29") == 24)
        // 502 assigned, and 23 withdrawn.
        #expect(count("2A") + count("2B") + count("2C") == 525)
        #expect(numbers.count == 628)
    }
}
