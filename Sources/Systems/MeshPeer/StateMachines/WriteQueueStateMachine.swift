/// The writes to one peer: first in, first out, one at a time.
///
/// A pure value; every accepted write ends once, by `finished` or `close`.
struct WriteQueueStateMachine<Value> {
    /// The number of writes that may wait.
    let capacity: Int
    private var waiting: ArraySlice<Value> = []
    private(set) var isWriting = false

    init(capacity: Int) {
        self.capacity = max(capacity, 0)
    }

    /// Whether `add` accepts a value.
    var hasRoom: Bool { !isWriting || waiting.count < capacity }

    /// Accepts a value.
    ///
    /// - Returns: The value, if it must be written now.
    mutating func add(_ value: Value) -> Value? {
        guard isWriting else {
            isWriting = true
            return value
        }
        waiting.append(value)
        return nil
    }

    /// The present write has ended, with or without an error.
    ///
    /// - Returns: The value to write now, if there is one.
    mutating func finished() -> Value? {
        let next = waiting.popFirst()
        isWriting = next != nil
        return next
    }

    /// The link has ended.
    ///
    /// - Returns: The values that were never written, in their order.
    mutating func close() -> [Value] {
        defer { waiting = [] }
        isWriting = false
        return Array(waiting)
    }
}
