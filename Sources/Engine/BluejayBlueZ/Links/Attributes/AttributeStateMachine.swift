internal import DequeModule

/// Orders the requests of a link's users, and starts and stops notifications on demand.
///
/// Calls on one attribute run one at a time, those on different attributes in parallel. The first
/// subscriber causes one `StartNotify`, the last one to leave one `StopNotify`; waiting subscribers share a
/// pending set-up. Call numbers are never reused, so a late reply cannot be mistaken for another call's.
/// Instants are arguments.
///
/// Invariant: every accepted request and subscription completes exactly once.
struct AttributeStateMachine: Equatable {
    typealias LeaseID = Int
    /// A characteristic or descriptor, by its identifier in the link's table; never reused.
    typealias AttributeID = Int
    /// A read, a write, a subscription or the end of a subscription; counts up from 1, never reused.
    typealias RequestID = Int
    /// A call to bluetoothd: that of a read or a write has the number of the request, those that change
    /// notifications count down from -1; never reused.
    typealias CallNumber = Int

    /// The time limit of a call; bluetoothd replies after the ATT transaction limit of 30 s.
    static let operationTimeout = Duration.seconds(40)
    /// Delays between attempts while another program's call is pending; the last one repeats.
    static let backOff: [Duration] = [10, 20, 50, 100, 200, 500].map { .milliseconds($0) }
    /// The number of retries while a program holds a socket of the characteristic: 2.9 s in total.
    static let maximumAcquiredRetryCount = 10
    /// The number of pending calls that one user may have; more are refused.
    static let maximumPendingCallCount = 256

    /// The queues of the attributes used on this link; an idle queue is kept for reuse.
    private var queues = NumberTable<AttributeQueue>()
    /// The attributes of the requests and the calls that have not ended.
    private var attributes = NumberTable<AttributeID>()
    private var pendingCountByLease = NumberTable<Int>()
    private var lastNotifyCall = 0
    /// Whether the peripheral left a request unanswered for 30 s, after which bluetoothd ends the link.
    ///
    /// bluetoothd reports ATT error 0x0E for that request and for the others of the link.
    private(set) var hasUnansweredRequest = false

    // MARK: Users

    /// Adds a read or a write; `timeout` counts from the start of its call.
    mutating func request(
        _ id: RequestID,
        _ leaseID: LeaseID,
        _ attribute: AttributeID,
        within timeout: Duration = operationTimeout,
        now: Duration
    ) -> [Action] {
        let pendingCount = pendingCountByLease[leaseID] ?? 0
        guard pendingCount < Self.maximumPendingCallCount else {
            return [.complete(id, .failed(.queueFull))]
        }
        addQueue(attribute)
        if queues.find(attribute, { $0.current?.isRejected }) == true {
            return [.complete(id, .failed(.pairingRejected))]
        }
        pendingCountByLease[leaseID] = pendingCount + 1
        return enqueue(
            QueuedCall(call: id, kind: .request, lease: leaseID, timeout: timeout),
            attribute,
            now
        )
    }

    /// Adds a subscription, which completes when values arrive.
    mutating func subscribe(
        _ id: RequestID,
        _ leaseID: LeaseID,
        _ attribute: AttributeID,
        now: Duration
    )
        -> [Action]
    {
        attributes[id] = attribute
        addQueue(attribute)
        queues[attribute]?.subscribers.append(Subscriber(request: id, lease: leaseID))
        return [.startDelivery(id, attribute)] + updateNotifying(attribute, now)
    }

    /// Removes a subscription; `id` completes when bluetoothd has ended it.
    mutating func unsubscribe(_ subscription: RequestID, _ id: RequestID, now: Duration) -> [Action]
    {
        guard let attribute = attributes.removeValue(forKey: subscription),
            let subscriber = remove(subscription, attribute)
        else { return [.complete(id, .succeeded)] }
        var actions: [Action] = [.endDelivery(subscription, attribute, nil)]
        if !subscriber.isCompleted { actions.append(.complete(subscription, .failed(.cancelled))) }
        guard queues[attribute]?.subscribers.isEmpty == true else {
            return actions + [.complete(id, .succeeded)]
        }
        queues[attribute]?.pendingUnsubscribes.append(id)
        return actions + updateNotifying(attribute, now)
    }

    /// Ends a subscription that has exceeded its time limit, unless its set-up has completed.
    mutating func expired(_ subscription: RequestID, now: Duration) -> [Action] {
        guard let attribute = attributes[subscription],
            queues[attribute]?.subscribers.contains(where: {
                $0.request == subscription && !$0.isCompleted
            }) == true
        else { return [] }
        attributes[subscription] = nil
        guard let subscriber = remove(subscription, attribute) else { return [] }
        return ended(subscriber, attribute, .timedOut, notifiesSubscribers: false)
            + updateNotifying(attribute, now)
    }

