internal import Synchronization

/// A one-time handover of a value between two threads, in either order.
package final class Rendezvous<Value: Swift.Sendable>: Swift.Sendable {
    private enum State {
        case empty
        case waiting(@Sendable (Value) -> Void)
        case filled(Value)
        case finished
    }

    private let state = Mutex(State.empty)

    package init() {}

    /// Whether the value was sent.
    package var isFilled: Bool {
        state.withLock {
            switch $0 {
            case .filled, .finished: true
            case .empty, .waiting: false
            }
        }
    }

    /// Hands over the value; later values are ignored.
    package func send(_ value: Value) {
        let receive: (@Sendable (Value) -> Void)? = state.withLock { state in
            switch state {
            case .empty:
                state = .filled(value)
                return nil
            case .waiting(let receive):
                state = .finished
                return receive
            case .filled, .finished: return nil
            }
        }
        receive?(value)
    }

    /// Calls `receive` once with the value: at once, or on the thread that sends it.
    package func receive(_ receive: @escaping @Sendable (Value) -> Void) {
        let value: Value? = state.withLock { state in
            guard case .filled(let value) = state else {
                state = .waiting(receive)
                return nil
            }
            state = .finished
            return value
        }
        if let value { receive(value) }
    }
}
