internal import BluejayBlueZ
internal import Foundation

extension OperationRunner {
    /// Finds a characteristic of the connected peripheral, or ends the operation with what is missing.
    func resolve(
        _ characteristic: CharacteristicIdentifier,
        _ done: (BluejayError?) -> Void,
        found: (Link, GATTCharacteristic) -> Void
    ) {
        guard let link = lease?.link, link.isUp else { return done(.notConnected) }
        let service = characteristic.service.uuid.canonicalText
        let candidates = link.services.filter { $0.uuid == service }
        guard !candidates.isEmpty else { return done(.missingService(characteristic.service)) }
        let uuid = characteristic.uuid.canonicalText
        for candidate in candidates {
            if let object = candidate.characteristics.first(where: { $0.uuid == uuid }) {
                return found(link, object)
            }
        }
        done(.missingCharacteristic(characteristic))
    }

    /// The user's words for an error of bluetoothd.
    func error(_ failure: BlueZFailure, doing: String) -> BluejayError {
        BluejayError(failure, doing: doing, state: bluetoothState)
    }

    /// Hands a value to whoever listens.
    func deliver(_ value: Data, of characteristic: CharacteristicIdentifier) {
        guard let id = listens.receiver(of: characteristic) else { return }
        listeners[id]?(.value(value))
    }

    // MARK: What is refused before the queue

    /// Nothing can be queued before the start.
    var refusalBeforeStart: BluejayError? {
        hasStarted ? nil : .bluetoothUnavailable(.unknown)
    }

    /// A malformed identifier is an error of the first call that uses it.
    func refusal(_ services: [ServiceIdentifier]) -> BluejayError? {
        if let refusal = refusalBeforeStart { return refusal }
        return services.first { $0.uuid.isMalformed }.map { .malformedUUID($0.uuid.uuidString) }
    }

    /// A malformed identifier is an error of the first call that uses it.
    func refusal(_ characteristic: CharacteristicIdentifier) -> BluejayError? {
        if let refusal = refusal([characteristic.service]) { return refusal }
        let uuid = characteristic.uuid
        return uuid.isMalformed ? .malformedUUID(uuid.uuidString) : nil
    }

    // MARK: Listening

    /// Takes a listen in.
    func listen(
        _ characteristic: CharacteristicIdentifier,
        _ option: MultipleListenOption,
        _ listener: @escaping (ListenEvent) -> Void
    ) {
        let operation = ListenOperation(characteristic, self)
        let id = add(operation)
        operation.id = id
        listeners[id] = listener
        guard listens.requested(characteristic, id, option: option) else {
            return handle([.complete(id, .multipleListenTrapped)])
        }
        handle(queue.enqueue(id, operation.kind))
    }

    /// Removes the listener and takes the end of the listen in.
    func endListen(
        _ characteristic: CharacteristicIdentifier,
        _ completion: ((WriteResult) -> Void)?
    ) {
        let operation = EndListenOperation(characteristic, completion: completion)
        let id = add(operation)
        let actions = queue.enqueue(id, operation.kind)
        // Refused calls change nothing.
        if !actions.contains(where: { $0.isFailure(of: id) }) {
            for listen in listens.endRequested(characteristic) { listeners[listen] = nil }
        }
        handle(actions)
    }
}

extension QueueStateMachine.Action {
    fileprivate func isFailure(of id: QueueStateMachine.ID) -> Bool {
        if case .complete(id, let error) = self { return error != nil }
        return false
    }
}
