/// The elements of one stream on their way to a central, which says how many it accepts.
struct ServedStreamMachine: Equatable {
    enum Action: Equatable {
        /// Ask the producer for the next element.
        case pull
        /// Send the element with its number.
        case send(UInt32)
        /// Send the end.
        case sendEnd
    }

    private enum State: Equatable {
        /// → pulling
        case idle
        /// → sending, ended
        case pulling
        /// → pulling, idle
        case sending
        case ended
    }

    private var state = State.idle
    private var accepted: UInt32 = 0
    private var count: UInt32 = 0

    /// The central accepts a number of elements in all.
    mutating func credited(_ total: UInt32) -> [Action] {
        accepted = max(accepted, total)
        return state == .idle ? proceed() : []
    }

    /// The producer has returned an element, or has ended.
    mutating func pulled(isElement: Bool) -> [Action] {
        guard state == .pulling else { return [] }
        guard isElement else {
            state = .ended
            return [.sendEnd]
        }
        state = .sending
        count += 1
        return [.send(count - 1)]
    }

    /// The element is on its way to the central.
    mutating func sent() -> [Action] {
        state == .sending ? proceed() : []
    }

    private mutating func proceed() -> [Action] {
        guard count < accepted else {
            state = .idle
            return []
        }
        state = .pulling
        return [.pull]
    }
}
