public import BluejayCore

extension GATTServer {
    /// Who is asked while a central pairs with this machine; nil, as at first, is nobody.
    ///
    /// It is called on the main loop, and answers within 25 s: at once, or later through the
    /// ``PairingAnswer`` that it keeps. Without an answer the pairing is refused. Peripherals that this
    /// process has connected to are not asked about here. Of several servers on one adapter the one that
    /// set a handler first is asked.
    ///
    /// While there is a handler, bluetoothd has an agent of this program, and its adapters are `Pairable`.
    /// It is not the default agent: where a desktop has one, that is asked, for centrals that begin to pair.
    /// Set to nil it refuses what is being asked.
    ///
    /// - Note: `org.bluez.Agent1`, with the capability `KeyboardDisplay`.
    public var pairingHandler: PairingHandler? {
        get { runner.pairing.handler.latest }
        set {
            runner.pairing.handler.set(newValue, on: mainLoop) { [runner] _ in
                runner.pairing.follow()
            }
        }
    }
}
