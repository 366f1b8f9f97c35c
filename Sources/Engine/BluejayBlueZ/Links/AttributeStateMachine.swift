internal import BluejayTables
internal import DequeModule

/// Orders the requests of a link's users, and starts and stops notifications on demand.
///
/// Calls on one attribute run one at a time, those on different attributes in parallel. The first
/// subscriber causes one `StartNotify`, the last one to leave one `StopNotify`; waiting subscribers share a
/// pending set-up. Call numbers are never reused, so a late reply cannot be taken for another call's.
/// Instants are arguments.
///
/// Invariant: every accepted request and subscription completes exactly once.
struct AttributeStateMachine: Equatable {
    typealias User = Int
    /// A characteristic or descriptor, by its number in the link's table; never reused.
    typealias Attribute = Int
    /// A read, a write, a subscription or the end of a subscription; never reused.
    typealias Request = Int
    /// A call to bluetoothd; never reused.
    typealias Call = Int

    /// The time limit of a call; bluetoothd replies after the ATT transaction limit of 30 s.
    static let operationTime = Duration.seconds(40)
    /// Delays between attempts while another program's call is pending; the last one repeats.
    static let backOff: [Duration] = [10, 20, 50, 100, 200, 500].map { .milliseconds($0) }
    /// The number of retries while a program holds a socket of the characteristic: 2.9 s in total.
    static let acquiredTries = 10
    /// The number of pending calls that one user may have; more are refused.
    static let callLimit = 256

    /// The queues of the attributes used on this link; an idle queue is kept for reuse.
    private var lanes = NumberTable<AttributeQueue>()
    private var attributes = NumberTable<Attribute>()
    private var calls = NumberTable<Attribute>()
    private var waitingOfUser = NumberTable<Int>()
    private var lastCall = 0

    // MARK: Users

    /// Adds a read or a write; `limit` counts from the start of its call.
    mutating func request(
        _ id: Request,
        _ user: User,
        _ attribute: Attribute,
        within limit: Duration = operationTime,
        now: Duration
    ) -> [Action] {
        let waiting = waitingOfUser[user] ?? 0
        guard waiting < Self.callLimit else { return [.complete(id, .failed(.tooMuch))] }
        waitingOfUser[user] = waiting + 1
        attributes[id] = attribute
        lastCall += 1
        return enqueue(
            Item(call: lastCall, message: .request(id), user: user, limit: limit),
            attribute,
            now
        )
    }

    /// Adds a subscription, which completes when values arrive.
    mutating func subscribe(_ id: Request, _ user: User, _ attribute: Attribute, now: Duration)
        -> [Action]
    {
        attributes[id] = attribute
        open(attribute)
        lanes[attribute]?.subscribers.append(Subscriber(request: id, user: user))
        return [.begin(id, attribute)] + reconcile(attribute, now)
    }

    /// Removes a subscription; `id` completes when bluetoothd has ended it.
    mutating func unsubscribe(_ subscription: Request, _ id: Request, now: Duration) -> [Action] {
        guard let attribute = attributes.removeValue(forKey: subscription),
            let subscriber = remove(subscription, attribute)
        else { return [.complete(id, .succeeded)] }
        var actions: [Action] = [.end(subscription, attribute, nil)]
        if !subscriber.isTold { actions.append(.complete(subscription, .failed(.cancelled))) }
        guard lanes[attribute]?.subscribers.isEmpty == true else {
            return actions + [.complete(id, .succeeded)]
        }
        lanes[attribute]?.leavers.append(id)
        return actions + reconcile(attribute, now)
    }

    /// Ends a subscription that has exceeded its time limit, unless its set-up has completed.
    mutating func expired(_ subscription: Request, now: Duration) -> [Action] {
        guard let attribute = attributes[subscription],
            lanes[attribute]?.subscribers.contains(where: {
                $0.request == subscription && !$0.isTold
            }) == true
        else { return [] }
        attributes[subscription] = nil
        guard let subscriber = remove(subscription, attribute) else { return [] }
        return ended(subscriber, attribute, .timedOut, tells: false) + reconcile(attribute, now)
    }

    /// Cancels a waiting read or write; one that was sent ends with its reply.
    mutating func withdraw(_ id: Request) -> [Action] {
        guard let attribute = attributes[id],
            lanes[attribute]?.waiting.contains(where: { $0.message == .request(id) }) == true
        else { return [] }
        attributes[id] = nil
        withdraw(id, attribute)
        return [.complete(id, .failed(.cancelled))]
    }

