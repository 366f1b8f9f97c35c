internal import BluejayDBus

extension Device1 {
    /// Pairs with a device, connecting to it first.
    ///
    /// The agent of the calling connection is asked, the default one when it has none. 5.66 does not answer
    /// for a device that is paired, before its link goes.
    static func pair(_ device: ObjectPath) -> MethodCall {
        MethodCall(BlueZ.service, device, interface, "Pair")
    }

    /// Ends a `Pair`, whoever called it.
    static func cancelPairing(_ device: ObjectPath) -> MethodCall {
        MethodCall(BlueZ.service, device, interface, "CancelPairing")
    }

    /// Whether it is paired, as a part of a signal; nil when the signal does not say it.
    static func pairedIfTold(_ changed: ObjectTree.Properties) -> Bool? {
        changed["Paired"]?.boolean
    }
}
