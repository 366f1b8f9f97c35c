internal import BluejayBlueZ
internal import BluejayCore

extension LocalAdvertisement {
    /// The advertisement as bluetoothd reads it.
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
        return wire
    }

    /// Puts it on the bus; it is registered by what comes back.
    func publication(_ client: BlueZClient, _ hub: ExportHub) -> Publication {
        let served = ServedAdvertisement(
            wire,
            at: hub.freshPath("advertisement"),
            clock: client.clock
        )
        let publication = Publication(served, client: client)
        served.onReleased = { [weak publication] in publication?.released(isFinal: $0) }
        return publication
    }
}
