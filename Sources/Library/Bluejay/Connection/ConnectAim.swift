internal import BluejayBlueZ
internal import BluejayDBus
internal import BluejayTables

/// An operation that makes a connection.
protocol LinkMaker: QueuedOperation {
    /// The peripheral it connects to, as far as it is known.
    var aim: ConnectAim { get }
}

/// The peripheral that an operation connects to.
enum ConnectAim {
    /// A known peripheral, with the filter by which it was found.
    case peripheral(PeripheralIdentifier, ScanFilter?)
    /// The first peripheral that matches.
    case search(ScanFilter)
    /// A connection that another library made.
    case unknown
}

/// The peripheral that a caller wants to be connected to.
enum WantedPeripheral {
    case peripheral(PeripheralIdentifier)
    case first(ScanFilter)

    var subject: ErrorSubject {
        switch self {
        case .peripheral(let identifier): ErrorSubject(.connect, peripheral: identifier)
        case .first: ErrorSubject(.connect)
        }
    }

    /// The operation that connects to it.
    func attempt(
        _ runner: OperationRunner,
        within limit: Timeout,
        completion: @escaping (ConnectionResult) -> Void
    ) -> any LinkMaker {
        switch self {
        case .peripheral(let identifier):
            ConnectOperation(
                .peripheral(identifier),
                runner,
                timeout: limit,
                completion: completion
            )
        case .first(let filter):
            FirstConnectOperation(filter, runner, within: limit, completion: completion)
        }
    }
}

extension OperationRunner {
    /// Connects, unless the wanted peripheral is connected or is being connected.
    func connectOrJoin(
        _ wanted: WantedPeripheral,
        within limit: Timeout,
        completion: @escaping (ConnectionResult) -> Void
    ) {
        if queue.isConnected, !queue.leaves, let peripheral = link.peripheral,
            isWanted(wanted, peripheral)
        {
            return scheduler.completeOnNextIteration { completion(.success(peripheral)) }
        }
        guard let attempt = queue.attempt, let isSame = isAttempt(attempt, to: wanted) else {
            return connect(wanted.attempt(self, within: limit, completion: completion))
        }
        let operation = SharedConnect(wanted, within: limit, self, completion: completion)
        let id = queue.share(operation, attempt: attempt, isSame: isSame)
        log.connection.debug("waits for the attempt of another call", ["operation": "\(id)"])
    }

    /// Whether a peripheral is the wanted one.
    ///
    /// - Parameters:
    ///   - wanted: The peripheral that a caller wants.
    ///   - peripheral: The connected peripheral, or one that is being connected to.
    ///   - filter: The filter by which the peripheral was found.
    /// - Returns: False when it is known to be another one.
    func isWanted(
        _ wanted: WantedPeripheral,
        _ peripheral: PeripheralIdentifier,
        foundBy filter: ScanFilter? = nil
    ) -> Bool {
        switch wanted {
        case .peripheral(let identifier):
            return identifier == peripheral
                || link.session.isLast(identifier) && link.session.isLast(peripheral)
        case .first(let wantedFilter):
            // What a filter found stays found, however little it advertises while it is connected.
            if filter == wantedFilter { return true }
            if link.session.filter == wantedFilter, link.session.isLast(peripheral) { return true }
            return radioReport(of: peripheral).map { ScanCheck(wantedFilter).fits($0) } ?? false
        }
    }

    /// Whether an attempt is to the wanted peripheral; false while that is unknown, nil if it is not.
    private func isAttempt(_ id: QueueStateMachine.ID, to wanted: WantedPeripheral) -> Bool? {
        guard let aim = queue.aim(of: id) else { return nil }
        switch aim {
        case .unknown: return false
        case .peripheral(let peripheral, let filter):
            return isWanted(wanted, peripheral, foundBy: filter) ? true : nil
        case .search(let filter):
            guard case .first(filter) = wanted else { return false }
            return true
        }
    }

    /// What bluetoothd knows of a peripheral.
    private func radioReport(of peripheral: PeripheralIdentifier) -> ScanReport? {
        guard let radio = adapters.radio, let address = peripheral.deviceAddress,
            let path = radio.engine.link(to: address, over: radio.adapter).path
        else { return nil }
        return radio.engine.client.objects.device(at: path).flatMap { ScanReport(path, $0) }
    }

    /// Why a connect is refused beside another connection, with the name of that.
    func connectRefusal(_ aim: ConnectAim) -> BluejayError? {
        guard queue.refusal(of: .connect) == .multipleConnectNotSupported else { return nil }
        var wanted: PeripheralIdentifier?
        if case .peripheral(let identifier, _) = aim { wanted = identifier }
        if queue.isConnected, !queue.leaves, let peripheral = link.peripheral {
            return .multipleConnect(connected: peripheral, isWanted: wanted == peripheral)
        }
        var attempted: PeripheralIdentifier?
        if case .peripheral(let identifier, _) = queue.attempt.flatMap({ queue.aim(of: $0) }) {
            attempted = identifier
        }
        return .multipleConnect(
            connecting: attempted,
            isWanted: wanted != nil && wanted == attempted
        )
    }
}