    /// Cancels a waiting read or write; one that was sent ends with its reply.
    mutating func cancel(_ id: RequestID) -> [Action] {
        guard let attribute = attributes[id],
            queues[attribute]?.pendingCalls.contains(where: { $0.call == id }) == true
        else { return [] }
        cancel(id, attribute)
        return [.complete(id, .failed(.cancelled))]
    }

    mutating func leaseReleased(_ leaseID: LeaseID, _ failure: BlueZFailure, now: Duration)
        -> [Action]
    {
        var actions: [Action] = []
        for attribute in queues.keys.sorted() {
            for id in requests(of: leaseID, on: attribute) {
                cancel(id, attribute)
                actions.append(.complete(id, .failed(failure)))
            }
            let subscribers = queues[attribute]?.subscribers.filter { $0.lease == leaseID } ?? []
            for subscriber in subscribers {
                attributes[subscriber.request] = nil
                _ = remove(subscriber.request, attribute)
                actions += ended(subscriber, attribute, failure, notifiesSubscribers: false)
            }
            if !subscribers.isEmpty { actions += updateNotifying(attribute, now) }
        }
        pendingCountByLease[leaseID] = nil
        return actions
    }

    // MARK: Replies and events of bluetoothd

    mutating func replied(_ call: CallNumber, _ failure: BlueZFailure?, now: Duration) -> [Action] {
        guard let attribute = attributes[call] else { return [] }
        if let failure, let delay = retry(call, attribute, failure, now) {
            return [.backOff(call, delay)]
        }
        guard let item = queues.update(attribute, { $0.end(call) }) ?? nil else { return [] }
        if case .attribute(0x0E, _) = failure, item.wasUnanswered(now) {
            hasUnansweredRequest = true
        }
        attributes.removeValue(forKey: call)
        var actions: [Action]
        switch item.kind {
        case .request: actions = replied(item, failure)
        case .startNotify: actions = started(attribute, failure)
        case .stopNotify: actions = stopped(attribute, failure)
        }
        startNext(attribute, now, &actions)
        return actions
    }

    /// The delay before the retry of a call that conflicted with another program's; nil for no retry.
    private mutating func retry(
        _ call: CallNumber,
        _ attribute: AttributeID,
        _ failure: BlueZFailure,
        _ now: Duration
    ) -> Duration? {
        guard var item = queues[attribute]?.current, item.call == call, !item.isCancelled,
            item.isRetryable(failure), let deadline = item.deadline, now < deadline
        else { return nil }
        let delay = Self.backOff[min(item.attempt, Self.backOff.count - 1)]
        item.attempt += 1
        queues[attribute]?.current = item
        queues[attribute]?.failure = failure
        return min(delay, deadline - now)
    }

    mutating func backOffEnded(_ call: CallNumber, now: Duration) -> [Action] {
        guard let attribute = attributes[call], let queue = queues[attribute],
            let item = queue.current, item.call == call
        else { return [] }
        guard !item.isCancelled else {
            attributes[call] = nil
            _ = queues[attribute]?.end(call)
            var actions: [Action] = []
            startNext(attribute, now, &actions)
            return actions
        }
        // The call's time limit has passed: the last reply counts.
        if let deadline = item.deadline, now >= deadline {
            return replied(call, queue.failure, now: now)
        }
        return [.send(call, attribute, item.kind)]
    }

    /// bluetoothd has ended the notifications of a characteristic, and the link is up: requests them again.
    mutating func notifyingLost(_ attribute: AttributeID, now: Duration) -> [Action] {
        guard queues[attribute]?.isNotifying == true else { return [] }
        queues[attribute]?.isNotifying = false
        return updateNotifying(attribute, now)
    }

    /// A characteristic was removed; a new one at the same path has a new identifier.
    mutating func removed(_ attribute: AttributeID) -> [Action] {
        end(attribute, .objectRemoved, sendsStopNotify: false, notifiesSubscribers: true)
    }

    /// The link ended; the link itself notifies its users.
    ///
    /// With `sendsStopNotify`, bluetoothd is reachable and would resume notifications after a reconnection.
    mutating func linkEnded(_ failure: BlueZFailure, sendsStopNotify: Bool) -> [Action] {
        let all = queues.keys.sorted().flatMap {
            end($0, failure, sendsStopNotify: sendsStopNotify, notifiesSubscribers: false)
        }
        pendingCountByLease = NumberTable()
        return all
    }

