internal import DequeModule

/// Who is subscribed to one characteristic, on which sockets, and which values wait for them in order.
///
/// bluetoothd asks for a socket when a central subscribes. From 5.76 on what is sent there reaches that
/// central; before, whatever is sent on any socket reaches everybody, up to 5.69 only the first subscriber
/// is told of, and its socket serves the others too. A socket that bluetoothd has closed says nothing of
/// its central: when an unbonded one leaves, bluetoothd closes the first socket, whosever it is. The
/// subscription is over then, and the central is there until its link ends.
///
/// Values and sockets have numbers here; whoever runs the machine has the rest.
package struct SubscribersMachine<Central: Hashable & Swift.Sendable>: Equatable {
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

        package init(central: Central, mtu: Int?, waiting: Int = 0, lost: Int = 0) {
            self.central = central
            self.mtu = mtu
            self.waiting = waiting
            self.lost = lost
        }
    }

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

    package init() {}

    /// The centrals with a socket, in the order of their subscriptions.
    package var subscribers: [Subscriber] {
        lines.compactMap { line in
            line.central.map {
                Subscriber(
                    central: $0,
                    mtu: line.mtu,
                    waiting: line.waiting.count,
                    lost: line.lost
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
    /// - Returns: What is to be done.
    package mutating func connectionsChanged(
        _ now: Set<Central>,
        audience: Set<Central>,
        reach: Reach
    ) -> [Action] {
        changing { machine in
            let left = machine.connected.subtracting(now)
            machine.connected = now
            machine.audience = audience
            machine.early.subtract(now)
            machine.reach = reach
            var actions: [Action] = []
            for index in machine.lines.indices {
                guard let central = machine.lines[index].central else { continue }
                if left.contains(central) { machine.lines[index].central = nil }
            }
            if reach == .one {
                for line in machine.lines where line.central == nil {
                    actions.append(.close(line.number))
                    actions += machine.removeLine(line.number)
                }
            }
            return actions + machine.refuseForeign()
        }
    }

    /// bluetoothd has closed a socket, or it has failed.
    package mutating func hungUp(_ number: Int) -> [Action] {
        changing { machine in
            guard let line = machine.lines.first(where: { $0.number == number }) else { return [] }
            if let central = line.central { machine.early.remove(central) }
            return [.close(number)] + machine.removeLine(number) + machine.refuseForeign()
        }
    }

    /// bluetoothd has gone, or has the characteristic no longer.
    package mutating func lost() -> [Action] {
        changing { machine in
            let numbers = machine.lines.map(\.number)
            let values = machine.shares.sorted { $0.key < $1.key }
            machine.lines = []
            machine.shares = [:]
            machine.early = []
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
        let targets: [Int]
        if let recipient, reach == .one {
            targets = lines.indices.filter { lines[$0].central == recipient }
        } else {
            targets = Array(reach == .one ? lines.indices : 0..<1)
        }
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
            return lines.contains { $0.central == recipient } ? nil : .notSubscribed
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
        guard reach == .everybody, !lines.isEmpty else {
            return line.waiting.flatMap { settle($0.value, .refused(.notSubscribed)) }
        }
        guard !line.waiting.isEmpty else { return [] }
        lines[0].waiting = line.waiting + lines[0].waiting
        return lines[0].isFull ? [] : [.write(lines[0].number)]
    }

    private mutating func settle(_ value: Int, _ outcome: Outcome) -> [Action] {
        guard var share = shares[value] else { return [] }
        share.open -= 1
        if outcome == .sent { share.isSent = true }
        shares[value] = share.open == 0 ? nil : share
        return share.open == 0 ? [.finish(value, share.isSent ? .sent : outcome)] : []
    }

    private mutating func changing(_ change: (inout Self) -> [Action]) -> [Action] {
        let before = (subscribers.map(\.central), isSubscribed)
        let actions = change(&self)
        let after = (subscribers.map(\.central), isSubscribed)
        return before == after ? actions : actions + [.tell]
    }
}
