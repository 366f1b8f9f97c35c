internal import Synchronization

/// A one-time handover of a value between two threads, in either order.
package final class Rendezvous<Value: Swift.Sendable>: Swift.Sendable {
    private enum State {
        case nobody
        case waiting(@Sendable (Value) -> Void)
        case given(Value)
        case over
    }

    private let state = Mutex(State.nobody)

    package init() {}

    /// Whether the value was given.
    package var isGiven: Bool {
        state.withLock {
            switch $0 {
            case .given, .over: true
            case .nobody, .waiting: false
            }
        }
    }

    /// Hands over the value; later values are ignored.
    package func give(_ value: Value) {
        let receive: (@Sendable (Value) -> Void)? = state.withLock { state in
            switch state {
            case .nobody:
                state = .given(value)
                return nil
            case .waiting(let receive):
                state = .over
                return receive
            case .given, .over: return nil
            }
        }
        receive?(value)
    }

    /// Calls `receive` once with the value: at once, or on the thread that gives it.
    package func wait(_ receive: @escaping @Sendable (Value) -> Void) {
        let value: Value? = state.withLock { state in
            guard case .given(let value) = state else {
                state = .waiting(receive)
                return nil
            }
            state = .over
            return value
        }
        if let value { receive(value) }
    }
}
