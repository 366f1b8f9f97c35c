internal import BluejayDBus

extension Device1 {
    /// Pairs with a device, connecting first if necessary.
    ///
    /// bluetoothd calls the agent of the calling bus connection, or the default agent if the connection
    /// has none. BlueZ 5.66 does not reply to a call for a paired device until its link ends.
    static func pair(_ device: ObjectPath) -> MethodCall {
        MethodCall(BlueZ.service, device, interface, "Pair")
    }

    /// Cancels a `Pair` call, even one of another client.
    static func cancelPairing(_ device: ObjectPath) -> MethodCall {
        MethodCall(BlueZ.service, device, interface, "CancelPairing")
    }

    /// The value of `Paired` in a signal, or `nil` if the signal does not contain it.
    static func pairedIfPresent(_ changed: ObjectTree.Properties) -> Bool? {
        changed["Paired"]?.boolean
    }
}
