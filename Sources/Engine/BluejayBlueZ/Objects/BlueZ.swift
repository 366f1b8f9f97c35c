package import BluejayDBus

/// Where bluetoothd is on the bus.
package enum BlueZ {
    package static let service = "org.bluez"
    package static let root: ObjectPath = "/org/bluez"
}
