extension Bluejay {
    /// Connects to the first peripheral that matches a filter: a scan and a connection in one call.
    ///
    /// If the connected peripheral matches, or was found by the same filter, the call succeeds at once. If a
    /// connection to a matching peripheral is in progress, including a reconnection, the call completes with
    /// that attempt. Unlike ``connect(_:timeout:warningOptions:completion:)`` it can be repeated after a lost
    /// link.
    ///
    /// Joins the queue like a `connect`, and ends a queued scan. The first matching advertiser is chosen,
    /// even if the connection to it fails. A match that is already connected to this computer is chosen only
    /// if no other is found within a second. Observers and the ``DisconnectHandler`` receive no events until
    /// a peripheral is found; from then on, the call behaves like
    /// ``connect(_:timeout:warningOptions:completion:)``.
    ///
    /// ```swift
    /// bluejay.connect(toFirst: .anyService([heartRate]), within: 15) { print($0) }
    /// ```
    ///
    /// - Parameters:
    ///   - filter: The conditions for the peripheral.
    ///   - limit: For the search and the connection together, counted from their turn in the queue. `.none`
    ///     retries until the call is cancelled; `.standard` is the connection limit in ``defaultTimeouts``.
    ///   - completion: Called once. Fails with ``BluejayError/noPeripheralFound(_:)`` if the search times
    ///     out, ``BluejayError/connectionTimedOut`` if the connection to a found peripheral times out,
    ///     ``BluejayError/malformedUUID(_:)`` or ``BluejayError/malformedAddress(_:)``,
    ///     ``BluejayError/multipleConnectNotSupported`` if another peripheral is connected that does not
    ///     match, and with the errors of `connect`.
    /// - Note: `org.bluez.Adapter1.StartDiscovery`, then `org.bluez.Device1.Connect`.
    public func connect(
        toFirst filter: ScanFilter,
        within limit: Timeout = .standard,
        completion: @escaping @isolated(any) (ConnectionResult) -> Void
    ) {
        let completion = mainLoop.context.callback(completion)
        let subject = ErrorSubject(.connect)
        call(for: subject, onRejection: { completion(.failure($0)) }) { instance in
            if let rejection = filter.rejection {
                return instance.scheduler.completeOnNextIteration {
                    completion(.failure(subject.annotate(rejection)))
                }
            }
            instance.connection.connectOrJoin(.first(filter), within: limit, completion: completion)
        }
    }
}
