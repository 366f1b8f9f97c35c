internal import BluejayBlueZ
internal import BluejayTables
internal import FoundationEssentials

/// What a listener is told.
enum ListenEvent {
    /// The set-up succeeded; values follow. It may come inside the call.
    case installed
    /// Its turn has come to say so; a value may have come before.
    case settled
    case value(Data)
    /// The set-up failed, or another listen took over; nothing more comes.
    case failure(any Error)
    /// The connection ended; nothing more comes, unless the listen is kept.
    case ended(any Error)
}

/// The callback of a listen, and what it wants to hear.
struct Listener {
    /// Whether it hears of the end of the connection, also when errors are not broadcast.
    var isToldOfEnd = false
    /// By which way it would like its values to come.
    var path = ListenPath.signals
    let tell: (ListenEvent) -> Void
}

extension OperationRunner {
    /// Takes a listen in.
    ///
    /// - Returns: The operation of the set-up.
    @discardableResult
    func listen(
        _ characteristic: CharacteristicIdentifier,
        _ option: MultipleListenOption,
        isKept: Bool = false,
        timeout: Timeout = .none,
        _ listener: Listener
    ) -> QueueStateMachine.ID {
        let operation = ListenOperation(characteristic, self, timeout: timeout)
        let id = queue.add(operation)
        operation.id = id
        listeners[id] = listener
        // What the queue refuses does not come to be measured against other listens.
        if let refusal = queue.refusal(of: operation.kind) {
            queue.reject(id, refusal)
            return id
        }
        guard listens.requested(characteristic, id, option: option, isKept: isKept) else {
            queue.reject(id, .multipleListenTrapped)
            return id
        }
        queue.submit(id, operation)
        return id
    }

    /// Removes the listener and takes the end of the listen in.
    func endListen(
        _ characteristic: CharacteristicIdentifier,
        timeout: Timeout = .none,
        _ completion: ((WriteResult) -> Void)?
    ) {
        // A kept listen waits for a connection that is not there: its end needs none either.
        if !queue.isConnected, listens.isListening(to: characteristic) {
            for id in listens.endRequested(characteristic) { listeners[id] = nil }
            return scheduler.completeOnNextIteration { completion?(.success) }
        }
        let operation = EndListenOperation(
            characteristic,
            self,
            timeout: timeout,
            completion: completion
        )
        queue.enqueue(operation) {
            restoration.markHandled(characteristic)
            for listen in listens.endRequested(characteristic) { listeners[listen] = nil }
            remember()
        }
    }

    /// Ends one listen and its notifications; other listens to the characteristic are left alone.
    func endListen(
        _ characteristic: CharacteristicIdentifier,
        of id: QueueStateMachine.ID,
        _ completion: @escaping (WriteResult) -> Void
    ) {
        if listens.receiver(of: characteristic) == id {
            return endListen(characteristic, completion)
        }
        guard listens.isWanted(characteristic, id) else { return completion(.success) }
        listeners[id] = nil
        queue.cancel(id, .cancelled)
        // Switches off what may have been switched on, unless somebody else listens.
        queue.enqueue(
            EndListenOperation(characteristic, self, timeout: .none, completion: completion)
        )
    }

    /// Hands a value to whoever listens.
    ///
    /// - Parameters:
    ///   - value: What came.
    ///   - characteristic: Whose value it is.
    ///   - token: The subscription that it came by.
    func deliver(_ value: Data, of characteristic: CharacteristicIdentifier, by token: Int) {
        if let known = receivers.first(where: { $0.token == token }) {
            return known.listener.tell(.value(value))
        }
        let id = listens.receiver(of: characteristic)
        if let listener = id.flatMap({ listeners[$0] }) { receivers.append((token, listener)) }
        deliver(value, of: characteristic)
    }

    private func deliver(_ value: Data, of characteristic: CharacteristicIdentifier) {
        if let id = listens.receiver(of: characteristic) {
            listeners[id]?.tell(.value(value))
        } else if listens.isListening(to: characteristic) {
            log.connection.debug(
                "a value came before its listen is there",
                ["characteristic": "\(characteristic)", "bytes": "\(value.count)"]
            )
        } else if restoration.received(value, on: characteristic, from: link.peripheral) {
            endListen(characteristic, nil)
        }
    }

    /// Ends what listens; those that are kept stay when the connection may return.
    func endListens(_ error: any Error, mayReturn: Bool) {
        notifications.removeAll()
        restoration.linkEnded()
        let isReturning = mayReturn
        let kept = isReturning ? listens.keptIDs : []
        for id in listens.linkEnded(mayReturn: isReturning) { end(id, error) }
        guard broadcastsErrors else { return }
        // For a listener that is always told of its end, this error would be the end.
        for id in kept where listeners[id]?.isToldOfEnd == false {
            listeners[id]?.tell(.ended(error))
        }
    }

    /// Ends one listener, with a word to those who want it.
    func end(_ id: QueueStateMachine.ID, _ error: any Error) {
        guard let listener = listeners.removeValue(forKey: id) else { return }
        if broadcastsErrors || listener.isToldOfEnd { listener.tell(.ended(error)) }
    }

    /// Tells an error to all that listen, who go on.
    func tellListeners(_ error: any Error) {
        for characteristic in listens.installedKeys {
            // One whose set-up is not done for the queue ends with it, and hears of it then.
            guard let id = listens.receiver(of: characteristic), !queue.contains(id) else {
                continue
            }
            listeners[id]?.tell(.ended(error))
        }
    }

    /// The connection does not return: what was kept for it ends.
    func endKeptListens() {
        guard !queue.isConnected else { return }
        for id in listens.linkEnded() { end(id, BluejayError.notConnected) }
    }

    /// Turns a kept listen on again.
    ///
    /// - Parameters:
    ///   - characteristic: Of the connected peripheral.
    ///   - mayWait: Whether it waits for a characteristic that is missing.
    func listenAgain(_ characteristic: CharacteristicIdentifier, mayWait: Bool = true) {
        queue.enqueue(
            NotifyOperation(characteristic, self) { [weak self] error in
                // When the link has gone again it waits for the next.
                guard let self, let error, queue.isConnected else { return }
                if mayWait, isKept(characteristic), isMissingCharacteristic(error) {
                    return awaitReturn(of: characteristic)
                }
                for id in listens.endRequested(characteristic) {
                    listeners.removeValue(forKey: id)?.tell(.failure(error))
                }
            }
        )
    }

    /// Turns a listen of an earlier run on; its values go to the listen restorer.
    func restoreListen(_ characteristic: CharacteristicIdentifier) {
        queue.enqueue(
            NotifyOperation(characteristic, self) { [weak self] error in
                guard let self, let error else { return }
                restoration.markHandled(characteristic)
                log.restoration.warning(
                    "a listen could not be made again",
                    ["characteristic": "\(characteristic)", "error": "\(error)"]
                )
            }
        )
    }
}

/// Whether the peripheral has no such characteristic, or not its service.
private func isMissingCharacteristic(_ error: any Error) -> Bool {
    let code = (error as? BluejayError)?.code
    return code == .missingCharacteristic || code == .missingService
}
