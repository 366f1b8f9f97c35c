/// Assigns each request from bluetoothd to a user, and limits the time to answer.
///
/// Each request gets exactly one reply: its user's answer, or a refusal if no user covers the device,
/// too many requests are open, or the time is up. A display is accepted at once and stays open until it
/// ends. The caller passes the time.
struct PairingRequestStateMachine: Equatable {
    typealias HandlerID = Int
    typealias RequestID = Int

    /// The reply to bluetoothd.
    enum Reply: Equatable {
        case accepted
        case passkey(UInt32)
        case pinCode(String)
        case rejected
        /// The user was removed.
        case handlerRemoved
        /// The user did not answer in time.
        case timedOut
        /// The request is obsolete.
        case cancelled
    }

    enum Action: Equatable {
        case forward(HandlerID, RequestID)
        /// A display changed; the second request is the new form of the first one.
        case update(RequestID, with: RequestID)
        case reply(RequestID, Reply)
        /// The request ended without an answer; notify the user.
        case notifyEnded(RequestID)
        /// The user refused the pairing of a display.
        case cancelPairing(RequestID)
        /// Report `timerFired` at this time; `nil` disarms the timer.
        case setTimer(Duration?)
    }

    private struct PendingRequest: Equatable {
        let id: RequestID
        let handler: HandlerID
        var device: DeviceKey
        let isDisplay: Bool
        var deadline: Duration
    }

    private struct Registrant: Equatable {
        let id: HandlerID
        var scope: AgentScope?
    }

    /// The time to answer a request; the kernel times out after 30 s.
    static let requestTimeout = Duration.seconds(25)
    /// The duration of a display; bluetoothd may not signal that another client's pairing ended.
    static let displayTimeout = Duration.seconds(60)
    static let maximumRequestCount = 16

    private var registrants: [Registrant] = []
    private var pendingRequests: [PendingRequest] = []
    private var armed: Duration?

    /// Whether no request or display is open.
    var isIdle: Bool { pendingRequests.isEmpty }

    // MARK: Users

    /// Adds a user, after the existing ones.
    mutating func handlerAdded(_ handlerID: HandlerID) {
        registrants.append(Registrant(id: handlerID))
    }

    /// Changes the devices for which a user answers.
    mutating func setScope(_ handlerID: HandlerID, _ scope: AgentScope?) {
        guard let index = registrants.firstIndex(where: { $0.id == handlerID }) else { return }
        registrants[index].scope = scope
    }

    mutating func handlerRemoved(_ handlerID: HandlerID) -> [Action] {
        registrants.removeAll { $0.id == handlerID }
        return end(.handlerRemoved) { $0.handler == handlerID }
    }

    /// Pairing replaced the address of a device.
    mutating func addressChanged(from old: DeviceKey, to new: DeviceKey) {
        for index in registrants.indices where registrants[index].scope == .device(old) {
            registrants[index].scope = .device(new)
        }
        for index in pendingRequests.indices where pendingRequests[index].device == old {
            pendingRequests[index].device = new
        }
    }

    // MARK: Requests

    /// bluetoothd sent a request.
    ///
    /// - Parameters:
    ///   - requestID: The number of the request; never reused.
    ///   - device: The device, or `nil` if bluetoothd does not know it.
    ///   - isOwnLink: Whether this process has a link to the device.
    ///   - isDisplay: Whether the request only displays something.
    ///   - now: The current time.
    /// - Returns: The actions to perform.
    mutating func requestReceived(
        _ requestID: RequestID,
        from device: DeviceKey?,
        isOwnLink: Bool,
        isDisplay: Bool,
        now: Duration
    ) -> [Action] {
        guard let device, let handlerID = handler(for: device, isOwnLink: isOwnLink) else {
            return [.reply(requestID, .rejected)]
        }
        let deadline = now + (isDisplay ? Self.displayTimeout : Self.requestTimeout)
        let shown = pendingRequests.firstIndex {
            $0.isDisplay && $0.device == device && $0.handler == handlerID
        }
        if isDisplay, let shown {
            pendingRequests[shown].deadline = deadline
            return [
                .reply(requestID, .accepted), .update(pendingRequests[shown].id, with: requestID),
            ]
                + rearm()
        }
        guard pendingRequests.count < Self.maximumRequestCount else {
            return [.reply(requestID, .rejected)]
        }
        pendingRequests.append(
            PendingRequest(
                id: requestID,
                handler: handlerID,
                device: device,
                isDisplay: isDisplay,
                deadline: deadline
            )
        )
        let reply: [Action] = isDisplay ? [.reply(requestID, .accepted)] : []
        return reply + [.forward(handlerID, requestID)] + rearm()
    }

    mutating func replied(_ requestID: RequestID, _ reply: Reply) -> [Action] {
        guard let index = pendingRequests.firstIndex(where: { $0.id == requestID }) else {
            return []
        }
        if pendingRequests[index].isDisplay {
            guard reply == .rejected else { return [] }
            pendingRequests.remove(at: index)
            return [.cancelPairing(requestID), .notifyEnded(requestID)] + rearm()
        }
        pendingRequests.remove(at: index)
        return [.reply(requestID, reply)] + rearm()
    }

    /// A user released a request unanswered; a display remains open.
    mutating func responderReleased(_ requestID: RequestID) -> [Action] {
        guard pendingRequests.contains(where: { $0.id == requestID && !$0.isDisplay }) else {
            return []
        }
        return replied(requestID, .rejected)
    }

    /// The pairing or the link of a device ended, and its requests with it.
    mutating func cancelRequests(_ requestIDs: Set<RequestID>) -> [Action] {
        end(.cancelled) { requestIDs.contains($0.id) }
    }

    /// bluetoothd waits for no answer, or disappeared.
    mutating func cancelAllRequests() -> [Action] {
        end(.cancelled) { _ in true }
    }

    mutating func timerFired(now: Duration) -> [Action] {
        armed = nil
        return end(.timedOut) { $0.deadline <= now }
    }

    // MARK: Steps

    // A user for the device takes precedence over a user for all others, regardless of their order.
    private func handler(for device: DeviceKey, isOwnLink: Bool) -> HandlerID? {
        let covering = registrants.filter { $0.scope?.covers(device, isOwnLink: isOwnLink) == true }
        let own = covering.first { $0.scope?.isForUnclaimedDevices == false }
        return (own ?? covering.first)?.id
    }

    private mutating func end(_ reply: Reply, _ isEnded: (PendingRequest) -> Bool) -> [Action] {
        let ended = pendingRequests.filter(isEnded)
        pendingRequests.removeAll(where: isEnded)
        let actions = ended.flatMap { one -> [Action] in
            one.isDisplay
                ? [.notifyEnded(one.id)] : [.reply(one.id, reply), .notifyEnded(one.id)]
        }
        return actions + rearm()
    }

    private mutating func rearm() -> [Action] {
        let next = pendingRequests.map(\.deadline).min()
        guard next != armed else { return [] }
        armed = next
        return [.setTimer(next)]
    }
}
