internal import BluejayBlueZ

extension Bluejay {
    /// What bluetoothd knows of the connected peripheral, without radio traffic.
    ///
    /// - Returns: A snapshot; ``PeripheralObserver`` tells the changes.
    /// - Throws: ``BluejayError/notConnected``.
    /// - Note: The properties of `org.bluez.Device1`.
    public func peripheralDetails() throws -> PeripheralDetails {
        let details: PeripheralDetails? = state(otherwise: nil, published: \.details) {
            $0.queue.isConnected ? $0.link.details : nil
        }
        guard let details else { throw BluejayError.notConnected }
        return details
    }

    /// The ATT MTU that both ends agreed to, without radio traffic.
    ///
    /// bluetoothd asks for 517 by itself; nobody else can. It may grow after the connection is there, of
    /// which a ``PeripheralObserver`` hears.
    ///
    /// - Returns: 23 to 517 bytes; nil before BlueZ 5.62, which does not tell.
    /// - Throws: ``BluejayError/notConnected``.
    /// - Note: `org.bluez.GattCharacteristic1.MTU`.
    public func mtu() throws -> Int? {
        // Nil inside is no MTU, nil outside no connection.
        let mtu: Int?? = state(
            otherwise: nil,
            published: { $0.isUp ? .some($0.mtu) : nil },
            { instance in
                guard instance.queue.isConnected, let link = instance.link.link else {
                    return nil
                }
                return .some(link.toldMTU)
            }
        )
        guard let mtu else { throw BluejayError.notConnected }
        return mtu
    }

    /// Names the connected peripheral on this machine, for all programs.
    ///
    /// Joins the queue, without radio traffic. The name is ``PeripheralDetails/alias`` when it completes;
    /// bluetoothd keeps it with a peripheral that it remembers.
    ///
    /// - Parameters:
    ///   - alias: The name; an empty one gives the peripheral its own name back.
    ///   - completion: Called once. Fails with ``BluejayError/notConnected``, what BlueZ says, or what
    ///     cancelled it.
    /// - Note: `org.bluez.Device1.Alias`.
    public func setAlias(_ alias: String, completion: @escaping (WriteResult) -> Void) {
        let subject = ErrorSubject(.setAlias)
        call(for: subject, refuse: { completion(.failure($0)) }) { instance in
            instance.queue.enqueue(SetAliasOperation(alias, instance.link, completion: completion))
        }
    }

    /// Adds an observer of the connected peripheral, or moves it to the end; held weakly.
    public func register(peripheralObserver: any PeripheralObserver) {
        change { $0.observers.register(peripheralObserver) }
    }

    /// Removes an observer of the connected peripheral.
    public func unregister(peripheralObserver: any PeripheralObserver) {
        change { $0.observers.unregister(peripheralObserver) }
    }
}
