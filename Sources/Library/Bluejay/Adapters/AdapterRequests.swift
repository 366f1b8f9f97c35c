/// The pending requests of one instance about adapters.
///
/// These requests bypass the queue. Each has a number and ends exactly once.
final class AdapterRequests {
    private(set) var lastID = 0
    /// Closures that fail the pending requests.
    private var failures: [Int: (BluejayError) -> Void] = [:]
    /// Selections of an adapter, which precede the first automatic choice.
    private var selections: [() -> Void] = []
    /// Queries that wait for bluetoothd's first reply.
    private var queries: [() -> Void] = []

    /// Starts a request, and returns its number.
    func start(_ fail: @escaping (BluejayError) -> Void) -> Int {
        lastID += 1
        failures[lastID] = fail
        return lastID
    }

    /// Ends a request, and returns the closure that fails it, or `nil` if it has already ended.
    func end(_ request: Int) -> ((BluejayError) -> Void)? {
        failures.removeValue(forKey: request)
    }

    /// Ends all requests, and returns the closures that fail them, in order.
    func removeAll() -> [(BluejayError) -> Void] {
        let ended = failures.sorted { $0.key < $1.key }.map(\.value)
        failures = [:]
        selections = []
        queries = []
        return ended
    }

    func deferSelection(_ selection: @escaping () -> Void) { selections.append(selection) }

    func deferQuery(_ query: @escaping () -> Void) { queries.append(query) }

    func drainSelections() -> [() -> Void] {
        defer { selections = [] }
        return selections
    }

    func drainQueries() -> [() -> Void] {
        defer { queries = [] }
        return queries
    }
}
