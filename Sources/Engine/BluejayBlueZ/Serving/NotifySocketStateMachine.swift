internal import DequeModule

/// Who is subscribed to one characteristic, on which sockets, and which values wait for them in order.
///
/// bluetoothd asks for a socket when a central subscribes. From 5.76 on what is sent there reaches that
/// central; before, whatever is sent on any socket reaches everybody, up to 5.69 only the first subscriber
/// is told of, and its socket serves the others too. A socket that bluetoothd has closed says nothing of
/// its central: when an unbonded one leaves, bluetoothd closes the first socket, whosever it is. A central
/// that lost its socket so is still subscribed: a signal reaches it, and all others with it. Else the
/// subscription is over, and the central is there until its link ends.
///
/// Values and sockets have numbers here; whoever runs the machine has the rest.
package struct NotifySocketStateMachine<Central: Hashable & Swift.Sendable>: Equatable {
    /// The most values that wait for a socket.
    package static var limit: Int { 256 }

    private struct Waiting: Equatable {
        var value: Int
        /// Who alone is to get it.
        var recipient: Central?
    }

    private struct Line: Equatable {
        let number: Int
        /// Nil when it has left, and its socket reaches others.
        var central: Central?
        let mtu: Int?
        /// Whether its socket was closed by mistake.
        var isMuted = false
        var waiting: Deque<Waiting> = []
        var isFull = false
        var lost = 0
    }

    private struct Share: Equatable {
        /// On how many sockets the value waits.
        var open: Int
        var isSent = false
    }

    private var reach = Reach.everybody
    private var lines: [Line] = []
    private var lastNumber = 0
    private var shares: [Int: Share] = [:]
    private var connected: Set<Central> = []
    /// Who may hear what everybody hears.
    private var audience: Set<Central> = []
    /// Who subscribed before its connection was seen.
    private var early: Set<Central> = []
    /// Whether this bluetoothd closes sockets by mistake.
    private var closesFirst = false
    private var mistakes = MistakenClosures<Central>()
    /// The lines that went with their sockets while their links were up.
    private var closed: [Central: Line] = [:]

    package init() {}

    /// The centrals with a socket, in the order of their subscriptions.
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

    /// Whether a value that is sent to everybody may reach anybody.
    package var isSubscribed: Bool {
        !lines.isEmpty && (reach == .one || !connected.isEmpty || !early.isEmpty)
    }

    /// The value to write next on a socket; nil when it is full, or nothing waits.
    package func first(on number: Int) -> Int? {
        guard let line = lines.first(where: { $0.number == number }), !line.isFull else {
            return nil
        }
        return line.waiting.first?.value
    }

    // MARK: Centrals

    /// A central has subscribed, and gets a socket.
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
            // Who subscribes again has lost its socket, seen or not.
            return old.flatMap { [.close($0)] + machine.removeLine($0) } + machine.refuseForeign()
        }
        return (number, actions)
    }

    /// The connections have changed.
    ///
    /// - Parameters:
    ///   - now: The devices that are connected.
    ///   - audience: Those of them that may be subscribed, whether they were told of or not.
    ///   - reach: What this bluetoothd does with a socket.
    ///   - closesFirst: Whether it closes the first socket when an unbonded central leaves.
    ///   - time: The present instant.
    /// - Returns: What is to be done.
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

    /// bluetoothd has closed a socket, or it has failed.
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

    /// Takes those in again whose sockets were closed because of others who have left.
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

    /// What waits on a socket that was closed by mistake is lost with it where it is for that one.
    private mutating func mute(_ number: Int) -> [Action] {
        guard let index = lines.firstIndex(where: { $0.number == number }) else { return [] }
        var line = lines[index]
        let actions = [.close(number)] + removeLine(number)
        line.isMuted = true
        line.waiting = []
        lines.append(line)
        return actions + refuseForeign()
    }

    /// bluetoothd has gone, or has the characteristic no longer.
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

    /// Takes a value for everybody, or for one.
    ///
    /// - Parameters:
    ///   - value: A number that no value has that waits.
    ///   - recipient: Who alone is to get it; nil is everybody.
    /// - Returns: Why it is not taken, or what is to be done.
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
            // A signal reaches all, and twice whom a socket reaches too.
            targets = []
        }
        if targets.isEmpty { return .success([.signal(value), .finish(value, .sent)]) }
        let free = targets.filter { lines[$0].waiting.count < Self.limit }
        // Who has to wait for others would be stopped by one that never reads.
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

    /// What became of `first(on:)`.
    package mutating func wrote(_ number: Int, _ writing: Writing) -> [Action] {
        guard let index = lines.firstIndex(where: { $0.number == number }) else { return [] }
        switch writing {
        case .closed:
            // `hungUp` follows in a turn of its own: nobody is told inside his call.
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

    /// A socket that was full takes more.
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

    /// Takes out what waits for one central and would reach others by now.
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

    /// What waits on a socket that has gone waits for another where that reaches the same centrals.
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
    /// Whom a value on a socket reaches.
    package enum Reach: Equatable, Swift.Sendable {
        case everybody, one
    }

    /// Why a value is not taken.
    package enum Refusal: Error, Equatable, Swift.Sendable {
        case notSubscribed
        /// Others would get it too.
        case notAddressable
        /// As many values wait as may.
        case full
    }

    /// What became of a value.
    package enum Outcome: Equatable, Swift.Sendable {
        /// At least one socket has it.
        case sent
        case refused(Refusal)
    }

    /// What became of a try to write.
    package enum Writing: Equatable, Swift.Sendable {
        case sent, full, closed
    }

    /// What is to be done.
    package enum Action: Equatable, Swift.Sendable {
        /// Write `first(on:)` as long as there is one, and say what became of it.
        case write(Int)
        /// Say when the socket takes more.
        case watch(Int)
        case close(Int)
        /// Send a value to all by a signal.
        case signal(Int)
        case finish(Int, Outcome)
        /// `subscribers` or `isSubscribed` has changed.
        case tell
    }

    /// A central with a socket of its own.
    package struct Subscriber: Hashable, Swift.Sendable {
        package var central: Central
        package var mtu: Int?
        /// How many values wait for its socket.
        package var waiting: Int
        /// How many values for everybody it has missed, because as many waited as may.
        package var lost: Int
        /// Whether its socket was closed by mistake, so that it gets what all get, and nothing alone.
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
