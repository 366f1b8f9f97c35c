package import BluejayDBus

/// The names of BlueZ's D-Bus API, as its documentation writes them.
package enum BlueZ {
    package static let service = "org.bluez"
    package static let root: ObjectPath = "/org/bluez"
    package static let adapter = "org.bluez.Adapter1"
    package static let device = "org.bluez.Device1"
    package static let gattService = "org.bluez.GattService1"
    package static let gattCharacteristic = "org.bluez.GattCharacteristic1"
    package static let gattDescriptor = "org.bluez.GattDescriptor1"
    package static let gattManager = "org.bluez.GattManager1"
    package static let advertisement = "org.bluez.LEAdvertisement1"
    package static let advertisingManager = "org.bluez.LEAdvertisingManager1"
    package static let properties = "org.freedesktop.DBus.Properties"
    package static let objectManager = "org.freedesktop.DBus.ObjectManager"
}
