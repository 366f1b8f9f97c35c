extension Bluejay {
    /// The services of the connected peripheral, in the order of their handles.
    ///
    /// The list is known from `connected(to:)` on, without radio traffic, and kept up to date. It is empty
    /// while no peripheral is connected. bluetoothd hides the service Generic Access.
    /// ``BluetoothUUID/standardName`` has the names of standard services.
    public var services: [PeripheralService] {
        state(otherwise: [], published: \.services) {
            $0.queue.isConnected ? $0.link.services : []
        }
    }

    /// The handles of the connected peripheral's attributes; must be read on the loop.
    package var attributeHandles: AttributeHandles {
        AttributeHandles(instance.link.link?.services ?? [])
    }
}
