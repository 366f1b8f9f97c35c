internal import BluejayBlueZ
internal import BluejayGLib

extension Bluejay {
    /// Returns bluetoothd's data about the connected peripheral, without radio traffic.
    ///
    /// - Returns: A snapshot; ``PeripheralObserver`` reports changes.
    /// - Throws: ``BluejayError/notConnected``.
    /// - Note: The properties of `org.bluez.Device1`.
    public func peripheralDetails() throws -> PeripheralDetails {
        let details: PeripheralDetails? = state(otherwise: nil, published: \.details) {
            $0.queue.isConnected ? $0.link.details : nil
        }
        guard let details else { throw BluejayError.notConnected }
        return details
    }

    /// Returns the negotiated ATT MTU, without radio traffic.
    ///
    /// Only bluetoothd can negotiate the MTU; it requests 517. The MTU may grow after the connection is
    /// established; a ``PeripheralObserver`` receives the change.
    ///
    /// - Returns: 23 to 517 bytes, or `nil` before BlueZ 5.62, which does not report the MTU.
    /// - Throws: ``BluejayError/notConnected``.
    /// - Note: `org.bluez.GattCharacteristic1.MTU`.
    public func mtu() throws -> Int? {
        // An inner nil means no MTU, an outer nil no connection.
        let mtu: Int?? = state(
            otherwise: nil,
            published: { $0.isUp ? .some($0.mtu) : nil },
            { instance in
                guard instance.queue.isConnected, let link = instance.link.link else {
                    return nil
                }
                return .some(link.reportedMTU)
            }
        )
        guard let mtu else { throw BluejayError.notConnected }
        return mtu
    }

    /// Sets the name of the connected peripheral on this computer, for all programs.
    ///
    /// Joins the queue, without radio traffic. On completion ``PeripheralDetails/alias`` has the name.
    /// bluetoothd stores it for peripherals that it remembers.
    ///
    /// - Parameters:
    ///   - alias: The name. An empty string restores the peripheral's own name.
    ///   - completion: Called once. Fails with ``BluejayError/notConnected``, an error of BlueZ, or the error
    ///     that cancelled it.
    /// - Note: `org.bluez.Device1.Alias`.
    public func setAlias(
        _ alias: String,
        completion: @escaping @isolated(any) (WriteResult) -> Void
    ) {
        let completion = mainLoop.context.callback(completion)
        let subject = ErrorSubject(.setAlias)
        call(for: subject, onRejection: { completion(.failure($0)) }) { instance in
            instance.queue.enqueue(SetAliasOperation(alias, instance.link, completion: completion))
        }
    }

    /// Adds an observer of the connected peripheral, or moves it to the end; held weakly.
    public func register(
        peripheralObserver: any PeripheralObserver,
        isolation: (any Actor)? = #isolation
    ) {
        let isolation = ObserverIsolation(isolation)
        change { $0.observers.register(peripheralObserver, isolation) }
    }

    /// Removes an observer of the connected peripheral.
    public func unregister(peripheralObserver: any PeripheralObserver) {
        change { $0.observers.unregister(peripheralObserver) }
    }
}
