internal import BluejayBlueZ
internal import BluejayTables
internal import FoundationEssentials

/// The lines of the queue: each step of an operation, for those who trace.
extension OperationRunner {
    /// An operation was taken in, before the queue has said anything of it.
    func traceAdded(_ id: QueueStateMachine.ID, _ operation: any QueuedOperation) {
        log.queue.trace("taken in", ["operation": "\(id)", "what": operation.subject.text])
    }

    /// An operation has its turn.
    func traceBegin(_ id: QueueStateMachine.ID, _ operation: any QueuedOperation) {
        log.queue.trace("begins", ["operation": "\(id)", "what": operation.subject.text])
    }

    /// An operation says that it is done.
    func traceDone(_ id: QueueStateMachine.ID, _ error: BluejayError?) {
        log.queue.trace("is done", ["operation": "\(id)", "error": text(error)])
    }

    /// The queue has decided.
    func trace(_ action: QueueStateMachine.Action) {
        switch action {
        case .start, .attemptBegan: break
        case .abort(let id): log.queue.trace("is aborted", ["operation": "\(id)"])
        case .interrupt(let id): log.queue.trace("is interrupted", ["operation": "\(id)"])
        case .stopScan(let id): log.queue.trace("is stopped", ["operation": "\(id)"])
        case .complete(let id, let error): traceEnd(id, error)
        case .announceAvailability, .announceConnected, .announceDisconnected: break
        case .endListens(let error, let mayReturn):
            log.queue.trace("listens end", ["error": text(error), "kept": "\(mayReturn)"])
        case .reconnectInterrupted: log.queue.trace("connecting again is interrupted")
        case .reconnectYielded: log.queue.trace("connecting again waits for what is asked for")
        case .idle: log.queue.trace("nothing is to be done")
        }
    }

    private func traceEnd(_ id: QueueStateMachine.ID, _ error: BluejayError?) {
        let operation = operations[id]
        let details: LogDetails = [
            "operation": "\(id)", "what": operation?.subject.text ?? "",
            "bytes": error == nil ? operation?.byteCount.map(String.init) ?? "" : "",
            "error": text(error),
        ]
        if error == nil {
            log.queue.trace("succeeds", details)
        } else {
            log.queue.trace("fails", details)
        }
    }

    private func text(_ error: BluejayError?) -> String { error.map { "\($0)" } ?? "" }
}
