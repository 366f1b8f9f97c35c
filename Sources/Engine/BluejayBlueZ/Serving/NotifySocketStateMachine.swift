internal import DequeModule

/// The subscribers of one characteristic, their sockets, and the values queued for each socket.
///
/// bluetoothd requests a socket when a central subscribes. The reach of a socket depends on the version:
///
/// - From 5.76 on, a value reaches the central of its socket.
/// - Before 5.76, a value on any socket reaches all subscribers.
/// - Up to 5.69, bluetoothd also reports only the first subscriber, whose socket serves the others, too.
///
/// A closed socket does not identify the central that left: when an unbonded central leaves, bluetoothd
/// closes the first socket, which may belong to another central. A central that lost its socket this way
/// is still subscribed, and a signal reaches it together with all others. In any other case the
/// subscription has ended, and the central remains connected until its link ends.
///
/// Values and sockets are numbers here; the caller of the machine holds their contents.
package struct NotifySocketStateMachine<Central: Hashable & Swift.Sendable>: Equatable {
    /// The maximum number of values queued for a socket.
    package static var maximumQueuedValueCount: Int { 256 }

    private struct PendingValue: Equatable {
        var value: Int
        /// The only recipient, or `nil` for all.
        var recipient: Central?
    }

    private struct SocketQueue: Equatable {
        let id: Int
        /// `nil` if the central has left and its socket serves others.
        var central: Central?
        let mtu: Int?
        /// Whether bluetoothd closed the socket by mistake.
        var hasLostSocket = false
        var pendingValues: Deque<PendingValue> = []
        var isFull = false
        var droppedCount = 0
    }

    private struct ValueProgress: Equatable {
        /// The number of sockets for which the value is queued.
        var remainingSocketCount: Int
        var isSent = false
    }

    private(set) var reach = Reach.allSubscribers
    private var queues: [SocketQueue] = []
    private var lastSocketID = 0
    private var valueProgress: [Int: ValueProgress] = [:]
    private var connected: Set<Central> = []
    /// The connected devices that may be subscribed.
    private var eligibleCentrals: Set<Central> = []
    /// The subscribers whose connection has not been reported yet.
    private var unconfirmed: Set<Central> = []
    /// Whether this bluetoothd reports each subscriber; if so, it also closes sockets by mistake.
    private var reportsEachSubscriber = false
    private var closures = SocketClosureStateMachine<Central>()
    /// The queues whose sockets closed, until it is known whether by mistake.
    private var closedQueues: [SocketQueue] = []
    /// The changes of the present event.
    private var changes: [SubscriberChange<Central>] = []

    package init() {}

    /// The centrals with a socket, in the order of subscription.
    package var subscribers: [Subscriber] {
        queues.compactMap { queue in
            queue.central.map {
                Subscriber(
                    central: $0,
                    mtu: queue.mtu,
                    pendingCount: queue.pendingValues.count,
                    droppedCount: queue.droppedCount,
                    sharesValues: queue.hasLostSocket
                )
            }
        }
    }

    /// Whether a value for all may reach a subscriber.
    package var isSubscribed: Bool {
        !queues.isEmpty && (reach == .oneSubscriber || !connected.isEmpty || !unconfirmed.isEmpty)
    }

    /// The next value to write to a socket, or `nil` if the socket is full or its queue is empty.
    package func nextValue(on number: Int) -> Int? {
        guard let queue = queues.first(where: { $0.id == number }), !queue.isFull else {
            return nil
        }
        return queue.pendingValues.first?.value
    }

    // MARK: Centrals

    /// A central subscribed and gets a socket.
    ///
    /// - Returns: The number of the socket.
    package mutating func subscribed(
        _ central: Central,
        mtu: Int?
    ) -> (number: Int, actions: [Action]) {
        lastSocketID += 1
        let number = lastSocketID
        let actions = changing { machine in
            if !machine.connected.contains(central) { machine.unconfirmed.insert(central) }
            machine.closedQueues.removeAll { $0.central == central }
            let old = machine.queues.filter { $0.central == central }.map(\.id)
            machine.queues.append(SocketQueue(id: number, central: central, mtu: mtu))
            // A central that subscribes again has lost its socket, observed or not.
            return [.report(.subscribed(central))]
                + old.flatMap { [.close($0)] + machine.removeQueue($0) }
                + machine.failUnaddressable()
        }
        return (number, actions)
    }

    /// The connections changed.
    ///
    /// - Parameters:
    ///   - now: The connected devices.
    ///   - eligibleCentrals: The connected devices that may be subscribed, whether or not bluetoothd reported
    ///     them.
    ///   - reach: The recipients of a value on a socket.
    ///   - reportsEachSubscriber: Whether bluetoothd reports each subscriber. Such a bluetoothd also closes
    ///     the first socket when an unbonded central leaves.
    ///   - time: The current time.
    /// - Returns: The actions to perform.
    package mutating func connectionsChanged(
        _ now: Set<Central>,
        eligibleCentrals: Set<Central>,
        reach: Reach,
        reportsEachSubscriber: Bool = false,
        at time: Duration = .zero
    ) -> [Action] {
        changing { machine in
            let disconnected = machine.connected.subtracting(now)
            machine.connected = now
            machine.reportsEachSubscriber = reportsEachSubscriber
            machine.expireClosures(time)
            machine.findMistakes(disconnected, time)
            machine.eligibleCentrals = eligibleCentrals
            machine.unconfirmed.subtract(now)
            machine.reach = reach
            var actions: [Action] = []
            for index in machine.queues.indices {
                guard let central = machine.queues[index].central else { continue }
                guard disconnected.contains(central) else { continue }
                machine.queues[index].central = nil
                machine.changes.append(.disconnected(central))
            }
            for queue in machine.queues
            where queue.central == nil && (reach == .oneSubscriber || queue.hasLostSocket) {
                actions.append(.close(queue.id))
                actions += machine.removeQueue(queue.id)
            }
            return actions + machine.failUnaddressable()
        }
    }

    /// bluetoothd closed a socket, or the socket failed.
    package mutating func socketClosed(_ number: Int, at time: Duration = .zero) -> [Action] {
        changing { machine in
            guard let queue = machine.queues.first(where: { $0.id == number && !$0.hasLostSocket })
            else { return [] }
            machine.expireClosures(time)
            var actions: [Action] = []
            if let central = queue.central {
                machine.unconfirmed.remove(central)
                switch machine.verdict(on: central, time) {
                case .mistake:
                    machine.changes.append(.lostSocket(central))
                    return machine.markSocketLost(number)
                case .undecided:
                    machine.closedQueues.append(queue)
                    if let deadline = machine.closures.deadline { actions = [.setTimer(deadline)] }
                case .unsubscribed: machine.reportUnsubscribed([central])
                }
            } else {
                machine.reportUnsubscribed([])
            }
            return actions + [.close(number)] + machine.removeQueue(number)
                + machine.failUnaddressable()
        }
    }

    /// The timer of `setTimer` has fired.
    package mutating func timerFired(at time: Duration) -> [Action] {
        changing { machine in
            machine.expireClosures(time)
            guard !machine.closedQueues.isEmpty, let deadline = machine.closures.deadline else {
                return []
            }
            return [.setTimer(deadline)]
        }
    }

    private var openQueues: [SocketQueue] { queues.filter { !$0.hasLostSocket } }

    private mutating func verdict(on central: Central, _ time: Duration)
        -> SocketClosureStateMachine<Central>.Verdict
    {
        guard reportsEachSubscriber, connected.contains(central) else { return .unsubscribed }
        return closures.closed(
            central,
            subscribers: queues.compactMap(\.central),
            open: openQueues.compactMap(\.central),
            now: time
        )
    }

    private mutating func expireClosures(_ time: Duration) {
        for central in closures.expire(now: time) where removeClosedQueue(of: central) != nil {
            changes.append(.unsubscribed(central))
        }
    }

    private mutating func removeClosedQueue(of central: Central) -> SocketQueue? {
        closedQueues.firstIndex { $0.central == central }.map { closedQueues.remove(at: $0) }
    }

    private mutating func reportUnsubscribed(_ centrals: [Central]) {
        changes += reportsEachSubscriber ? centrals.map { .unsubscribed($0) } : [.unsubscribed(nil)]
    }

    /// Restores the queues whose sockets were closed because other centrals left.
    private mutating func findMistakes(_ disconnected: Set<Central>, _ time: Duration) {
        for central in disconnected where removeClosedQueue(of: central) != nil {
            changes.append(.disconnected(central))
        }
        guard reportsEachSubscriber, !disconnected.isEmpty else { return }
        let mistaken = closures.centralsDisconnected(
            disconnected,
            subscribers: queues.compactMap(\.central),
            open: openQueues.compactMap(\.central),
            now: time
        )
        for central in mistaken {
            guard var queue = removeClosedQueue(of: central) else { continue }
            queue.hasLostSocket = true
            queue.pendingValues = []
            queues.append(queue)
            changes.append(.lostSocket(central))
        }
    }

    /// Closes a socket that bluetoothd closed by mistake; values for its central alone are lost.
    private mutating func markSocketLost(_ number: Int) -> [Action] {
        guard let index = queues.firstIndex(where: { $0.id == number }) else { return [] }
        var queue = queues[index]
        let actions = [.close(number)] + removeQueue(number)
        queue.hasLostSocket = true
        queue.pendingValues = []
        queues.append(queue)
        return actions + failUnaddressable()
    }

    /// bluetoothd disappeared, or dropped the characteristic.
    package mutating func lost() -> [Action] {
        changing { machine in
            let numbers = machine.queues.map(\.id)
            let values = machine.valueProgress.sorted { $0.key < $1.key }
            if machine.reportsEachSubscriber || !numbers.isEmpty {
                let queues = machine.queues + machine.closedQueues
                machine.reportUnsubscribed(queues.compactMap(\.central))
            }
            machine.queues = []
            machine.valueProgress = [:]
            machine.unconfirmed = []
            machine.closedQueues = []
            machine.closures = SocketClosureStateMachine()
            return numbers.map { .close($0) }
                + values.map {
                    .finish($0.key, $0.value.isSent ? .sent : .failed(.notSubscribed))
                }
        }
    }

    // MARK: Values

    /// Queues a value for all centrals or for one.
    ///
    /// - Parameters:
    ///   - value: A number that no queued value has.
    ///   - recipient: The only recipient, or `nil` for all.
    /// - Returns: The refusal, or the actions to perform.
    package mutating func send(
        _ value: Int,
        to recipient: Central? = nil
    ) -> Result<[Action], SendFailure> {
        if let refusal = sendFailure(of: recipient) { return .failure(refusal) }
        var targets = queues.indices.filter { !queues[$0].hasLostSocket }
        if reach == .allSubscribers {
            targets = Array(targets.prefix(1))
        } else if let recipient {
            targets.removeAll { queues[$0].central != recipient }
        } else if targets.count < queues.count {
            // A signal reaches all subscribers, and would reach those with a socket twice.
            targets = []
        }
        if targets.isEmpty { return .success([.signal(value), .finish(value, .sent)]) }
        let free = targets.filter { queues[$0].pendingValues.count < Self.maximumQueuedValueCount }
        // A central that never reads must not block the others, so only full queues miss the value.
        guard !free.isEmpty else { return .failure(.full) }
        for index in targets where queues[index].pendingValues.count >= Self.maximumQueuedValueCount
        {
            queues[index].droppedCount += 1
        }
        valueProgress[value] = ValueProgress(remainingSocketCount: free.count)
        var actions: [Action] = []
        for index in free {
            queues[index].pendingValues.append(PendingValue(value: value, recipient: recipient))
            if !queues[index].isFull { actions.append(.write(queues[index].id)) }
        }
        return .success(actions)
    }

    /// The result of writing `nextValue(on:)`.
    package mutating func wrote(_ number: Int, _ outcome: WriteOutcome) -> [Action] {
        guard let index = queues.firstIndex(where: { $0.id == number }) else { return [] }
        switch outcome {
        case .closed:
            // `socketClosed` follows on a later iteration, to avoid a callback inside the user's call.
            queues[index].isFull = true
            return []
        case .full:
            queues[index].isFull = true
            return [.watch(number)]
        case .sent:
            guard let value = queues[index].pendingValues.popFirst()?.value else { return [] }
            let next: [Action] = queues[index].pendingValues.isEmpty ? [] : [.write(number)]
            return settle(value, .sent) + next
        }
    }

    /// A full socket became writable.
    package mutating func writable(_ number: Int) -> [Action] {
        guard let index = queues.firstIndex(where: { $0.id == number }), queues[index].isFull
        else { return [] }
        queues[index].isFull = false
        return queues[index].pendingValues.isEmpty ? [] : [.write(number)]
    }

    private func sendFailure(of recipient: Central?) -> SendFailure? {
        guard isSubscribed else { return .notSubscribed }
        guard let recipient else { return nil }
        switch reach {
        case .oneSubscriber:
            guard let queue = queues.first(where: { $0.central == recipient }) else {
                return .notSubscribed
            }
            guard queue.hasLostSocket else { return nil }
            let present = eligibleCentrals.union(unconfirmed).union(queues.compactMap(\.central))
            return present == [recipient] ? nil : .notAddressable
        case .allSubscribers:
            let present = eligibleCentrals.union(unconfirmed).union(queues.compactMap(\.central))
            guard present.contains(recipient) else { return .notSubscribed }
            return present == [recipient] ? nil : .notAddressable
        }
    }

    /// Refuses queued values for one central that would now reach others as well.
    private mutating func failUnaddressable() -> [Action] {
        guard reach == .allSubscribers else { return [] }
        var actions: [Action] = []
        for index in queues.indices {
            for pending in queues[index].pendingValues {
                guard let recipient = pending.recipient,
                    let refusal = sendFailure(of: recipient)
                else { continue }
                queues[index].pendingValues.removeAll { $0 == pending }
                actions += settle(pending.value, .failed(refusal))
            }
        }
        return actions
    }

    /// Removes a queue, moving its values to another socket if that reaches the same centrals.
    private mutating func removeQueue(_ number: Int) -> [Action] {
        guard let index = queues.firstIndex(where: { $0.id == number }) else { return [] }
        let queue = queues.remove(at: index)
        guard reach == .allSubscribers,
            let successor = queues.firstIndex(where: { !$0.hasLostSocket })
        else {
            return queue.pendingValues.flatMap { settle($0.value, .failed(.notSubscribed)) }
        }
        guard !queue.pendingValues.isEmpty else { return [] }
        queues[successor].pendingValues = queue.pendingValues + queues[successor].pendingValues
        return queues[successor].isFull ? [] : [.write(queues[successor].id)]
    }

    private mutating func settle(_ value: Int, _ outcome: Outcome) -> [Action] {
        guard var progress = valueProgress[value] else { return [] }
        progress.remainingSocketCount -= 1
        if outcome == .sent { progress.isSent = true }
        valueProgress[value] = progress.remainingSocketCount == 0 ? nil : progress
        return progress.remainingSocketCount == 0
            ? [.finish(value, progress.isSent ? .sent : outcome)] : []
    }

    private var state: [Subscriber] {
        subscribers.map { Subscriber(central: $0.central, mtu: nil, sharesValues: $0.sharesValues) }
    }

    private mutating func changing(_ change: (inout Self) -> [Action]) -> [Action] {
        let (before, wasSubscribed) = (state, isSubscribed)
        var actions = change(&self)
        if before != state || wasSubscribed != isSubscribed { actions.append(.notifyChange) }
        actions += changes.map { .report($0) }
        changes = []
        return actions
    }
}

