/// Decides who answers which question of bluetoothd's, and for how long it may.
///
/// Each question is replied to exactly once: with the answer of its user, or with a refusal when nobody is
/// there for its device, when too many are open, or when the answer does not come in time. What is shown
/// is replied to at once, and stays open until it is over. Instants are arguments.
struct PairingRequestStateMachine: Equatable {
    typealias User = Int
    typealias RequestID = Int

    /// What bluetoothd is told.
    enum Reply: Equatable {
        case accepted
        case passkey(UInt32)
        case pinCode(String)
        /// Somebody said no.
        case refused
        /// Its user does not answer any more.
        case abandoned
        /// Nobody said anything in time.
        case gaveUp
        /// There is nothing to be answered any more, or nobody who could.
        case withdrawn
    }

    /// What to do.
    enum Action: Equatable {
        case ask(User, RequestID)
        /// What is shown already has changed; the second question is the new form of the first one.
        case update(RequestID, with: RequestID)
        case reply(RequestID, Reply)
        /// The user is told that it is over without an answer of his.
        case ended(RequestID)
        /// The pairing of what is shown is not wanted.
        case cancelPairing(RequestID)
        /// Report `timerFired` at the instant; nil disarms it.
        case setTimer(Duration?)
    }

    private struct Open: Equatable {
        let question: RequestID
        let user: User
        var device: PairingDevice
        let isDisplay: Bool
        var deadline: Duration
    }

    private struct Registrant: Equatable {
        let user: User
        var claim: AgentScope?
    }

    /// How long a request may wait for its answer; the kernel gives up after 30 s.
    static let requestTimeout = Duration.seconds(25)
    /// Nothing tells that something need not be shown any more, when a pairing of others just ends.
    static let displayTime = Duration.seconds(60)
    /// Questions that are open at once.
    static let limit = 16

    private var users: [Registrant] = []
    private var open: [Open] = []
    private var armed: Duration?

    /// Whether anything is asked or shown.
    var isIdle: Bool { open.isEmpty }

    // MARK: Users

    /// Somebody joins, behind those who are there.
    mutating func joined(_ user: User) {
        users.append(Registrant(user: user))
    }

    /// Somebody answers for other devices than before.
    mutating func claims(_ user: User, _ claim: AgentScope?) {
        guard let index = users.firstIndex(where: { $0.user == user }) else { return }
        users[index].claim = claim
    }

    /// Somebody does not answer any more.
    mutating func left(_ user: User) -> [Action] {
        users.removeAll { $0.user == user }
        return end(.abandoned) { $0.user == user }
    }

    /// Pairing has replaced the address of a device.
    mutating func moved(from old: PairingDevice, to new: PairingDevice) {
        for index in users.indices where users[index].claim == .device(old) {
            users[index].claim = .device(new)
        }
        for index in open.indices where open[index].device == old { open[index].device = new }
    }

    // MARK: Questions

    /// bluetoothd asks or shows something.
    ///
    /// - Parameters:
    ///   - question: Its number, never used twice.
    ///   - device: Whose; nil when bluetoothd does not know it.
    ///   - isOwnLink: Whether this process has a link to the device.
    ///   - isDisplay: Whether it is to be shown only.
    ///   - now: The present instant.
    /// - Returns: What to do.
    mutating func asked(
        _ question: RequestID,
        by device: PairingDevice?,
        isOwnLink: Bool,
        isDisplay: Bool,
        now: Duration
    ) -> [Action] {
        guard let device, let user = answerer(for: device, isOwnLink: isOwnLink) else {
            return [.reply(question, .refused)]
        }
        let limit = now + (isDisplay ? Self.displayTime : Self.requestTimeout)
        let shown = open.firstIndex { $0.isDisplay && $0.device == device && $0.user == user }
        if isDisplay, let shown {
            open[shown].deadline = limit
            return [.reply(question, .accepted), .update(open[shown].question, with: question)]
                + rearm()
        }
        guard open.count < Self.limit else { return [.reply(question, .refused)] }
        open.append(
            Open(
                question: question,
                user: user,
                device: device,
                isDisplay: isDisplay,
                deadline: limit
            )
        )
        let reply: [Action] = isDisplay ? [.reply(question, .accepted)] : []
        return reply + [.ask(user, question)] + rearm()
    }

    /// A user has answered.
    mutating func answered(_ question: RequestID, _ reply: Reply) -> [Action] {
        guard let index = open.firstIndex(where: { $0.question == question }) else { return [] }
        if open[index].isDisplay {
            guard reply == .refused else { return [] }
            open.remove(at: index)
            return [.cancelPairing(question), .ended(question)] + rearm()
        }
        open.remove(at: index)
        return [.reply(question, reply)] + rearm()
    }

    /// A user will not answer any more; what is shown goes on.
    mutating func letGo(_ question: RequestID) -> [Action] {
        guard open.contains(where: { $0.question == question && !$0.isDisplay }) else { return [] }
        return answered(question, .refused)
    }

    /// The pairing of a device has ended, or its link: these are asked and shown no longer.
    mutating func over(_ questions: Set<RequestID>) -> [Action] {
        end(.withdrawn) { questions.contains($0.question) }
    }

    /// bluetoothd waits for nothing any more, or has gone.
    mutating func overForAll() -> [Action] {
        end(.withdrawn) { _ in true }
    }

    /// The timer fired.
    mutating func timerFired(now: Duration) -> [Action] {
        armed = nil
        return end(.gaveUp) { $0.deadline <= now }
    }

    // MARK: Steps

    // One who answers for a device goes before one who answers for all others, whoever came first.
    private func answerer(for device: PairingDevice, isOwnLink: Bool) -> User? {
        let covering = users.filter { $0.claim?.covers(device, isOwnLink: isOwnLink) == true }
        let own = covering.first { $0.claim?.isForOthers == false }
        return (own ?? covering.first)?.user
    }

    private mutating func end(_ reply: Reply, _ isOver: (Open) -> Bool) -> [Action] {
        let ended = open.filter(isOver)
        open.removeAll(where: isOver)
        let actions = ended.flatMap { one -> [Action] in
            one.isDisplay
                ? [.ended(one.question)] : [.reply(one.question, reply), .ended(one.question)]
        }
        return actions + rearm()
    }

    private mutating func rearm() -> [Action] {
        let next = open.map(\.deadline).min()
        guard next != armed else { return [] }
        armed = next
        return [.setTimer(next)]
    }
}
