/// A service as bluetoothd reads it, with full UUID texts and BlueZ's flags.
package struct ExportedService {
    package var uuid: String
    package var isPrimary: Bool
    package var characteristics: [ExportedCharacteristic]

    package init(uuid: String, isPrimary: Bool, characteristics: [ExportedCharacteristic]) {
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.characteristics = characteristics
    }
}

/// A characteristic as bluetoothd reads it, and its handler.
package struct ExportedCharacteristic {
    package var uuid: String
    package var flags: [String]
    package var descriptors: [ExportedDescriptor]
    /// Weakly referenced by the exported object.
    package var handler: any CharacteristicHandler
    /// The subscribers' sockets; `nil` if signals carry the values.
    package var sockets: AcquireNotifyRequest.Handlers?

    package init(
        uuid: String,
        flags: [String],
        descriptors: [ExportedDescriptor],
        handler: any CharacteristicHandler,
        sockets: AcquireNotifyRequest.Handlers? = nil
    ) {
        self.uuid = uuid
        self.flags = flags
        self.descriptors = descriptors
        self.handler = handler
        self.sockets = sockets
    }
}

/// A descriptor as bluetoothd reads it, and its handler.
package struct ExportedDescriptor {
    package var uuid: String
    package var flags: [String]
    /// Weakly referenced by the exported object.
    package var handler: any AttributeHandler

    package init(uuid: String, flags: [String], handler: any AttributeHandler) {
        self.uuid = uuid
        self.flags = flags
        self.handler = handler
    }
}

/// Handles reads and writes of one characteristic or descriptor.
package protocol AttributeHandler: AnyObject {
    /// Complete the call by `reply` or `reject`, immediately or later.
    func read(_ call: AttributeRequest)
    /// Complete the call by `accept` or `reject`, immediately or later.
    func write(_ call: AttributeRequest)
}

/// Handles all calls of one characteristic.
package protocol CharacteristicHandler: AttributeHandler {
    func subscribed()
    func unsubscribed()
    func confirmed()
}
