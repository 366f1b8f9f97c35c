import Testing

@testable import BluejayCore

@Suite("The version of BlueZ")
struct BlueZVersionTests {
    @Test(
        "The last four digits of Modalias contain the version",
        arguments: [
            ("usb:v1D6Bp0246d0542", "5.66"), ("usb:v1d6bp0246d0537", "5.55"),
            ("usb:v1D6Bp0246d0509", "5.9"), ("usb:v1D6Bp0246d0600", "6.0"),
        ]
    )
    func readable(modalias: String, version: String) {
        #expect(BlueZVersion(modalias: modalias)?.description == version)
    }

    @Test(
        "Any other text has no version",
        arguments: [
            "", "usb:v1D6Bp0246d", "usb:v1D6Bp0246d05", "usb:v1D6Bp0246d05420",
            "usb:v1D6Bp0246d+542", "usb:v1D6Bp0246dzzzz", "usb:v1D6Bp0247d0542",
            "bluetooth:v1D6Bp0246d0542", "usb:v1D6Bp0246d05é",
        ]
    )
    func unreadable(modalias: String) {
        #expect(BlueZVersion(modalias: modalias) == nil)
    }

    @Test("Version 5.9 is older than 5.66, and 5.66 is older than 6.0")
    func order() {
        #expect(BlueZVersion(5, 9) < BlueZVersion(5, 66))
        #expect(BlueZVersion(5, 66) < BlueZVersion(6, 0))
        #expect(!(BlueZVersion(5, 66) < BlueZVersion(5, 66)))
    }
}