    mutating func left(_ user: User, _ failure: BlueZFailure, now: Duration) -> [Action] {
        var actions: [Action] = []
        for attribute in lanes.sorted.map(\.key) {
            for id in requests(of: user, on: attribute) {
                attributes[id] = nil
                withdraw(id, attribute)
                actions.append(.complete(id, .failed(failure)))
            }
            let subscribers = lanes[attribute]?.subscribers.filter { $0.user == user } ?? []
            for subscriber in subscribers {
                attributes[subscriber.request] = nil
                _ = remove(subscriber.request, attribute)
                actions += ended(subscriber, attribute, failure, tells: false)
            }
            if !subscribers.isEmpty { actions += reconcile(attribute, now) }
        }
        waitingOfUser[user] = nil
        return actions
    }

    // MARK: Replies and events of bluetoothd

    mutating func answered(_ call: Call, _ failure: BlueZFailure?, now: Duration) -> [Action] {
        guard let attribute = calls[call] else { return [] }
        if let failure, let delay = retry(call, attribute, failure, now) {
            return [.backOff(call, delay)]
        }
        guard let item = lanes.change(attribute, { $0?.end(call) }) else { return [] }
        calls.removeValue(forKey: call)
        var actions: [Action]
        switch item.message {
        case .request(let id): actions = answered(id, item, failure)
        case .startNotify: actions = started(attribute, failure)
        case .stopNotify: actions = stopped(attribute, failure)
        }
        goOn(attribute, now, &actions)
        return actions
    }

    /// The delay before the retry of a call that conflicted with another program's; nil for no retry.
    private mutating func retry(
        _ call: Call,
        _ attribute: Attribute,
        _ failure: BlueZFailure,
        _ now: Duration
    ) -> Duration? {
        guard var item = lanes[attribute]?.current, item.call == call, !item.isAbandoned,
            item.mayPass(failure), let deadline = item.deadline, now < deadline
        else { return nil }
        let delay = Self.backOff[min(item.attempt, Self.backOff.count - 1)]
        item.attempt += 1
        item.failure = failure
        lanes[attribute]?.current = item
        return min(delay, deadline - now)
    }

    mutating func backOffEnded(_ call: Call, now: Duration) -> [Action] {
        guard let attribute = calls[call], let item = lanes[attribute]?.current, item.call == call
        else { return [] }
        guard !item.isAbandoned else {
            calls[call] = nil
            lanes[attribute]?.current = nil
            var actions: [Action] = []
            goOn(attribute, now, &actions)
            return actions
        }
        // The call's time limit has passed: the last reply counts.
        if let deadline = item.deadline, now >= deadline {
            return answered(call, item.failure, now: now)
        }
        return [.send(call, attribute, item.message)]
    }

    /// bluetoothd has ended the notifications of a characteristic, and the link is up: requests them again.
    mutating func sessionLost(_ attribute: Attribute, now: Duration) -> [Action] {
        guard lanes[attribute]?.isNotifying == true else { return [] }
        lanes[attribute]?.isNotifying = false
        return reconcile(attribute, now)
    }

    /// A characteristic was removed; a new one at the same path has a new number.
    mutating func removed(_ attribute: Attribute) -> [Action] {
        end(attribute, .gone, stops: false, tells: true)
    }

    /// The link ended; the link itself notifies its users.
    ///
    /// With `stops`, bluetoothd is reachable and would resume notifications after a reconnection.
    mutating func linkEnded(_ failure: BlueZFailure, stops: Bool) -> [Action] {
        let all = lanes.sorted.flatMap {
            end($0.key, failure, stops: stops, tells: false)
        }
        waitingOfUser = NumberTable()
        return all
    }

    func attribute(of request: Request) -> Attribute? { attributes[request] }

    /// The user of the running call; nil if it serves all subscribers.
    func user(of call: Call) -> User? {
        calls[call].flatMap { lanes[$0]?.current }.flatMap { $0.call == call ? $0.user : nil }
    }

    /// Whether no call runs or waits on an attribute.
    func isFree(_ attribute: Attribute) -> Bool { lanes[attribute]?.current == nil }

    /// The time left for a call; nil if the call has ended.
    func timeLeft(of call: Call, now: Duration) -> Duration? {
        guard let attribute = calls[call], let deadline = lanes[attribute]?.current?.deadline
        else { return nil }
        return max(deadline - now, .zero)
    }

    // MARK: Steps

    private mutating func open(_ attribute: Attribute) {
        if lanes[attribute] == nil { lanes[attribute] = AttributeQueue() }
    }

    private mutating func enqueue(_ item: Item, _ attribute: Attribute, _ now: Duration) -> [Action]
    {
        calls[item.call] = attribute
        open(attribute)
        return lanes.change(attribute) { $0?.take(item, now) }.map {
            [.send($0.call, attribute, $0.message)]
        } ?? []
    }

