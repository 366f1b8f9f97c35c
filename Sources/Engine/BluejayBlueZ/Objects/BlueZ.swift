package import BluejayDBus

/// The D-Bus names of bluetoothd.
package enum BlueZ {
    package static let service = "org.bluez"
    package static let root: ObjectPath = "/org/bluez"
}
