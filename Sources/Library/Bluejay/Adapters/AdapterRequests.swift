/// The pending requests of one instance about adapters.
///
/// These requests join no queue. Each has a number, under which it ends exactly once.
final class AdapterRequests {
    /// The number of the last request.
    private(set) var last = 0
    /// The failure of each pending request.
    private var failures: [Int: (BluejayError) -> Void] = [:]
    /// Selections of an adapter, which precede the first choice of one.
    private var selections: [() -> Void] = []
    /// Queries, which wait for bluetoothd's first answer.
    private var queries: [() -> Void] = []

    /// Starts a request.
    ///
    /// - Parameter fail: Fails it.
    /// - Returns: Its number.
    func start(_ fail: @escaping (BluejayError) -> Void) -> Int {
        last += 1
        failures[last] = fail
        return last
    }

    /// Ends a request.
    ///
    /// - Returns: Its failure, or `nil` if it ended before.
    func end(_ request: Int) -> ((BluejayError) -> Void)? {
        failures.removeValue(forKey: request)
    }

    /// Ends all requests.
    ///
    /// - Returns: Their failures, in their order.
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
