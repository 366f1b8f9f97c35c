internal import BluejayDBus

/// `org.bluez.Battery1`: the battery of a device, which bluetoothd reads on its own.
///
/// BlueZ 5.48 to 5.79 claim the Battery service (180F) for it and do not export that service.
package struct Battery1 {
    package static let interface = "org.bluez.Battery1"

    private let properties: ObjectTree.Properties

    package init(_ properties: ObjectTree.Properties) {
        self.properties = properties
    }

    package var percentage: UInt8? {
        BusNumber.percentage.read(properties["Percentage"]).map { UInt8($0) }
    }
}