extension NotifySocketStateMachine {
    /// The recipients of a value on a socket.
    package enum Reach: Equatable, Swift.Sendable {
        case allSubscribers, oneSubscriber
    }

    package enum SendFailure: Error, Equatable, Swift.Sendable {
        case notSubscribed
        /// The value would reach other centrals as well.
        case notAddressable
        case full
    }

    package enum Outcome: Equatable, Swift.Sendable {
        /// At least one socket accepted the value.
        case sent
        case failed(SendFailure)
    }

    /// The result of an attempt to write.
    package enum WriteOutcome: Equatable, Swift.Sendable {
        case sent, full, closed
    }

    package enum Action: Equatable, Swift.Sendable {
        /// Write `nextValue(on:)` until it is `nil`, and report each result.
        case write(Int)
        /// Report when the socket is writable.
        case watch(Int)
        case close(Int)
        /// Send a value to all subscribers by a signal.
        case signal(Int)
        case finish(Int, Outcome)
        /// `subscribers` or `isSubscribed` changed.
        case notifyChange
        /// Report a change of one subscription.
        case report(SubscriberChange<Central>)
        /// Report `timerFired` at this time; replaces the earlier timer.
        case setTimer(Duration)
    }

    /// A central with its own socket.
    package struct Subscriber: Hashable, Swift.Sendable {
        package var central: Central
        package var mtu: Int?
        /// The number of values queued for its socket.
        package var pendingCount: Int
        /// The number of values for all that were dropped because its queue was full.
        package var droppedCount: Int
        /// Whether its socket was closed by mistake, so that it receives only values for all.
        package var sharesValues: Bool

        package init(
            central: Central,
            mtu: Int?,
            pendingCount: Int = 0,
            droppedCount: Int = 0,
            sharesValues: Bool = false
        ) {
            self.central = central
            self.mtu = mtu
            self.pendingCount = pendingCount
            self.droppedCount = droppedCount
            self.sharesValues = sharesValues
        }
    }
}
