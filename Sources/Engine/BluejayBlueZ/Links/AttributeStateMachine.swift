internal import BluejayTables
internal import DequeModule

/// Orders what the users of a link ask of its characteristics, and keeps the notifications as wanted.
///
/// The calls on one characteristic wait for each other, those on different ones do not. The first who
/// subscribes makes one `StartNotify`, the last who leaves one `StopNotify`; a subscription whose set-up
/// is pending belongs to all who wait for it. A call is named by a number that is never used again, so
/// that a late answer is that of its own call. Instants are arguments.
///
/// Invariant: every request and every subscription that was taken in completes exactly once.
struct AttributeStateMachine: Equatable {
    typealias User = Int
    /// A characteristic, by its place in the link's table; never used again for another.
    typealias Attribute = Int
    /// A read, a write, a subscription or the end of one; never used again.
    typealias Request = Int
    /// A call of bluetoothd; never used again.
    typealias Call = Int

    /// The ATT transaction limit is 30 s, after which bluetoothd answers by itself.
    static let operationTime = Duration.seconds(40)
    /// Waits between two tries while a foreign program's call is under way; the last one repeats.
    static let backOff: [Duration] = [10, 20, 50, 100, 200, 500].map { .milliseconds($0) }
    /// How often a call is tried again while somebody has a socket of its characteristic: 2.9 s in all.
    static let acquiredTries = 10
    /// How many calls one user may have waiting; more are refused.
    static let callLimit = 256

    /// Of the characteristics that were used on this link; one at rest stays, to be used again.
    private var lanes = NumberTable<AttributeQueue>()
    private var attributes = NumberTable<Attribute>()
    private var calls = NumberTable<Attribute>()
    private var waitingOfUser = NumberTable<Int>()
    private var lastCall = 0

    // MARK: Users

    /// A read or a write is asked for, which may take so long from its turn on.
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

    /// Values of a characteristic are wanted; it completes when they come.
    mutating func subscribe(_ id: Request, _ user: User, _ attribute: Attribute, now: Duration)
        -> [Action]
    {
        attributes[id] = attribute
        open(attribute)
        lanes[attribute]?.subscribers.append(Subscriber(request: id, user: user))
        return [.begin(id, attribute)] + reconcile(attribute, now)
    }

    /// A subscription is not wanted any more; `id` completes when that is so.
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

    /// A subscription has taken too long; one that was set up meanwhile stays.
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

    /// A read or a write that waits is not wanted any more; one that is on its way ends with its answer.
    mutating func withdraw(_ id: Request) -> [Action] {
        guard let attribute = attributes[id],
            lanes[attribute]?.waiting.contains(where: { $0.message == .request(id) }) == true
        else { return [] }
        attributes[id] = nil
        withdraw(id, attribute)
        return [.complete(id, .failed(.cancelled))]
    }

    /// A user has gone, and with it all that it asked for.
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

    // MARK: What bluetoothd does

    /// A call was answered; nil is success.
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

    /// How long to wait before a call that met another program's is made again; nil when it is not.
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

    /// A back-off is over.
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
        // The call's own limit is over: the last answer stands.
        if let deadline = item.deadline, now >= deadline {
            return answered(call, item.failure, now: now)
        }
        return [.send(call, attribute, item.message)]
    }

    /// bluetoothd has ended the values of a characteristic by itself, and the link stands: they are asked
    /// for anew.
    mutating func sessionLost(_ attribute: Attribute, now: Duration) -> [Action] {
        guard lanes[attribute]?.isNotifying == true else { return [] }
        lanes[attribute]?.isNotifying = false
        return reconcile(attribute, now)
    }

    /// The characteristic has gone; a new one at the same place has a number of its own.
    mutating func removed(_ attribute: Attribute) -> [Action] {
        end(attribute, .gone, stops: false, tells: true)
    }

    /// The link has gone; its users hear of that elsewhere.
    ///
    /// - Parameters:
    ///   - failure: What everybody is told.
    ///   - stops: Whether bluetoothd is still there and would go on notifying after a reconnection.
    /// - Returns: What to do.
    mutating func linkEnded(_ failure: BlueZFailure, stops: Bool) -> [Action] {
        let all = lanes.sorted.flatMap {
            end($0.key, failure, stops: stops, tells: false)
        }
        waitingOfUser = NumberTable()
        return all
    }

    /// What a subscription is to.
    func attribute(of request: Request) -> Attribute? { attributes[request] }

    /// Who asked for a call that has its turn; nil when it is for all who subscribe.
    func user(of call: Call) -> User? {
        calls[call].flatMap { lanes[$0]?.current }.flatMap { $0.call == call ? $0.user : nil }
    }

    /// Whether nothing is under way or waits on a characteristic.
    func isFree(_ attribute: Attribute) -> Bool { lanes[attribute]?.current == nil }

    /// How long a call may still take; nil when nobody waits for its answer.
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

    /// Lets the next call begin, and what is wanted be done.
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
            // Who was told before that values come had them until now.
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

    /// Makes what bluetoothd will do the same as what is wanted.
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

    /// Takes a request that waits out; one that is on its way goes on without its user.
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
        // What should end has ended.
        actions += lane.leavers.map { .complete($0, .succeeded) }
        if stops, willNotify(lane) || lane.isNotifying { actions.append(.stopLeftOver(attribute)) }
        return actions
    }
}

extension AttributeStateMachine {
    /// What a call asks of bluetoothd.
    enum Message: Equatable {
        /// The read or write that the user gave with the request.
        case request(Request)
        case startNotify
        case stopNotify
    }

    /// How a request ended.
    enum Outcome: Equatable {
        /// The answer to the request's own call has come.
        case answered
        case succeeded
        case failed(BlueZFailure)
    }

    /// What to do.
    enum Action: Equatable {
        /// Call bluetoothd, then report `answered`.
        case send(Call, Attribute, Message)
        /// Nobody waits for the answer.
        case forget(Call)
        /// Report `backOffEnded` after the delay.
        case backOff(Call, Duration)
        /// Tell the user; nothing more comes of the request.
        case complete(Request, Outcome)
        /// Values go to the subscription from now on.
        case begin(Request, Attribute)
        /// Values go to it no more; the failure says why, and nil that its user ended it.
        case end(Request, Attribute, BlueZFailure?)
        /// bluetoothd may still send values of a link that has gone: switch that off, whatever it says.
        case stopLeftOver(Attribute)
    }
}

extension AttributeStateMachine {
    /// A call of bluetoothd, from its place in the row to its answer.
    struct Item: Equatable {
        let call: Call
        let message: Message
        var user: User?
        /// How long it may take from its turn on.
        var limit = AttributeStateMachine.operationTime
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
            return failure?.isAcquired == true && attempt < AttributeStateMachine.acquiredTries
        }

        var isOfSession: Bool { message == .startNotify || message == .stopNotify }
    }

    struct Subscriber: Equatable {
        let request: Request
        let user: User
        /// Whether its set-up has completed.
        var isTold = false
    }

    struct AttributeQueue: Equatable {
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
