internal import BluejayBlueZ
internal import BluejayDBus

/// What is told and asked of the adapters; it joins no queue.
extension OperationRunner {
    // MARK: Telling

    /// The adapters as they are now.
    var adapters: [BluetoothAdapter] { engine?.bluetoothAdapters ?? [] }

    /// The adapter that calls go to, on or not.
    var adapterInUse: BluetoothAdapter? { tracker?.chosenAdapter.flatMap(facts) }

    private func facts(_ path: ObjectPath) -> BluetoothAdapter? {
        adapters.first { $0.name == path.name }
    }

    /// Notes how the adapters are now; any thread reads it from here on.
    ///
    /// - Returns: What is to be told, to those who observe at present.
    func noteAdapters() -> [AdapterWord] {
        guard isBluetoothKnown || adapterDesk.roster.isKnown else { return [] }
        return adapterDesk.changed(to: adapters, using: tracker?.chosenAdapter?.name)
    }

    func tell(_ words: [AdapterWord]) {
        for word in words { scheduler.notify { word.tell() } }
    }

    // MARK: Calls

    /// A call begins, and ends with what is called: once, in a later turn.
    func begin<Value>(
        _ completion: @escaping (Result<Value, BluejayError>) -> Void
    ) -> (Result<Value, BluejayError>) -> Void {
        let id = adapterDesk.begin { completion(.failure($0)) }
        return { [weak self] result in
            guard let self, adapterDesk.end(id) != nil else { return }
            scheduler.completeOnNextIteration { completion(result) }
        }
    }

    /// Fails one call, whose end is not told then; what was asked of bluetoothd is not taken back.
    func cancelAdapterCall(_ id: Int) {
        guard let fail = adapterDesk.end(id) else { return }
        scheduler.completeOnNextIteration { fail(.cancelled) }
    }

    /// Does something now, or as soon as it is known whether Bluetooth can be used.
    func whenKnown(_ question: @escaping (OperationRunner) -> Void) {
        if isBluetoothKnown { return question(self) }
        adapterDesk.waitToAsk { [weak self] in
            if let self { question(self) }
        }
    }

    /// An adapter that is called so, or the one in use.
    func adapter(called name: String?) -> Result<ObjectPath, BluejayError> {
        guard let engine, engine.client.state == .running else {
            return .failure(.bluetoothUnavailable(bluetoothState))
        }
        let path = name.map { engine.adapter(called: $0) } ?? tracker?.chosenAdapter
        guard let path else {
            return .failure(
                .bluetoothUnavailable(name.map { .adapterNotFound($0) } ?? bluetoothState)
            )
        }
        return .success(path)
    }

    /// How an adapter is when something was done with it.
    func report(_ path: ObjectPath) -> Result<BluetoothAdapter, BluejayError> {
        facts(path).map { .success($0) }
            ?? .failure(.bluetoothUnavailable(.adapterNotFound(path.name)))
    }

    /// What a refusal means.
    ///
    /// - Parameters:
    ///   - failure: Of the engine.
    ///   - adapter: The name of the adapter.
    /// - Returns: What the user is told.
    func error(_ failure: AdapterFailure, _ adapter: String) -> BluejayError {
        switch failure {
        case .blocked: return .bluetoothUnavailable(.blocked)
        case .busy:
            return .daemon(
                name: "org.bluez.Error.Busy",
                message: "another program is switching \(adapter); try again"
            )
        case .gone: return .bluetoothUnavailable(.adapterNotFound(adapter))
        case .timedOut: return .operationTimedOut
        case .unknownDevice:
            return .daemon(name: "org.bluez.Error.DoesNotExist", message: "Does Not Exist")
        case .failed(let failure): return error(failure)
        }
    }

    // MARK: Another adapter

    /// Why another adapter cannot be used now; nil when it can.
    private var refusalOfChoice: BluejayError? {
        let isUsed =
            !queue.isUnused || queue.isScanning || !reconnecting.isIdle || target != nil
            || !endsAfterTask.isEmpty
        guard isUsed else { return nil }
        return .inUse("adapter \(tracker?.chosenAdapter?.name ?? "")")
    }

    /// Uses another adapter for what is called from now on.
    func use(
        _ choice: AdapterChoice,
        _ finish: @escaping (Result<BluetoothAdapter, BluejayError>) -> Void
    ) {
        guard let client = engine?.client else { return }
        if let refusalOfChoice { return finish(.failure(refusalOfChoice)) }
        guard client.state == .connecting else { return settle(choice, finish) }
        adapterDesk.waitToChoose { [weak self] in self?.settle(choice, finish) }
    }

    private func settle(
        _ choice: AdapterChoice,
        _ finish: (Result<BluetoothAdapter, BluejayError>) -> Void
    ) {
        guard let tracker else { return }
        // Observers must not run inside the call; their notifications wait behind this answer.
        scheduler.completeOnNextIteration {}
        switch tracker.choose(choice) {
        case .success(let path):
            self.choice = choice
            tell(noteAdapters())
            finish(report(path))
        case .failure(let failure): finish(.failure(.bluetoothUnavailable(failure.state)))
        }
    }
}
