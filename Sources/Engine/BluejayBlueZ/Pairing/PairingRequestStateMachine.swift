/// Assigns each request from bluetoothd to a user, and limits the time to answer.
///
/// Each request gets exactly one reply: its user's answer, or a refusal if no user covers the device,
/// too many requests are open, or the time is up. A display is accepted at once and stays open until it
/// ends. The caller passes the time.
struct PairingRequestStateMachine: Equatable {
    typealias User = Int
    typealias RequestID = Int

    /// The reply to bluetoothd.
    enum Reply: Equatable {
        case accepted
        case passkey(UInt32)
        case pinCode(String)
        case refused
        /// The user left.
        case abandoned
        /// The user did not answer in time.
        case gaveUp
        /// The request is obsolete.
        case withdrawn
    }

    enum Action: Equatable {
        case ask(User, RequestID)
        /// A display changed; the second request is the new form of the first one.
        case update(RequestID, with: RequestID)
        case reply(RequestID, Reply)
        /// The request ended without an answer; notify the user.
        case ended(RequestID)
        /// The user refused the pairing of a display.
        case cancelPairing(RequestID)
        /// Report `timerFired` at this time; `nil` disarms the timer.
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

    /// The time to answer a request; the kernel times out after 30 s.
    static let requestTimeout = Duration.seconds(25)
    /// The duration of a display; bluetoothd may not signal that another client's pairing ended.
    static let displayTime = Duration.seconds(60)
    static let limit = 16

    private var users: [Registrant] = []
    private var open: [Open] = []
    private var armed: Duration?

    /// Whether no request or display is open.
    var isIdle: Bool { open.isEmpty }

    // MARK: Users

    /// Adds a user, after the existing ones.
    mutating func joined(_ user: User) {
        users.append(Registrant(user: user))
    }

    /// Changes the devices for which a user answers.
    mutating func claims(_ user: User, _ claim: AgentScope?) {
        guard let index = users.firstIndex(where: { $0.user == user }) else { return }
        users[index].claim = claim
    }

    mutating func left(_ user: User) -> [Action] {
        users.removeAll { $0.user == user }
        return end(.abandoned) { $0.user == user }
    }

    /// Pairing replaced the address of a device.
    mutating func moved(from old: PairingDevice, to new: PairingDevice) {
        for index in users.indices where users[index].claim == .device(old) {
            users[index].claim = .device(new)
        }
        for index in open.indices where open[index].device == old { open[index].device = new }
    }

    // MARK: Requests

    /// bluetoothd sent a request.
    ///
    /// - Parameters:
    ///   - question: The number of the request; never reused.
    ///   - device: The device, or `nil` if bluetoothd does not know it.
    ///   - isOwnLink: Whether this process has a link to the device.
    ///   - isDisplay: Whether the request only displays something.
    ///   - now: The current time.
    /// - Returns: The actions to perform.
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

    /// A user released a request unanswered; a display remains open.
    mutating func letGo(_ question: RequestID) -> [Action] {
        guard open.contains(where: { $0.question == question && !$0.isDisplay }) else { return [] }
        return answered(question, .refused)
    }

    /// The pairing or the link of a device ended, and its requests with it.
    mutating func over(_ questions: Set<RequestID>) -> [Action] {
        end(.withdrawn) { questions.contains($0.question) }
    }

    /// bluetoothd waits for no answer, or disappeared.
    mutating func overForAll() -> [Action] {
        end(.withdrawn) { _ in true }
    }

    mutating func timerFired(now: Duration) -> [Action] {
        armed = nil
        return end(.gaveUp) { $0.deadline <= now }
    }

    // MARK: Steps

    // A user for the device takes precedence over a user for all others, regardless of their order.
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
