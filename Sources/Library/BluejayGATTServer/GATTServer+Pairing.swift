public import BluejayCore

extension GATTServer {
    /// Answers pairing requests of centrals; nil, the default, handles none.
    ///
    /// The handler runs on the main loop and answers within 25 s: at once, or later through the
    /// ``PairingAnswer``. Without an answer the pairing is refused. Peripherals that this process has
    /// connected to do not reach the handler. If several servers share an adapter, the first one with a
    /// handler receives the requests.
    ///
    /// While a handler is set, this program registers an agent with bluetoothd, and its adapters are
    /// `Pairable`. If a desktop has the default agent, that one answers centrals that initiate pairing.
    /// Setting nil refuses the pending request.
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
