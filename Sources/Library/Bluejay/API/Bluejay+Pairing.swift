/// Pairing: an encrypted link, with keys that both sides store.
extension Bluejay {
    /// Pairs with the connected peripheral.
    ///
    /// Joins the queue. If the peripheral is already paired, the call does not pair again. bluetoothd stores
    /// the keys, so that later connections are encrypted from the start; ``forget(_:completion:)`` removes
    /// them. Set a handler with `setPairingHandler(_:)` first. Without a handler, the desktop's agent
    /// answers pairing requests; without either, bluetoothd refuses to pair. If another instance on this main
    /// loop has a handler, its agent receives the requests and refuses them.
    ///
    /// - Parameters:
    ///   - timeout: Counted from its turn in the queue; `.none` means 60 s. The peripheral and bluetoothd
    ///     time out 30 s after the last step.
    ///   - completion: Called once. Fails with ``BluejayError/pairingRejected`` (by this computer),
    ///     ``BluejayError/pairingFailed(_:)`` (wrong number, refused by the peripheral, keys that do not
    ///     match), ``BluejayError/operationTimedOut``, ``BluejayError/notConnected`` (also if the link was
    ///     lost during pairing), ``BluejayError/cancelled``, or the error that ended it.
    /// - Note: `org.bluez.Device1.Pair`.
    public func pair(
        timeout: Timeout = .seconds(60),
        completion: @escaping @isolated(any) (WriteResult) -> Void
    ) {
        let completion = mainLoop.context.callback(completion)
        let subject = ErrorSubject(.pair)
        call(for: subject, onRejection: { completion(.failure($0)) }) { instance in
            instance.queue.enqueue(
                PairOperation(
                    instance.link,
                    instance.timeouts,
                    timeout: timeout,
                    completion: completion
                )
            )
        }
    }

    /// Cancels the pairing in progress, and refuses its pending request.
    ///
    /// Bypasses the queue. A running ``pair(timeout:completion:)`` fails with ``BluejayError/cancelled``.
    /// Calls that wait in the queue are not affected, nor is a pairing of another instance on the same link.
    ///
    /// - Parameter completion: Called once, when bluetoothd has ended the pairing, or if no pairing was in
    ///   progress. Fails with ``BluejayError/notConnected``.
    /// - Note: `org.bluez.Device1.CancelPairing`.
    public func cancelPairing(
        completion: @escaping @isolated(any) (Result<Void, BluejayError>) -> Void
    ) {
        let completion = mainLoop.context.callback(completion)
        startRequest(.cancelPairing, completion) { instance, finish in
            guard instance.queue.isConnected, let lease = instance.link.lease else {
                return finish(.failure(.notConnected))
            }
            lease.cancelPairing { finish(.success(())) }
        }
    }

    /// Sets the handler that answers pairing requests, from ``pair(timeout:completion:)`` or from the
    /// peripheral.
    ///
    /// The handler receives requests about the peripheral that this instance is connected or connecting to,
    /// on the main loop or on the actor of its closure. It must answer within 25 s: at once, or later through the ``PairingResponder`` that
    /// it keeps. Without an answer the pairing is refused. If several instances are connected to one
    /// peripheral, the handler that was set first receives the requests.
    ///
    /// While a handler is set and after `start(mode:)`, this program has an agent at bluetoothd, and
    /// bluetoothd's adapters are `Pairable`. The agent is not the default agent. If a desktop has a default
    /// agent, that agent answers for pairings that start because an encrypted value was read; the handler
    /// answers for those of ``pair(timeout:completion:)``.
    ///
    /// - Parameter handler: If `nil`, removes the handler and refuses pending requests. The instance holds
    ///   the handler strongly, so it must capture owners of the instance weakly.
    /// - Note: `org.bluez.Agent1`, with the capability `KeyboardDisplay`.
    public func setPairingHandler(_ handler: PairingHandler?) {
        let handler = handler.map { mainLoop.context.callback($0) }
        change { $0.pairing.setHandler(handler) }
    }
}