    private mutating func goOn(_ attribute: Attribute, _ now: Duration, _ actions: inout [Action]) {
        if let item = lanes.change(attribute, { $0?.begin(now) }) {
            actions.append(.send(item.call, attribute, item.message))
        }
        guard lanes.change(attribute, { $0?.isAtRest }) == false else { return }
        actions += reconcile(attribute, now)
    }

    private mutating func answered(
        _ id: Request,
        _ item: Item,
        _ failure: BlueZFailure?
    ) -> [Action] {
        if let user = item.user { waitingOfUser[user]? -= 1 }
        guard !item.isAbandoned else { return [] }
        attributes[id] = nil
        return [.complete(id, failure.map { .failed($0) } ?? .answered)]
    }

    private mutating func started(_ attribute: Attribute, _ failure: BlueZFailure?) -> [Action] {
        guard let failure else {
            lanes[attribute]?.isNotifying = true
            return tellSubscribers(attribute)
        }
        let subscribers = lanes[attribute]?.subscribers ?? []
        lanes[attribute]?.subscribers = []
        return subscribers.flatMap { subscriber -> [Action] in
            attributes[subscriber.request] = nil
            // A subscriber whose set-up had completed received values until now.
            return ended(subscriber, attribute, failure, tells: true)
        }
    }

    private mutating func stopped(_ attribute: Attribute, _ failure: BlueZFailure?) -> [Action] {
        lanes[attribute]?.isNotifying = false
        return tellLeavers(attribute, failure.map { .failed($0) } ?? .succeeded)
    }

    private mutating func tellSubscribers(_ attribute: Attribute) -> [Action] {
        guard var lane = lanes[attribute] else { return [] }
        var actions: [Action] = []
        for index in lane.subscribers.indices where !lane.subscribers[index].isTold {
            lane.subscribers[index].isTold = true
            actions.append(.complete(lane.subscribers[index].request, .succeeded))
        }
        lanes[attribute] = lane
        return actions
    }

    private mutating func tellLeavers(_ attribute: Attribute, _ outcome: Outcome) -> [Action] {
        let leavers = lanes[attribute]?.leavers ?? []
        lanes[attribute]?.leavers = []
        return leavers.map { .complete($0, outcome) }
    }

    /// Starts or stops notifications if the subscribers require it.
    private mutating func reconcile(_ attribute: Attribute, _ now: Duration) -> [Action] {
        guard let lane = lanes[attribute], !lane.isAtRest else { return [] }
        let isWanted = !lane.subscribers.isEmpty
        var actions: [Action] = []
        if let index = lane.waiting.firstIndex(where: { $0.isOfSession }) {
            let wouldNotify = lane.waiting[index].message == .startNotify
            if wouldNotify != isWanted, let item = lanes[attribute]?.waiting.remove(at: index) {
                calls[item.call] = nil
            }
        } else if willNotify(lane) != isWanted {
            lastCall += 1
            let message: Message = isWanted ? .startNotify : .stopNotify
            actions += enqueue(Item(call: lastCall, message: message), attribute, now)
        }
        guard let lane = lanes[attribute] else { return actions }
        let isSettled = !lane.isChangingSession
        if isSettled, lane.isNotifying { actions += tellSubscribers(attribute) }
        if isSettled || isWanted { actions += tellLeavers(attribute, .succeeded) }
        return actions
    }

    private func willNotify(_ lane: AttributeQueue) -> Bool {
        switch lane.current?.message {
        case .startNotify: true
        case .stopNotify: false
        case .request, nil: lane.isNotifying
        }
    }

    private func requests(of user: User, on attribute: Attribute) -> [Request] {
        guard let lane = lanes[attribute] else { return [] }
        return ((lane.current.map { [$0] } ?? []) + lane.waiting).compactMap { item in
            guard item.user == user, !item.isAbandoned, case .request(let id) = item.message
            else { return nil }
            return id
        }
    }

    /// Removes a waiting request; one that was sent continues without its user.
    private mutating func withdraw(_ id: Request, _ attribute: Attribute) {
        if lanes[attribute]?.current?.message == .request(id) {
            lanes[attribute]?.current?.isAbandoned = true
            return
        }
        guard
            let index = lanes[attribute]?.waiting.firstIndex(where: { $0.message == .request(id) }),
            let item = lanes[attribute]?.waiting.remove(at: index)
        else { return }
        calls[item.call] = nil
        if let user = item.user { waitingOfUser[user]? -= 1 }
    }

