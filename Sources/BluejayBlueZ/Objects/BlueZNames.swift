package import BluejayDBus

/// Where bluetoothd is on the bus, and the names of its interfaces, as its documentation writes them.
///
/// What an interface has is in the file of that interface.
package enum BlueZ {
    package static let service = "org.bluez"
    package static let root: ObjectPath = "/org/bluez"
    package static let adapter = Adapter1.interface
    package static let device = Device1.interface
    package static let gattService = GattService1.interface
    package static let gattCharacteristic = GattCharacteristic1.interface
    package static let gattDescriptor = GattDescriptor1.interface
    package static let gattManager = "org.bluez.GattManager1"
    package static let advertisement = "org.bluez.LEAdvertisement1"
    package static let advertisingManager = "org.bluez.LEAdvertisingManager1"
    package static let properties = StandardBus.properties
    package static let objectManager = StandardBus.objectManager
}