    // MARK: Pairing

    /// A user rejected a pairing at an instant, and the requests that were sent before are still unanswered.
    ///
    /// They and the requests queued after them fail: bluetoothd replies when it ends the link.
    mutating func pairingRejected(at instant: Duration, now: Duration) -> [Action] {
        var actions: [Action] = []
        for attribute in queues.keys.sorted() {
            guard let queue = queues[attribute], let item = queue.current,
                queue.isWaiting(since: instant)
            else { continue }
            queues[attribute]?.current?.isRejected = true
            for request in queues[attribute]?.requests() ?? [] {
                cancel(request, attribute)
                actions.append(.complete(request, .failed(.pairingRejected)))
            }
            guard item.kind == .startNotify else { continue }
            for subscriber in queues[attribute]?.subscribers ?? [] where !subscriber.isCompleted {
                attributes[subscriber.request] = nil
                _ = remove(subscriber.request, attribute)
                actions += ended(
                    subscriber,
                    attribute,
                    .pairingRejected,
                    notifiesSubscribers: false
                )
            }
            actions += updateNotifying(attribute, now)
        }
        return actions
    }

    /// The device is paired: bluetoothd repeats the requests that a rejected pairing left unanswered.
    mutating func paired() -> [Action] {
        for attribute in queues.keys { queues[attribute]?.current?.isRejected = false }
        return []
    }

    func attribute(of request: RequestID) -> AttributeID? { attributes[request] }

    /// The user of the running call; nil if it serves all subscribers.
    func lease(of call: CallNumber) -> LeaseID? {
        attributes[call].flatMap { queues[$0]?.current }
            .flatMap { $0.call == call ? $0.lease : nil }
    }

    /// Whether no call runs or waits on an attribute.
    func isFree(_ attribute: AttributeID) -> Bool { queues[attribute]?.current == nil }

    /// The time left for a call; nil if the call has ended.
    func timeLeft(of call: CallNumber, now: Duration) -> Duration? {
        guard let attribute = attributes[call],
            let current = queues.find(attribute, { $0.current }), let current,
            current.call == call, let deadline = current.deadline
        else { return nil }
        return max(deadline - now, .zero)
    }

    // MARK: Steps

    private mutating func enqueue(_ item: QueuedCall, _ attribute: AttributeID, _ now: Duration)
        -> [Action]
    {
        attributes[item.call] = attribute
        guard let next = queues.update(attribute, { $0.enqueue(item, now) }) ?? nil else {
            return []
        }
        return [.send(next.call, attribute, next.kind)]
    }

    private mutating func addQueue(_ attribute: AttributeID) {
        if !queues.contains(attribute) { queues[attribute] = AttributeQueue() }
    }

    private mutating func startNext(
        _ attribute: AttributeID,
        _ now: Duration,
        _ actions: inout [Action]
    ) {
        if let item = queues.update(attribute, { $0.startNext(now) }) ?? nil {
            actions.append(.send(item.call, attribute, item.kind))
        }
        guard queues.find(attribute, { $0.isIdle }) == false else { return }
        actions += updateNotifying(attribute, now)
    }

    private mutating func replied(_ item: QueuedCall, _ failure: BlueZFailure?) -> [Action] {
        if let leaseID = item.lease { pendingCountByLease[leaseID]? -= 1 }
        guard !item.isCancelled else { return [] }
        return [.complete(item.call, failure.map { .failed($0) } ?? .replied)]
    }

    private mutating func started(_ attribute: AttributeID, _ failure: BlueZFailure?) -> [Action] {
        guard let failure else {
            queues[attribute]?.isNotifying = true
            return completeSubscribers(attribute)
        }
        let subscribers = queues[attribute]?.subscribers ?? []
        queues[attribute]?.subscribers = []
        return subscribers.flatMap { subscriber -> [Action] in
            attributes[subscriber.request] = nil
            // A subscriber whose set-up had completed received values until now.
            return ended(subscriber, attribute, failure, notifiesSubscribers: true)
        }
    }

    private mutating func stopped(_ attribute: AttributeID, _ failure: BlueZFailure?) -> [Action] {
        queues[attribute]?.isNotifying = false
        return completeUnsubscribes(attribute, failure.map { .failed($0) } ?? .succeeded)
    }

    private mutating func completeSubscribers(_ attribute: AttributeID) -> [Action] {
        guard var queue = queues[attribute] else { return [] }
        var actions: [Action] = []
        for index in queue.subscribers.indices where !queue.subscribers[index].isCompleted {
            queue.subscribers[index].isCompleted = true
            actions.append(.complete(queue.subscribers[index].request, .succeeded))
        }
        queues[attribute] = queue
        return actions
    }

