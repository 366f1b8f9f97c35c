internal import BluejayGLib
internal import BluejayTables
package import FoundationEssentials

/// Names a pending call, to cancel it.
package struct CallID: Hashable, Swift.Sendable {
    /// The serial of the message; negative for a call that could not be sent.
    let number: Int64
}

/// What a call comes back with: the arguments of the reply, or an error.
package typealias CallResult = Result<[BusValue], BusError>

/// What a prepared call comes back with: the reply itself, to be read with `reader`, or an error.
package typealias ReplyResult = Result<BusMessage, BusError>

/// The calls that wait for a reply, by serial.
///
/// libdbus has its own table (`DBusPendingCall`); this one costs a third fewer instructions a call and
/// makes cancelling and time limits ours.
struct PendingCalls {
    struct Entry {
        let deadline: Duration
        let reply: (ReplyResult) -> Void
    }

    /// By serial.
    var entries = NumberTable<Entry>()
    /// Calls that could not be sent, until their failure is told.
    var refusals: [CallID: Refusal] = [:]
    private var refusalCount: Int64 = 0

    /// The earliest deadline, or nil when nothing waits.
    var nextDeadline: Duration? { entries.values.map(\.deadline).min() }

    mutating func makeRefusalID() -> CallID {
        refusalCount += 1
        return CallID(number: -refusalCount)
    }

    /// Removes what is due at `now`, oldest call first.
    mutating func removeDue(at now: Duration) -> [Entry] {
        let due = entries.sorted.filter { $0.value.deadline <= now }
        for (serial, _) in due { entries.removeValue(forKey: serial) }
        return due.map(\.value)
    }

    /// Removes everything, oldest call first.
    mutating func removeAll() -> [Entry] {
        let all = entries.sorted.map(\.value)
        entries = NumberTable()
        return all
    }
}

extension BusConnection {
    /// Calls a method; `reply` comes exactly once, on the context, unless the call is cancelled.
    ///
    /// - Parameters:
    ///   - call: The method and its arguments.
    ///   - timeout: After it the reply is `BusError.noReply`, and a later one is ignored.
    ///   - reply: Comes in a later turn, also when the call cannot be sent at all. Signals that the peer
    ///     sent before its reply are delivered before it.
    /// - Returns: What `cancel` takes.
    @discardableResult
    package func call(
        _ call: MethodCall,
        timeout: Duration,
        reply: @escaping (CallResult) -> Void
    ) -> CallID {
        place(try BusMessage.methodCall(call), timeout) { reply($0.flatMap(Self.arguments)) }
    }

    /// Calls a method; `reply` comes as that of any call, with the message as it came.
    ///
    /// For what is long: its arguments are read where they lie, and no further than is wanted.
    @discardableResult
    package func ask(
        _ call: MethodCall,
        timeout: Duration,
        reply: @escaping (ReplyResult) -> Void
    ) -> CallID {
        place(try BusMessage.methodCall(call), timeout, reply)
    }

    /// Makes a prepared call; `reply` comes as that of any call, with the message as it came.
    ///
    /// The system bus answers `LimitsExceeded` from the 129th call on that waits for its reply; who has
    /// more to ask waits for answers first.
    @discardableResult
    package func call(
        _ call: PreparedCall,
        timeout: Duration,
        reply: @escaping (ReplyResult) -> Void
    ) -> CallID {
        place(try call.message(), timeout, reply)
    }

    /// Makes a prepared call with further arguments, which `write` appends before this returns.
    @discardableResult
    package func call(
        _ call: PreparedCall,
        writing write: (inout BusWriter) -> Void,
        timeout: Duration,
        reply: @escaping (ReplyResult) -> Void
    ) -> CallID {
        place(try call.message(write), timeout, reply)
    }

    /// Makes a prepared call with such bytes as its first argument.
    @discardableResult
    package func call(
        _ call: PreparedValueCall,
        _ bytes: Data,
        timeout: Duration,
        reply: @escaping (ReplyResult) -> Void
    ) -> CallID {
        place(try call.message(bytes), timeout, reply)
    }

