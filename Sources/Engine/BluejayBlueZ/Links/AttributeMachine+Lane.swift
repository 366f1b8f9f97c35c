internal import BluejayTables
internal import DequeModule

extension AttributeMachine {
    /// A call of bluetoothd, from its place in the row to its answer.
    struct Item: Equatable {
        let call: Call
        let message: Message
        var user: User?
        /// How long it may take from its turn on.
        var limit = AttributeMachine.operationTime
        var attempt = 0
        var deadline: Duration?
        /// The failure that a back-off follows.
        var failure: BlueZFailure?
        /// Whoever asked waits no more; the answer still frees the characteristic.
        var isAbandoned = false

        /// Whether it is worth trying again after a failure: what is under way ends, and a socket that
        /// nobody uses is given back soon.
        func mayPass(_ failure: BlueZFailure?) -> Bool {
            if failure == .inProgress { return true }
            return failure?.isAcquired == true && attempt < AttributeMachine.acquiredTries
        }

        var isOfSession: Bool { message == .startNotify || message == .stopNotify }
    }

    struct Subscriber: Equatable {
        let request: Request
        let user: User
        /// Whether its set-up has completed.
        var isTold = false
    }

    struct Lane: Equatable {
        var current: Item?
        var waiting: Deque<Item> = []
        /// Whether bluetoothd sends us values, as far as it has answered.
        var isNotifying = false
        var subscribers: [Subscriber] = []
        /// Ends of subscriptions that wait for `StopNotify`.
        var leavers: [Request] = []

        /// Whether a `StartNotify` or `StopNotify` waits or is under way.
        var isChangingSession: Bool {
            current?.isOfSession == true || waiting.contains { $0.isOfSession }
        }

        /// Whether nothing is wanted of it and nothing under way but what waits for its turn.
        var isAtRest: Bool {
            !isNotifying && subscribers.isEmpty && leavers.isEmpty && !isChangingSession
        }

        /// Takes a call in; gives the one that begins.
        mutating func take(_ item: Item, _ now: Duration) -> Item? {
            waiting.append(item)
            return begin(now)
        }

        /// Takes the call out that is under way; nil when it is another.
        mutating func end(_ call: Call) -> Item? {
            guard let item = current, item.call == call else { return nil }
            current = nil
            return item
        }

        /// Lets the next call begin when none is under way.
        mutating func begin(_ now: Duration) -> Item? {
            guard current == nil, var item = waiting.popFirst() else { return nil }
            item.deadline = now + item.limit
            current = item
            return item
        }
    }
}
