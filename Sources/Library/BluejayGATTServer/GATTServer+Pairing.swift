public import BluejayCore

extension GATTServer {
    /// Answers pairing requests of centrals; nil, the default, handles none.
    ///
    /// The handler is called on the main loop. It answers within 25 s: at once, or later through the
    /// ``PairingAnswer`` that it keeps. Without an answer the pairing is refused. Requests of peripherals
    /// that this process has connected to are not passed to it. If several servers share an adapter, only the
    /// server that set a handler first receives requests.
    ///
    /// While a handler is set, this program registers an agent with bluetoothd, and its adapters are
    /// `Pairable`. The agent is not the default agent: if a desktop has one, it answers centrals that
    /// initiate pairing. Setting the handler to nil refuses the pending request.
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
