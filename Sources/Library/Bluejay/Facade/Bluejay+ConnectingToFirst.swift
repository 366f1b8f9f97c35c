extension Bluejay {
    /// Connects to the first peripheral that fits a filter: a scan and a connection as one call.
    ///
    /// If the connected peripheral matches, or was found by the same filter, the call succeeds at once. If
    /// a matching peripheral is being connected, also by a reconnection, the call ends with that attempt;
    /// unlike ``connect(_:timeout:warningOptions:completion:)`` it can be repeated after a lost link.
    ///
    /// Joins the queue as a `connect` does, and ends a scan that is in it. Of those that are heard the
    /// first that fits is taken, whatever becomes of it; one that this machine is connected to already only
    /// when nobody else was heard for a second. Until somebody is found there is nobody that the
    /// observers and the ``DisconnectHandler`` could hear of; then all is as for
    /// ``connect(_:timeout:warningOptions:completion:)``.
    ///
    /// ```swift
    /// bluejay.connect(toFirst: .anyService([heartRate]), within: 15) { result in … }
    /// ```
    ///
    /// - Parameters:
    ///   - filter: Whom to connect to.
    ///   - limit: For the search and the connection together, from their turn in the queue; `.none`
    ///     tries until it is cancelled, and that of ``defaultTimeouts`` for connections is the standard.
    ///   - completion: Called once. Fails with ``BluejayError/noPeripheralFound(_:)`` when nobody was
    ///     found in time, ``BluejayError/connectionTimedOut`` when somebody was and the rest was not
    ///     enough, ``BluejayError/malformedUUID(_:)`` or ``BluejayError/malformedAddress(_:)``,
    ///     ``BluejayError/multipleConnectNotSupported`` beside a peripheral that does not match; else with
    ///     what the completion of a `connect` fails with.
    /// - Note: `org.bluez.Adapter1.StartDiscovery`, then `org.bluez.Device1.Connect`.
    public func connect(
        toFirst filter: ScanFilter,
        within limit: Timeout = .standard,
        completion: @escaping (ConnectionResult) -> Void
    ) {
        let subject = ErrorSubject(.connect)
        call(for: subject, refuse: { completion(.failure($0)) }) { instance in
            if let refusal = filter.refusal {
                return instance.scheduler.completeOnNextIteration {
                    completion(.failure(subject.named(refusal)))
                }
            }
            instance.connection.connectOrJoin(.first(filter), within: limit, completion: completion)
        }
    }
}
