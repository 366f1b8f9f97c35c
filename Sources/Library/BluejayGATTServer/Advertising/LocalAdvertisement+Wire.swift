internal import BluejayBlueZ
internal import BluejayCore

extension LocalAdvertisement {
    /// The advertisement in the form that bluetoothd reads.
    var wire: LEAdvertisement1 {
        var wire = LEAdvertisement1()
        wire.isConnectable = isConnectable
        wire.isDiscoverable = AdvertisementLayout.isDiscoverable(self)
        wire.serviceUUIDs = serviceUUIDs
        wire.manufacturerData = manufacturerData
        wire.serviceData = serviceData
        wire.localName = localName
        wire.appearance = appearance
        wire.includesTxPower = includesTxPower
        wire.interval = interval
        wire.timeout = timeout
        wire.txPower = txPower.flatMap { Int16(exactly: $0) }
        return wire
    }
}