    private mutating func completeUnsubscribes(_ attribute: AttributeID, _ outcome: Outcome)
        -> [Action]
    {
        let unsubscribes = queues[attribute]?.pendingUnsubscribes ?? []
        queues[attribute]?.pendingUnsubscribes = []
        return unsubscribes.map { .complete($0, outcome) }
    }

    /// Starts or stops notifications if the subscribers require it.
    private mutating func updateNotifying(_ attribute: AttributeID, _ now: Duration) -> [Action] {
        guard let queue = queues[attribute], !queue.isIdle else { return [] }
        let hasSubscribers = !queue.subscribers.isEmpty
        var actions: [Action] = []
        if let index = queue.pendingCalls.firstIndex(where: { $0.changesNotifying }) {
            let wouldNotify = queue.pendingCalls[index].kind == .startNotify
            if wouldNotify != hasSubscribers,
                let item = queues[attribute]?.pendingCalls.remove(at: index)
            {
                attributes[item.call] = nil
            }
        } else if willNotify(queue) != hasSubscribers {
            lastNotifyCall -= 1
            let kind: CallKind = hasSubscribers ? .startNotify : .stopNotify
            actions += enqueue(QueuedCall(call: lastNotifyCall, kind: kind), attribute, now)
        }
        guard let queue = queues[attribute] else { return actions }
        let isSettled = !queue.isChangingNotifying
        if isSettled, queue.isNotifying { actions += completeSubscribers(attribute) }
        if isSettled || hasSubscribers { actions += completeUnsubscribes(attribute, .succeeded) }
        return actions
    }

    private func willNotify(_ queue: AttributeQueue) -> Bool {
        switch queue.current?.kind {
        case .startNotify: true
        case .stopNotify: false
        case .request, nil: queue.isNotifying
        }
    }

    private func requests(of leaseID: LeaseID, on attribute: AttributeID) -> [RequestID] {
        queues[attribute]?.requests(where: { $0.lease == leaseID }) ?? []
    }

    /// Removes a waiting request; one that was sent continues without its user.
    private mutating func cancel(_ id: RequestID, _ attribute: AttributeID) {
        if queues[attribute]?.current?.call == id {
            queues[attribute]?.current?.isCancelled = true
            return
        }
        guard
            let index = queues[attribute]?.pendingCalls.firstIndex(where: {
                $0.call == id
            }),
            let item = queues[attribute]?.pendingCalls.remove(at: index)
        else { return }
        attributes[item.call] = nil
        if let leaseID = item.lease { pendingCountByLease[leaseID]? -= 1 }
    }

    private mutating func remove(_ id: RequestID, _ attribute: AttributeID) -> Subscriber? {
        guard let index = queues[attribute]?.subscribers.firstIndex(where: { $0.request == id })
        else { return nil }
        return queues[attribute]?.subscribers.remove(at: index)
    }

    private func ended(
        _ subscriber: Subscriber,
        _ attribute: AttributeID,
        _ failure: BlueZFailure,
        notifiesSubscribers: Bool
    ) -> [Action] {
        guard subscriber.isCompleted else {
            return [
                .endDelivery(subscriber.request, attribute, nil),
                .complete(subscriber.request, .failed(failure)),
            ]
        }
        return [.endDelivery(subscriber.request, attribute, notifiesSubscribers ? failure : nil)]
    }

    private mutating func end(
        _ attribute: AttributeID,
        _ failure: BlueZFailure,
        sendsStopNotify: Bool,
        notifiesSubscribers: Bool
    ) -> [Action] {
        guard let queue = queues.removeValue(forKey: attribute) else { return [] }
        var actions: [Action] = []
        for item in (queue.current.map { [$0] } ?? []) + queue.pendingCalls {
            attributes[item.call] = nil
            if let leaseID = item.lease { pendingCountByLease[leaseID]? -= 1 }
            if item.call == queue.current?.call { actions.append(.ignoreReply(item.call)) }
            guard item.kind == .request, !item.isCancelled else { continue }
            actions.append(.complete(item.call, .failed(failure)))
        }
        for subscriber in queue.subscribers {
            attributes[subscriber.request] = nil
            actions += ended(
                subscriber,
                attribute,
                failure,
                notifiesSubscribers: notifiesSubscribers
            )
        }
        actions += queue.pendingUnsubscribes.map { .complete($0, .succeeded) }
        if sendsStopNotify, willNotify(queue) || queue.isNotifying {
            actions.append(.stopOrphanedNotify(attribute))
        }
        return actions
    }
}

