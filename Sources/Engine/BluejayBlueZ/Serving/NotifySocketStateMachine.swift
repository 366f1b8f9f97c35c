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
    package static var limit: Int { 256 }

    private struct Waiting: Equatable {
        var value: Int
        /// The only recipient, or `nil` for all.
        var recipient: Central?
    }

    private struct Line: Equatable {
        let number: Int
        /// `nil` if the central has left and its socket serves others.
        var central: Central?
        let mtu: Int?
        /// Whether bluetoothd closed the socket by mistake.
        var isMuted = false
        var waiting: Deque<Waiting> = []
        var isFull = false
        var lost = 0
    }

    private struct Share: Equatable {
        /// The number of sockets for which the value is queued.
        var open: Int
        var isSent = false
    }

    private var reach = Reach.everybody
    private var lines: [Line] = []
    private var lastNumber = 0
    private var shares: [Int: Share] = [:]
    private var connected: Set<Central> = []
    /// The connected devices that may be subscribed.
    private var audience: Set<Central> = []
    /// The subscribers whose connection has not been reported yet.
    private var early: Set<Central> = []
    /// Whether this bluetoothd closes sockets by mistake.
    private var closesFirst = false
    private var mistakes = MistakenClosures<Central>()
    /// The lines whose sockets closed while their centrals were connected.
    private var closed: [Central: Line] = [:]

    package init() {}

    /// The centrals with a socket, in the order of subscription.
    package var subscribers: [Subscriber] {
        lines.compactMap { line in
            line.central.map {
                Subscriber(
                    central: $0,
                    mtu: line.mtu,
                    waiting: line.waiting.count,
                    lost: line.lost,
                    sharesValues: line.isMuted
                )
            }
        }
    }

    /// Whether a value for all may reach a subscriber.
    package var isSubscribed: Bool {
        !lines.isEmpty && (reach == .one || !connected.isEmpty || !early.isEmpty)
    }

    /// The next value to write to a socket, or `nil` if the socket is full or its queue is empty.
    package func first(on number: Int) -> Int? {
        guard let line = lines.first(where: { $0.number == number }), !line.isFull else {
            return nil
        }
        return line.waiting.first?.value
    }

    // MARK: Centrals

    /// A central subscribed and gets a socket.
    ///
    /// - Returns: The number of the socket.
    package mutating func subscribed(
        _ central: Central,
        mtu: Int?
    ) -> (number: Int, actions: [Action]) {
        lastNumber += 1
        let number = lastNumber
        let actions = changing { machine in
            if !machine.connected.contains(central) { machine.early.insert(central) }
            machine.closed[central] = nil
            let old = machine.lines.filter { $0.central == central }.map(\.number)
            machine.lines.append(Line(number: number, central: central, mtu: mtu))
            // A central that subscribes again has lost its socket, observed or not.
            return old.flatMap { [.close($0)] + machine.removeLine($0) } + machine.refuseForeign()
        }
        return (number, actions)
    }

    /// The connections changed.
    ///
    /// - Parameters:
    ///   - now: The connected devices.
    ///   - audience: The connected devices that may be subscribed, whether or not bluetoothd reported
    ///     them.
    ///   - reach: The recipients of a value on a socket.
    ///   - closesFirst: Whether bluetoothd closes the first socket when an unbonded central leaves.
    ///   - time: The current time.
    /// - Returns: The actions to perform.
    package mutating func connectionsChanged(
        _ now: Set<Central>,
        audience: Set<Central>,
        reach: Reach,
        closesFirst: Bool = false,
        at time: Duration = .zero
    ) -> [Action] {
        changing { machine in
            let left = machine.connected.subtracting(now)
            machine.connected = now
            machine.closesFirst = closesFirst
            machine.findMistakes(left, time)
            machine.audience = audience
            machine.early.subtract(now)
            machine.reach = reach
            var actions: [Action] = []
            for index in machine.lines.indices {
                guard let central = machine.lines[index].central else { continue }
                if left.contains(central) { machine.lines[index].central = nil }
            }
            for line in machine.lines where line.central == nil && (reach == .one || line.isMuted) {
                actions.append(.close(line.number))
                actions += machine.removeLine(line.number)
            }
            return actions + machine.refuseForeign()
        }
    }

    /// bluetoothd closed a socket, or the socket failed.
    package mutating func hungUp(_ number: Int, at time: Duration = .zero) -> [Action] {
        changing { machine in
            guard let line = machine.lines.first(where: { $0.number == number && !$0.isMuted })
            else { return [] }
            if let central = line.central {
                machine.early.remove(central)
                if machine.isMistake(line, central, time) { return machine.mute(number) }
            }
            return [.close(number)] + machine.removeLine(number) + machine.refuseForeign()
        }
    }

    private var open: [Line] { lines.filter { !$0.isMuted } }

    private mutating func isMistake(_ line: Line, _ central: Central, _ time: Duration) -> Bool {
        guard closesFirst, connected.contains(central) else { return false }
        let wasFirst = open.first?.number == line.number
        if mistakes.closed(central, wasFirst: wasFirst, now: time) { return true }
        closed[central] = line
        return false
    }

    /// Restores the lines whose sockets were closed because other centrals left.
    private mutating func findMistakes(_ left: Set<Central>, _ time: Duration) {
        for central in left { closed[central] = nil }
        guard closesFirst, !left.isEmpty else { return }
        let mistaken = mistakes.left(
            left,
            subscribers: lines.compactMap(\.central),
            open: open.compactMap(\.central),
            now: time
        )
        for central in mistaken {
            guard var line = closed.removeValue(forKey: central) else { continue }
            line.isMuted = true
            line.waiting = []
            lines.append(line)
        }
    }

    /// Closes a socket that bluetoothd closed by mistake; values for its central alone are lost.
    private mutating func mute(_ number: Int) -> [Action] {
        guard let index = lines.firstIndex(where: { $0.number == number }) else { return [] }
        var line = lines[index]
        let actions = [.close(number)] + removeLine(number)
        line.isMuted = true
        line.waiting = []
        lines.append(line)
        return actions + refuseForeign()
    }

    /// bluetoothd disappeared, or dropped the characteristic.
    package mutating func lost() -> [Action] {
        changing { machine in
            let numbers = machine.lines.map(\.number)
            let values = machine.shares.sorted { $0.key < $1.key }
            machine.lines = []
            machine.shares = [:]
            machine.early = []
            machine.closed = [:]
            machine.mistakes = MistakenClosures()
            return numbers.map { .close($0) }
                + values.map {
                    .finish($0.key, $0.value.isSent ? .sent : .refused(.notSubscribed))
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
    ) -> Result<[Action], Refusal> {
        if let refusal = refusal(of: recipient) { return .failure(refusal) }
        var targets = lines.indices.filter { !lines[$0].isMuted }
        if reach == .everybody {
            targets = Array(targets.prefix(1))
        } else if let recipient {
            targets.removeAll { lines[$0].central != recipient }
        } else if targets.count < lines.count {
            // A signal reaches all subscribers, and would reach those with a socket twice.
            targets = []
        }
        if targets.isEmpty { return .success([.signal(value), .finish(value, .sent)]) }
        let free = targets.filter { lines[$0].waiting.count < Self.limit }
        // A central that never reads must not block the others, so only full queues miss the value.
        guard !free.isEmpty else { return .failure(.full) }
        for index in targets where lines[index].waiting.count >= Self.limit {
            lines[index].lost += 1
        }
        shares[value] = Share(open: free.count)
        var actions: [Action] = []
        for index in free {
            lines[index].waiting.append(Waiting(value: value, recipient: recipient))
            if !lines[index].isFull { actions.append(.write(lines[index].number)) }
        }
        return .success(actions)
    }

    /// The result of writing `first(on:)`.
    package mutating func wrote(_ number: Int, _ writing: Writing) -> [Action] {
        guard let index = lines.firstIndex(where: { $0.number == number }) else { return [] }
        switch writing {
        case .closed:
            // `hungUp` follows in a separate turn, to avoid a callback inside the user's call.
            lines[index].isFull = true
            return []
        case .full:
            lines[index].isFull = true
            return [.watch(number)]
        case .sent:
            guard let value = lines[index].waiting.popFirst()?.value else { return [] }
            let next: [Action] = lines[index].waiting.isEmpty ? [] : [.write(number)]
            return settle(value, .sent) + next
        }
    }

    /// A full socket became writable.
    package mutating func writable(_ number: Int) -> [Action] {
        guard let index = lines.firstIndex(where: { $0.number == number }), lines[index].isFull
        else { return [] }
        lines[index].isFull = false
        return lines[index].waiting.isEmpty ? [] : [.write(number)]
    }

    private func refusal(of recipient: Central?) -> Refusal? {
        guard isSubscribed else { return .notSubscribed }
        guard let recipient else { return nil }
        switch reach {
        case .one:
            guard let line = lines.first(where: { $0.central == recipient }) else {
                return .notSubscribed
            }
            guard line.isMuted else { return nil }
            let present = audience.union(early).union(lines.compactMap(\.central))
            return present == [recipient] ? nil : .notAddressable
        case .everybody:
            let present = audience.union(early).union(lines.compactMap(\.central))
            guard present.contains(recipient) else { return .notSubscribed }
            return present == [recipient] ? nil : .notAddressable
        }
    }

    /// Refuses queued values for one central that would now reach others as well.
    private mutating func refuseForeign() -> [Action] {
        guard reach == .everybody else { return [] }
        var actions: [Action] = []
        for index in lines.indices {
            for waiting in lines[index].waiting {
                guard let recipient = waiting.recipient,
                    let refusal = refusal(of: recipient)
                else { continue }
                lines[index].waiting.removeAll { $0 == waiting }
                actions += settle(waiting.value, .refused(refusal))
            }
        }
        return actions
    }

    /// Removes a line, moving its queue to another socket if that reaches the same centrals.
    private mutating func removeLine(_ number: Int) -> [Action] {
        guard let index = lines.firstIndex(where: { $0.number == number }) else { return [] }
        let line = lines.remove(at: index)
        guard reach == .everybody, let heir = lines.firstIndex(where: { !$0.isMuted }) else {
            return line.waiting.flatMap { settle($0.value, .refused(.notSubscribed)) }
        }
        guard !line.waiting.isEmpty else { return [] }
        lines[heir].waiting = line.waiting + lines[heir].waiting
        return lines[heir].isFull ? [] : [.write(lines[heir].number)]
    }

    private mutating func settle(_ value: Int, _ outcome: Outcome) -> [Action] {
        guard var share = shares[value] else { return [] }
        share.open -= 1
        if outcome == .sent { share.isSent = true }
        shares[value] = share.open == 0 ? nil : share
        return share.open == 0 ? [.finish(value, share.isSent ? .sent : outcome)] : []
    }

    private var state: [Subscriber] {
        subscribers.map { Subscriber(central: $0.central, mtu: nil, sharesValues: $0.sharesValues) }
    }

    private mutating func changing(_ change: (inout Self) -> [Action]) -> [Action] {
        let (before, wasSubscribed) = (state, isSubscribed)
        let actions = change(&self)
        let isSame = before == state && wasSubscribed == isSubscribed
        return isSame ? actions : actions + [.tell]
    }
}

extension NotifySocketStateMachine {
    /// The recipients of a value on a socket.
    package enum Reach: Equatable, Swift.Sendable {
        case everybody, one
    }

    package enum Refusal: Error, Equatable, Swift.Sendable {
        case notSubscribed
        /// The value would reach other centrals as well.
        case notAddressable
        case full
    }

    package enum Outcome: Equatable, Swift.Sendable {
        /// At least one socket accepted the value.
        case sent
        case refused(Refusal)
    }

    /// The result of an attempt to write.
    package enum Writing: Equatable, Swift.Sendable {
        case sent, full, closed
    }

    package enum Action: Equatable, Swift.Sendable {
        /// Write `first(on:)` until it is `nil`, and report each result.
        case write(Int)
        /// Report when the socket is writable.
        case watch(Int)
        case close(Int)
        /// Send a value to all subscribers by a signal.
        case signal(Int)
        case finish(Int, Outcome)
        /// `subscribers` or `isSubscribed` changed.
        case tell
    }

    /// A central with its own socket.
    package struct Subscriber: Hashable, Swift.Sendable {
        package var central: Central
        package var mtu: Int?
        /// The number of values queued for its socket.
        package var waiting: Int
        /// The number of values for all that were dropped because its queue was full.
        package var lost: Int
        /// Whether its socket was closed by mistake, so that it receives only values for all.
        package var sharesValues: Bool

        package init(
            central: Central,
            mtu: Int?,
            waiting: Int = 0,
            lost: Int = 0,
            sharesValues: Bool = false
        ) {
            self.central = central
            self.mtu = mtu
            self.waiting = waiting
            self.lost = lost
            self.sharesValues = sharesValues
        }
    }
}
