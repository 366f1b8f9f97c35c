/// Builds the operations of the queue, and their waits.
struct QueueBuilder {
    /// A shorter wait explains nothing.
    private static let minimumWait = Duration.milliseconds(10)

    private(set) var operations: [OperationSpan] = []
    /// The waits for earlier operations.
    private(set) var waits: [Span] = []
    /// The operations that failed.
    private(set) var failures: [Note] = []
    private var indexes: [String: Int] = [:]

    init(_ events: [TraceEvent]) {
        for event in events { add(event) }
    }

    private mutating func add(_ event: TraceEvent) {
        switch event.fact {
        case .enqueued(let id, let name):
            indexes[id] = operations.count
            operations.append(OperationSpan(name: name, enqueued: event.time))
        case .started(let id):
            guard let index = indexes[id] else { return }
            operations[index].started = event.time
            addWait(of: operations[index], until: event.time, error: nil)
        case .completed(let id, let error):
            guard let index = indexes.removeValue(forKey: id) else { return }
            let operation = operations[index]
            operations[index].end = event.time
            operations[index].error = error
            if operation.started == nil { addWait(of: operation, until: event.time, error: error) }
            if let error, !Self.isExpected(error, of: operation) {
                failures.append(Note(event.time, .library, operation.name, "failed: \(error)"))
            }
        default: break
        }
    }

    /// Whether a failure is part of a command that succeeds, such as a scan that has found its device.
    private static func isExpected(_ error: String, of operation: OperationSpan) -> Bool {
        switch operation.name {
        case "disconnect": error.hasPrefix("not connected")
        case _ where operation.name.hasPrefix("end of listening"): true
        default: error == "cancelled"
        }
    }

    private mutating func addWait(of operation: OperationSpan, until end: Duration, error: String?)
    {
        guard end - operation.enqueued >= Self.minimumWait else { return }
        waits.append(Span(.queue, operation.name, from: operation.enqueued, to: end, error: error))
    }
}
