import BluejayCore
import Foundation
import Testing

@Suite("Information about a peripheral")
struct PeripheralValueTests {
    private func address(_ text: String, _ kind: DeviceAddress.Kind) throws -> PeripheralIdentifier
    {
        PeripheralIdentifier(address: try #require(DeviceAddress(text, kind: kind)), name: nil)
    }

    @Test("A presentation format is encoded to and decoded from seven bytes")
    func presentationFormat() throws {
        let bytes = Data([0x0E, 0xFE, 0x2F, 0x27, 0x01, 0x0D, 0x01])
        let format = PresentationFormat(
            format: .int16,
            exponent: -2,
            unit: 0x272F,
            namespace: 1,
            description: 0x010D
        )
        #expect(try PresentationFormat(bluetoothData: bytes) == format)
        #expect(try PresentationFormat(bluetoothData: (Data([9]) + bytes).dropFirst()) == format)
        #expect(try PresentationFormat(bluetoothData: bytes + [1, 2]) == format)
        #expect(format.toBluetoothData() == bytes)
        #expect(
            PresentationFormat(format: .utf8Text).toBluetoothData()
                == Data([0x19, 0, 0, 0x27, 1, 0, 0])
        )
        #expect(throws: BluejayError.dataOutOfBounds(start: 5, length: 2, count: 6)) {
            try PresentationFormat(bluetoothData: bytes.prefix(6))
        }
    }

    @Test("The exponent applies only to integer formats")
    func exponent() {
        typealias Format = PresentationFormat.Format
        #expect(Format.uint2.hasExponent && Format.int128.hasExponent)
        #expect(!Format.boolean.hasExponent && !Format.float32.hasExponent)
    }

    @Test("A system identifier is an EUI-64, whose organization is sent last")
    func systemIdentifier() throws {
        let bytes = Data([0x02, 0x1F, 0x6A, 0xFE, 0xFF, 0x8D, 0x7C, 0xC4])
        let identifier = try SystemIdentifier(bluetoothData: bytes)
        #expect(identifier.organization == 0xC47C8D)
        #expect(identifier.device == 0xFF_FE6A_1F02)
        #expect("\(identifier)" == "C4-7C-8D-FF-FE-6A-1F-02")
        #expect(throws: BluejayError.self) { try SystemIdentifier(bluetoothData: bytes.prefix(7)) }
    }

    @Test(
        "The vendor source of a PnP ID names the organization that assigned the vendor number",
        arguments: [(1, .bluetooth), (2, .usb), (7, .reserved(7))]
            as [(UInt8, PlugAndPlayIdentifier.VendorSource)]
    )
    func plugAndPlay(source: UInt8, vendorSource: PlugAndPlayIdentifier.VendorSource) throws {
        let bytes = Data([source, 0x6B, 0x1D, 0x46, 0x02, 0x13, 0x02])
        let identifier = try PlugAndPlayIdentifier(bluetoothData: bytes)
        #expect(identifier.vendorSource == vendorSource)
        #expect(identifier.vendor == 0x1D6B)
        #expect(identifier.product == 0x0246)
        #expect(identifier.version == 0x0213)
    }

    @Test("Device information accepts any text, and omits values that are too short")
    func deviceInformation() {
        var information = DeviceInformation()
        #expect(DeviceInformation.characteristics.allSatisfy { $0.service == .deviceInformation })
        information.decode(Data("Blue\0\0".utf8), for: .manufacturerNameString)
        information.decode(Data([0x41, 0xFF, 0x42]), for: .modelNumberString)
        information.decode(Data([1, 2]), for: .systemID)
        information.decode(Data(), for: .pnpID)
        information.decode(Data([1]), for: .regulatoryCertificationDataList)
        information.decode(Data([1]), for: .batteryLevel)
        var expected = DeviceInformation()
        expected.manufacturer = "Blue"
        expected.model = "A\u{FFFD}B"
        expected.regulatoryData = Data([1])
        #expect(information == expected)
    }

    @Test(
        "An appearance has a category and a subcategory",
        arguments: [
            (0x0000, 0, 0, "Unknown"), (0x0341, 0x0D, 1, "Heart Rate Sensor"),
            (0x03C1, 0x0F, 1, "Human Interface Device"), (0x0ACA, 0x2B, 10, "Signage"),
            (0x0C41, 0x31, 1, "Pulse Oximeter"), (0x1440, 0x51, 0, "Outdoor Sports Activity"),
            (0x1482, 0x52, 2, "Industrial Measurement Device"),
            (0x14C0, 0x53, 0, "Industrial Tools"), (0x1500, 0x54, 0, "Cookware Device"),
        ] as [(UInt16, UInt16, UInt16, String)]
    )
    func appearance(number: UInt16, category: UInt16, kind: UInt16, name: String) {
        let appearance = Appearance(rawValue: number)
        #expect(appearance.category == category)
        #expect(appearance.subcategory == kind)
        #expect(appearance.categoryName == name)
        #expect("\(appearance)" == name)
    }

    @Test("A reserved appearance has no name and is described by its number")
    func reservedAppearance() {
        #expect(Appearance(rawValue: 0x0B00).categoryName == nil)
        #expect("\(Appearance(rawValue: 0xFFFF))" == "FFFF")
    }

    @Test(
        "The two highest bits of a random address determine its class (Vol 6, Part B, 1.3.2)",
        arguments: [
            ("FF", .staticRandom), ("C0", .staticRandom), ("BF", nil), ("80", nil),
            ("7F", .resolvablePrivate), ("40", .resolvablePrivate),
            ("3F", .nonResolvablePrivate), ("00", .nonResolvablePrivate),
        ] as [(String, AddressClass?)]
    )
    func addressClass(first: String, expected: AddressClass?) throws {
        #expect(try address("\(first):00:00:00:00:01", .random).addressClass == expected)
        #expect(try address("\(first):00:00:00:00:01", .public).addressClass == .public)
    }

    @Test("An identifier without an address has no address class")
    func noAddress() {
        #expect(PeripheralIdentifier(uuid: UUID(), name: nil).addressClass == nil)
    }
}