    private func place(
        _ message: @autoclosure () throws(BusError) -> BusMessage,
        _ timeout: Duration,
        _ reply: @escaping (ReplyResult) -> Void
    ) -> CallID {
        do throws(BusError) {
            guard let serial = sendNumbered(try message()) else { throw .disconnected }
            let deadline = clock.now + timeout
            pendingCalls.entries[Int(serial)] = PendingCalls.Entry(deadline: deadline, reply: reply)
            armExpiry(deadline)
            return CallID(number: Int64(serial))
        } catch {
            return failSoon(error, reply)
        }
    }

    /// Calls a method without a time limit; gives the serial, nil when it cannot be sent.
    func callWithoutLimit(
        _ call: MethodCall,
        reply: @escaping (ReplyResult) -> Void
    ) -> UInt32? {
        guard let message = try? BusMessage.methodCall(call), let serial = sendNumbered(message)
        else { return nil }
        let never = Duration.seconds(Int64.max)
        pendingCalls.entries[Int(serial)] = PendingCalls.Entry(deadline: never, reply: reply)
        return serial
    }

    /// Lets go of a timer that is for calls only that have been answered; the clock would go there.
    func forgetPastLimits() {
        guard let armed = expiryInstant, pendingCalls.nextDeadline != armed else { return }
        expiry = nil
        expiryInstant = nil
        if let next = pendingCalls.nextDeadline { armExpiry(next) }
    }

    private static func arguments(_ message: BusMessage) -> CallResult {
        do throws(BusError) {
            return .success(try message.arguments())
        } catch {
            return .failure(error)
        }
    }

    /// Forgets a call: its reply is ignored and its closure released.
    package func cancel(_ id: CallID) {
        if id.number >= 0 {
            pendingCalls.entries.removeValue(forKey: Int(id.number))
        } else {
            pendingCalls.refusals.removeValue(forKey: id)?.reply = nil
        }
    }

    /// Asks the bus for a well-known name; fails when another connection has it.
    package func requestName(_ name: String, reply: @escaping (BusError?) -> Void) {
        let bus = "org.freedesktop.DBus"
        let doNotQueue: UInt32 = 4
        let call = MethodCall(
            bus,
            "/org/freedesktop/DBus",
            bus,
            "RequestName",
            [.string(name), .uint32(doNotQueue)]
        )
        self.call(call, timeout: .seconds(25)) { result in
            switch result {
            case .failure(let error): reply(error)
            case .success(let values):
                let owned = values.first == .uint32(1) || values.first == .uint32(4)
                let text = "the name \(name) is taken"
                reply(owned ? nil : BusError(name: bus + ".Error.NameTaken", message: text))
            }
        }
    }

    func receiveReply(_ message: BusMessage) {
        // One that is not there was cancelled, or came too late.
        let entry = pendingCalls.entries.removeValue(forKey: Int(message.replySerial))
        guard let entry else { return }
        let isAnswer = message.kind == .methodReturn
        entry.reply(isAnswer ? .success(message) : .failure(message.error))
    }

    func failPendingCalls(_ error: BusError) {
        expiry = nil
        expiryInstant = nil
        for entry in pendingCalls.removeAll() { entry.reply(.failure(error)) }
    }

    private func failSoon(_ error: BusError, _ reply: @escaping (ReplyResult) -> Void) -> CallID {
        let id = pendingCalls.makeRefusalID()
        let refusal = Refusal(reply)
        pendingCalls.refusals[id] = refusal
        // Told whatever becomes of the connection.
        clock.later { [weak self] in
            self?.pendingCalls.refusals[id] = nil
            refusal.reply?(.failure(error))
        }
        return id
    }

    // One timer for the earliest deadline. A reply does not re-arm it: when it fires too early it
    // finds nothing due and looks for the next.
    private func armExpiry(_ deadline: Duration) {
        if let armed = expiryInstant, armed <= deadline { return }
        expiryInstant = deadline
        expiry = clock.schedule(after: deadline - clock.now) { [weak self] in self?.expire() }
    }

    private func expire() {
        expiry = nil
        expiryInstant = nil
        let due = pendingCalls.removeDue(at: clock.now)
        if let next = pendingCalls.nextDeadline { armExpiry(next) }
        for entry in due { entry.reply(.failure(.noReply)) }
    }
}

/// A call that could not be sent; without `reply` when it was cancelled.
final class Refusal {
    var reply: ((ReplyResult) -> Void)?

    init(_ reply: @escaping (ReplyResult) -> Void) {
        self.reply = reply
    }
}
