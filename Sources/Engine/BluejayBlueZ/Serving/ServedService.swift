/// A service as bluetoothd reads it; UUIDs are the full text, flags are BlueZ's words.
package struct ServedService {
    package var uuid: String
    package var isPrimary: Bool
    package var characteristics: [ServedCharacteristic]

    package init(uuid: String, isPrimary: Bool, characteristics: [ServedCharacteristic]) {
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.characteristics = characteristics
    }
}

/// A characteristic as bluetoothd reads it, and who answers for it.
package struct ServedCharacteristic {
    package var uuid: String
    package var flags: [String]
    package var descriptors: [ServedDescriptor]
    /// Not held by what is on the bus.
    package var handler: any CharacteristicHandler
    /// Gives each subscriber a socket, and is not held either; nil where all are told together.
    package var sockets: NotifySockets?

    package init(
        uuid: String,
        flags: [String],
        descriptors: [ServedDescriptor],
        handler: any CharacteristicHandler,
        sockets: NotifySockets? = nil
    ) {
        self.uuid = uuid
        self.flags = flags
        self.descriptors = descriptors
        self.handler = handler
        self.sockets = sockets
    }
}

/// A descriptor as bluetoothd reads it, and who answers for it.
package struct ServedDescriptor {
    package var uuid: String
    package var flags: [String]
    /// Not held by what is on the bus.
    package var handler: any AttributeHandler

    package init(uuid: String, flags: [String], handler: any AttributeHandler) {
        self.uuid = uuid
        self.flags = flags
        self.handler = handler
    }
}

/// Answers the reads and writes of one characteristic or descriptor.
package protocol AttributeHandler: AnyObject {
    /// Ends with `answer` or `refuse`, at once or later.
    func read(_ call: AttributeRequest)
    /// Ends with `accept` or `refuse`, at once or later.
    func write(_ call: AttributeRequest)
}

/// Answers for one characteristic.
package protocol CharacteristicHandler: AttributeHandler {
    /// The first central has subscribed.
    func subscribed()
    /// No central is subscribed any more.
    func unsubscribed()
    /// A central has confirmed an indication.
    func confirmed()
}