    private mutating func remove(_ id: Request, _ attribute: Attribute) -> Subscriber? {
        guard let index = lanes[attribute]?.subscribers.firstIndex(where: { $0.request == id })
        else { return nil }
        return lanes[attribute]?.subscribers.remove(at: index)
    }

    private func ended(
        _ subscriber: Subscriber,
        _ attribute: Attribute,
        _ failure: BlueZFailure,
        tells: Bool
    ) -> [Action] {
        guard subscriber.isTold else {
            return [
                .end(subscriber.request, attribute, nil),
                .complete(subscriber.request, .failed(failure)),
            ]
        }
        return [.end(subscriber.request, attribute, tells ? failure : nil)]
    }

    private mutating func end(
        _ attribute: Attribute,
        _ failure: BlueZFailure,
        stops: Bool,
        tells: Bool
    ) -> [Action] {
        guard let lane = lanes.removeValue(forKey: attribute) else { return [] }
        var actions: [Action] = []
        for item in (lane.current.map { [$0] } ?? []) + lane.waiting {
            calls[item.call] = nil
            if let user = item.user { waitingOfUser[user]? -= 1 }
            if item.call == lane.current?.call { actions.append(.forget(item.call)) }
            guard case .request(let id) = item.message, !item.isAbandoned else { continue }
            attributes[id] = nil
            actions.append(.complete(id, .failed(failure)))
        }
        for subscriber in lane.subscribers {
            attributes[subscriber.request] = nil
            actions += ended(subscriber, attribute, failure, tells: tells)
        }
        actions += lane.leavers.map { .complete($0, .succeeded) }
        if stops, willNotify(lane) || lane.isNotifying { actions.append(.stopLeftOver(attribute)) }
        return actions
    }
}

extension AttributeStateMachine {
    enum Message: Equatable {
        case request(Request)
        case startNotify
        case stopNotify
    }

    enum Outcome: Equatable {
        /// The request's own call received its reply.
        case answered
        case succeeded
        case failed(BlueZFailure)
    }

    enum Action: Equatable {
        case send(Call, Attribute, Message)
        /// Ignore the reply of the call.
        case forget(Call)
        /// Report `backOffEnded` after the delay.
        case backOff(Call, Duration)
        /// Complete the request of the user; this is its last action.
        case complete(Request, Outcome)
        /// Deliver values to the subscription from now on.
        case begin(Request, Attribute)
        /// Stop delivery to the subscription; the failure is nil if the user ended it.
        case end(Request, Attribute, BlueZFailure?)
        /// Stop the notifications that bluetoothd may still send for a link that ended; ignore the reply.
        case stopLeftOver(Attribute)
    }
}

extension AttributeStateMachine {
    struct Item: Equatable {
        let call: Call
        let message: Message
        var user: User?
        var limit = AttributeStateMachine.operationTime
        var attempt = 0
        var deadline: Duration?
        /// The failure that caused the delay before a retry.
        var failure: BlueZFailure?
        /// Whether the user has left; the reply still frees the queue.
        var isAbandoned = false

        /// Whether a retry may succeed: another call ends, and an unused socket is soon released.
        func mayPass(_ failure: BlueZFailure?) -> Bool {
            if failure == .inProgress { return true }
            return failure?.isAcquired == true && attempt < AttributeStateMachine.acquiredTries
        }

        var isOfSession: Bool { message == .startNotify || message == .stopNotify }
    }

    struct Subscriber: Equatable {
        let request: Request
        let user: User
        var isTold = false
    }

    struct AttributeQueue: Equatable {
        var current: Item?
        var waiting: Deque<Item> = []
        /// Whether bluetoothd sends values, according to its replies.
        var isNotifying = false
        var subscribers: [Subscriber] = []
        /// The ends of subscriptions that wait for `StopNotify`.
        var leavers: [Request] = []

        var isChangingSession: Bool {
            current?.isOfSession == true || waiting.contains { $0.isOfSession }
        }

        /// Whether the queue has no subscribers, no active notifications and no pending change of them.
        var isAtRest: Bool {
            !isNotifying && subscribers.isEmpty && leavers.isEmpty && !isChangingSession
        }

        /// Appends a call; returns the call that starts.
        mutating func take(_ item: Item, _ now: Duration) -> Item? {
            waiting.append(item)
            return begin(now)
        }

        /// Removes and returns the running call; nil if `call` is another one.
        mutating func end(_ call: Call) -> Item? {
            guard let item = current, item.call == call else { return nil }
            current = nil
            return item
        }

        /// Starts and returns the next call, if none is running.
        mutating func begin(_ now: Duration) -> Item? {
            guard current == nil, var item = waiting.popFirst() else { return nil }
            item.deadline = now + item.limit
            current = item
            return item
        }
    }
}