extension AttributeStateMachine {
    enum CallKind: Equatable {
        case request
        case startNotify
        case stopNotify
    }

    enum Outcome: Equatable {
        /// The request's own call received its reply.
        case replied
        case succeeded
        case failed(BlueZFailure)
    }

    enum Action: Equatable {
        case send(CallNumber, AttributeID, CallKind)
        /// Ignore the reply of the call.
        case ignoreReply(CallNumber)
        /// Report `backOffEnded` after the delay.
        case backOff(CallNumber, Duration)
        /// Complete the request of the user; this is its last action.
        case complete(RequestID, Outcome)
        /// Deliver values to the subscription from now on.
        case startDelivery(RequestID, AttributeID)
        /// Stop delivery to the subscription; the failure is nil if the user ended it.
        case endDelivery(RequestID, AttributeID, BlueZFailure?)
        /// Stop the notifications that bluetoothd may still send for a link that ended; ignore the reply.
        case stopOrphanedNotify(AttributeID)
    }
}

extension AttributeStateMachine {
    struct QueuedCall: Equatable {
        let call: CallNumber
        let kind: CallKind
        var lease: LeaseID?
        var timeout = AttributeStateMachine.operationTimeout
        var attempt = 0
        var deadline: Duration?
        /// Whether the caller no longer waits; the reply still frees the queue.
        var isCancelled = false
        /// Whether a rejected pairing keeps bluetoothd from replying.
        var isRejected = false

        /// Whether a retry may succeed: another call ends, and an unused socket is soon released.
        func isRetryable(_ failure: BlueZFailure?) -> Bool {
            if failure == .inProgress { return true }
            return failure?.isAcquired == true
                && attempt < AttributeStateMachine.maximumAcquiredRetryCount
        }

        /// Whether a reply now comes at the end of bluetoothd's limit of 30 s.
        func wasUnanswered(_ now: Duration) -> Bool {
            deadline.map { now - ($0 - timeout) >= .seconds(29) } ?? false
        }

        var changesNotifying: Bool { kind == .startNotify || kind == .stopNotify }
    }

    struct Subscriber: Equatable {
        let request: RequestID
        let lease: LeaseID
        var isCompleted = false
    }

    struct AttributeQueue: Equatable {
        var current: QueuedCall?
        /// The failure that caused the delay before a retry of the current call.
        var failure: BlueZFailure?
        var pendingCalls: Deque<QueuedCall> = []
        /// Whether bluetoothd sends values, according to its replies.
        var isNotifying = false
        var subscribers: [Subscriber] = []
        /// The ends of subscriptions that wait for `StopNotify`.
        var pendingUnsubscribes: [RequestID] = []

        var isChangingNotifying: Bool {
            current?.changesNotifying == true || pendingCalls.contains { $0.changesNotifying }
        }

        /// Whether the queue has no subscribers, no active notifications and no pending change of them.
        var isIdle: Bool {
            !isNotifying && subscribers.isEmpty && pendingUnsubscribes.isEmpty
                && !isChangingNotifying
        }

        /// The requests whose callers wait, the running one first.
        func requests(where isWaiting: (QueuedCall) -> Bool = { _ in true }) -> [RequestID] {
            ((current.map { [$0] } ?? []) + pendingCalls).compactMap { item in
                isWaiting(item) && !item.isCancelled && item.kind == .request ? item.call : nil
            }
        }

        /// Whether the current call was sent before an instant, and bluetoothd has not replied.
        func isWaiting(since instant: Duration) -> Bool {
            guard let current, let deadline = current.deadline, failure == nil,
                current.kind != .stopNotify
            else { return false }
            return deadline - current.timeout <= instant
        }

        /// Appends a call; returns the call that starts.
        mutating func enqueue(_ item: QueuedCall, _ now: Duration) -> QueuedCall? {
            if current == nil, pendingCalls.isEmpty { return start(item, now) }
            pendingCalls.append(item)
            return startNext(now)
        }

        /// Removes and returns the running call; nil if `call` is another one.
        mutating func end(_ call: CallNumber) -> QueuedCall? {
            guard let item = current, item.call == call else { return nil }
            current = nil
            failure = nil
            return item
        }

        /// Starts and returns the next call, if none is running.
        mutating func startNext(_ now: Duration) -> QueuedCall? {
            guard current == nil, let item = pendingCalls.popFirst() else { return nil }
            return start(item, now)
        }

        private mutating func start(_ item: QueuedCall, _ now: Duration) -> QueuedCall {
            var item = item
            item.deadline = now + item.timeout
            current = item
            return item
        }
    }
}
