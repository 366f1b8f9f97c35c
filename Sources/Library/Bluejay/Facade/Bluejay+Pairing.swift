/// Pairing: an encrypted link, with keys that both sides keep.
extension Bluejay {
    /// Pairs with the connected peripheral.
    ///
    /// Joins the queue. A peripheral that is paired is not asked again. bluetoothd keeps the keys, so that
    /// later connections are encrypted from their beginning; ``forget(_:completion:)`` removes them.
    /// Without a pairing handler the questions go to the agent of the desktop, and where there is none
    /// bluetoothd refuses to pair: ``setPairingHandler(_:)`` first. If another instance on this main loop
    /// has a handler, its agent is asked and refuses.
    ///
    /// - Parameters:
    ///   - timeout: From the call's turn in the queue; none is 60 s. The peripheral and bluetoothd give up
    ///     by themselves 30 s after the last step.
    ///   - completion: Called once. Fails with ``BluejayError/pairingRefused`` (here),
    ///     ``BluejayError/pairingFailed(_:)`` (wrong number, refused there, keys that do not fit),
    ///     ``BluejayError/operationTimedOut``, ``BluejayError/notConnected`` (also when the link was lost
    ///     with the pairing), ``BluejayError/cancelled``, or what else ended it.
    /// - Note: `org.bluez.Device1.Pair`.
    public func pair(
        timeout: Timeout = .seconds(60),
        completion: @escaping (WriteResult) -> Void
    ) {
        let subject = ErrorSubject(.pair)
        call(for: subject, refuse: { completion(.failure($0)) }) { instance in
            instance.queue.enqueue(
                PairOperation(
                    instance.link,
                    instance.timeouts,
                    limit: timeout,
                    completion: completion
                )
            )
        }
    }

    /// Takes back the pairing that is under way, and refuses what is being asked.
    ///
    /// Joins no queue. A ``pair(timeout:completion:)`` that is under way fails with
    /// ``BluejayError/cancelled``; one that waits in the queue is left alone, and so is a pairing that
    /// another instance on the same link waits for.
    ///
    /// - Parameter completion: Called once, when bluetoothd has let go of it, also when there was none.
    ///   Fails with ``BluejayError/notConnected``.
    /// - Note: `org.bluez.Device1.CancelPairing`.
    public func cancelPairing(
        completion: @escaping (Result<Void, BluejayError>) -> Void = { _ in }
    ) {
        begin(.cancelPairing, completion) { instance, finish in
            guard instance.queue.isConnected, let lease = instance.link.lease else {
                return finish(.failure(.notConnected))
            }
            lease.cancelPairing { finish(.success(())) }
        }
    }

    /// Sets who is asked while the peripheral pairs, by ``pair(timeout:completion:)`` or by itself.
    ///
    /// The handler is asked about the peripheral that this instance is connected to or connects to, each
    /// time on the main loop, and answers within 25 s: at once, or later through the ``PairingAnswer`` that
    /// it keeps. Without an answer the pairing is refused. Of several instances that are connected to one
    /// peripheral the one that set a handler first is asked.
    ///
    /// From ``start(mode:)`` on, while there is a handler, bluetoothd has an agent of this program, and its
    /// adapters are `Pairable`. It is not the default agent: where a desktop has one, that is asked about a
    /// pairing that begins by itself, because an encrypted value was read, and the handler about those of
    /// ``pair(timeout:completion:)``.
    ///
    /// - Parameter handler: Nil ends it, and refuses what is being asked. Held until then: capture what
    ///   holds this instance weakly.
    /// - Note: `org.bluez.Agent1`, with the capability `KeyboardDisplay`.
    public func setPairingHandler(_ handler: PairingHandler?) {
        change { $0.pairing.setHandler(handler) }
    }
}
