internal import BluejayDBus

/// `org.bluez.Battery1`: the battery of a device, which bluetoothd reads by itself.
///
/// BlueZ 5.48 to 5.79 keep the service Battery (180F) for it: its objects are not on the bus then.
package struct Battery1 {
    package static let interface = "org.bluez.Battery1"

    private let properties: ObjectTree.Properties

    package init(_ properties: ObjectTree.Properties) {
        self.properties = properties
    }

    /// 0 to 100.
    package var percentage: UInt8? {
        BusNumber.percentage.read(properties["Percentage"]).map { UInt8($0) }
    }
}
