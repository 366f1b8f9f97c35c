package import BluejayGLib
internal import CBluejay
internal import DequeModule
package import FoundationEssentials

/// A private connection to a message bus, driven by a main context.
///
/// The connection never blocks: the context reads and writes the socket, `Hello` is an ordinary call, and
/// every reply, signal and exported call arrives on the context. Calls made before the bus has answered
/// `Hello` are sent after it. All members belong to the context's thread.
package final class BusConnection {
    /// Receives every sent and received message, for a log.
    package typealias Tap = (BusMessage, _ isSent: Bool) -> Void

    package let context: MainContext
    /// The clock for the time limits of calls.
    package let clock: any EventClock
    /// The unique name that the bus assigned; nil until it has replied to `Hello`.
    package private(set) var uniqueName: String?
    package private(set) var isOpen = true

    /// Called once when the bus has replied to `Hello`.
    package var onReady: (() -> Void)?
    /// Called once when the connection is lost; not called by `close`.
    package var onLost: ((BusError) -> Void)?
    /// Receives each method call, except those of `org.freedesktop.DBus.Peer`; returns false for an unknown
    /// method.
    package var onMethodCall: ((BusMessage) -> Bool)?
    /// Receives every message before any other handler; returns true to consume it.
    ///
    /// A monitor (`org.freedesktop.DBus.Monitoring`) must consume messages addressed to other connections:
    /// the bus disconnects a monitor that replies.
    package var messageFilter: ((BusMessage) -> Bool)?
    private var tap: Tap?

    let core: LibDBusConnection
    private(set) var pendingCalls = PendingCalls()
    /// The timer for the earliest deadline of a call.
    private var expiry: ScheduledTimer?
    private var expiryInstant: Duration?
    private var subscriptions = SignalRouter()
    /// The remaining deliveries of a signal while a handler runs.
    private var deliveries: Deque<SignalDelivery> = []
    private var ruleCounts: [MatchRule: Int] = [:]

    private static let peer = "org.freedesktop.DBus.Peer"

    /// The default time limit of a call, as in libdbus and GDBus.
    package static var replyTimeout: Duration { .seconds(25) }

    /// Opens a connection; the socket is connected when this returns, and the rest happens on the context.
    package init(
        _ address: BusAddress,
        on context: MainContext,
        clock: (any EventClock)? = nil,
        tap: Tap? = nil
    ) throws(BusError) {
        let text = address.text
        guard !text.utf8.contains(0) else { throw .invalidArguments("the address holds a NUL") }
        self.context = context
        self.clock = clock ?? context.makeClock()
        self.tap = tap
        core = try LibDBusConnection(text, on: context, clock: self.clock)
        core.target.connection = self
        (self.clock as? VirtualClock)?.add(BusIdleProbe(self))
        callHello()
    }

    deinit {
        // The last owner may be on any thread while the context polls or reads the connection.
        if context.isCurrent { return close() }
        let teardown = detach()
        context.post { teardown.close() }
    }

    /// Closes the connection; every pending call fails with `disconnected`.
    ///
    /// Sent data that does not fit into the socket at once is lost.
    package func close() {
        guard isOpen else { return }
        isOpen = false
        core.close()
        failPendingCalls(.disconnected)
    }

    /// Hands over everything that a timer, a handler or the socket may reach on the context.
    private func detach() -> DeferredTeardown {
        let teardown = DeferredTeardown(
            core: core,
            clock: clock,
            expiry: expiry,
            calls: pendingCalls,
            subscriptions: subscriptions,
            deliveries: deliveries,
            callbacks: [onReady, onLost, onMethodCall, messageFilter, tap]
        )
        expiry = nil
        pendingCalls = PendingCalls()
        subscriptions = SignalRouter()
        deliveries = []
        (onReady, onLost, onMethodCall, messageFilter, tap) = (nil, nil, nil, nil, nil)
        return teardown
    }

    /// Sends a message without waiting for a reply; drops it if the connection is closed.
    func send(_ message: BusMessage) {
        guard isOpen else { return }
        core.send(message)
        if let tap { tap(message, true) }
    }

    private func sendReturningSerial(_ message: BusMessage) -> UInt32? {
        guard isOpen else { return nil }
        let serial = core.sendReturningSerial(message)
        if let tap { tap(message, true) }
        return serial
    }

    private func callHello() {
        let bus = "org.freedesktop.DBus"
        call(MethodCall(to: bus, at: "/org/freedesktop/DBus", bus, "Hello")) {
            [weak self] result in
            guard let self, isOpen else { return }
            switch result {
            case .success(let values):
                uniqueName = values.first?.text
                core.setUniqueName(uniqueName ?? "")
                let onReady = onReady
                self.onReady = nil
                onReady?()
            case .failure(let error): connectionLost(error)
            }
        }
    }

    private func connectionLost(_ error: BusError) {
        guard isOpen else { return }
        let onLost = onLost
        self.onLost = nil
        isOpen = false
        core.close()
        // `onLost` runs first: handlers of the failing calls depend on the new state.
        onLost?(error)
        failPendingCalls(.disconnected)
    }

    func receive(_ message: BusMessage) {
        // A nested main loop in a handler received this message; deliver the previous signal to all handlers
        // first.
        if !deliveries.isEmpty { finishDeliveries() }
        guard isOpen else { return }
        if let tap { tap(message, false) }
        if let messageFilter, messageFilter(message) { return }
        switch message.kind {
        case .methodReturn, .error: receiveReply(message)
        case .methodCall: receiveCall(message)
        case .signal:
            let headerFields = message.headerFields
            if headerFields.hasMember("Disconnected"),
                headerFields.hasInterface("org.freedesktop.DBus.Local")
            {
                return connectionLost(.disconnected)
            }
            deliver(message, headerFields)
        }
    }

    // MARK: Calls

    /// Calls a method; `reply` is called exactly once, on the context, unless the call is cancelled.
    ///
    /// - Parameters:
    ///   - call: The method and its arguments.
    ///   - timeout: The time after which the call fails with `BusError.noReply`; a later reply is ignored.
    ///   - reply: Called on a later iteration, even if the call cannot be sent. Signals that the peer sent
    ///     before its reply are delivered before it.
    /// - Returns: The identifier for `cancel`.
    @discardableResult
    package func call(
        _ call: MethodCall,
        timeout: Duration = replyTimeout,
        reply: @escaping (CallResult) -> Void
    ) -> CallID {
        enqueue(try BusMessage.methodCall(call), timeout) { reply($0.flatMap(Self.arguments)) }
    }

    /// Calls a method; `reply` is called as for any call, with the received message.
    ///
    /// The arguments of a long reply are read in place, and only as far as needed.
    @discardableResult
    package func callReturningMessage(
        _ call: MethodCall,
        timeout: Duration = replyTimeout,
        reply: @escaping (ReplyResult) -> Void
    ) -> CallID {
        enqueue(try BusMessage.methodCall(call), timeout, reply)
    }

    /// Makes a prepared call; `reply` is called as for any call, with the received message.
    ///
    /// The system bus replies with `LimitsExceeded` if 128 calls are already waiting for replies: a caller
    /// with more calls must wait for replies first. `destination` receives this call and all later ones; nil
    /// keeps the former receiver.
    @discardableResult
    package func call(
        _ call: CallTemplate,
        to destination: String? = nil,
        timeout: Duration,
        reply: @escaping (ReplyResult) -> Void
    ) -> CallID {
        enqueue(try call.message(to: destination), timeout, reply)
    }

    /// `write` appends further arguments before this method returns.
    @discardableResult
    package func call(
        _ call: CallTemplate,
        writing write: (inout BusWriter) -> Void,
        timeout: Duration,
        reply: @escaping (ReplyResult) -> Void
    ) -> CallID {
        enqueue(try call.message(write), timeout, reply)
    }

    @discardableResult
    package func call(
        _ call: BytesCallTemplate,
        _ bytes: Data,
        to destination: String? = nil,
        timeout: Duration,
        reply: @escaping (ReplyResult) -> Void
    ) -> CallID {
        enqueue(try call.message(bytes, to: destination), timeout, reply)
    }

    private func enqueue(
        _ message: @autoclosure () throws(BusError) -> BusMessage,
        _ timeout: Duration,
        _ reply: @escaping (ReplyResult) -> Void
    ) -> CallID {
        do throws(BusError) {
            guard let serial = sendReturningSerial(try message()) else { throw .disconnected }
            let deadline = clock.now + timeout
            pendingCalls.add(serial, until: deadline, reply)
            scheduleExpiry(deadline)
            return CallID(number: Int64(serial))
        } catch {
            return failOnNextIteration(error, reply)
        }
    }

    /// Calls a method without a time limit; returns the serial, or nil if the call cannot be sent.
    func callWithoutTimeout(
        _ call: MethodCall,
        reply: @escaping (ReplyResult) -> Void
    ) -> UInt32? {
        guard let message = try? BusMessage.methodCall(call),
            let serial = sendReturningSerial(message)
        else { return nil }
        pendingCalls.add(serial, until: .seconds(Int64.max), reply)
        return serial
    }

    /// Cancels a timer whose calls have all received replies, so that a virtual clock does not advance to it.
    func cancelStaleExpiry() {
        guard let armed = expiryInstant, pendingCalls.nextDeadline != armed else { return }
        expiry = nil
        expiryInstant = nil
        if let next = pendingCalls.nextDeadline { scheduleExpiry(next) }
    }

    private static func arguments(_ message: BusMessage) -> CallResult {
        do throws(BusError) {
            return .success(try message.arguments())
        } catch {
            return .failure(error)
        }
    }

    /// Cancels a call: its reply is ignored and its closure released.
    package func cancel(_ id: CallID) {
        let reply = pendingCalls.cancel(id)
        withExtendedLifetime(reply) {}
    }

    /// Requests a well-known name from the bus; fails if another connection owns it.
    package func requestName(_ name: String, reply: @escaping (BusError?) -> Void) {
        let bus = "org.freedesktop.DBus"
        let doNotQueue: UInt32 = 4
        let call = MethodCall(
            to: bus,
            at: "/org/freedesktop/DBus",
            bus,
            "RequestName",
            [.string(name), .uint32(doNotQueue)]
        )
        self.call(call) { result in
            switch result {
            case .failure(let error): reply(error)
            case .success(let values):
                let owned = values.first == .uint32(1) || values.first == .uint32(4)
                let text = "the name \(name) is taken"
                reply(owned ? nil : BusError(name: bus + ".Error.NameTaken", message: text))
            }
        }
    }

    private func receiveReply(_ message: BusMessage) {
        guard let reply = pendingCalls.remove(message.replySerial) else { return }
        let isAnswer = message.kind == .methodReturn
        reply(isAnswer ? .success(message) : .failure(message.error))
    }

    private func failPendingCalls(_ error: BusError) {
        expiry = nil
        expiryInstant = nil
        for reply in pendingCalls.removeAll() { reply(.failure(error)) }
    }

    private func failOnNextIteration(_ error: BusError, _ reply: @escaping (ReplyResult) -> Void)
        -> CallID
    {
        let (id, refusal) = pendingCalls.addUnsentCall(reply)
        // The failure is reported even if the connection is released.
        clock.onNextIteration { [weak self] in
            self?.pendingCalls.removeUnsentCall(id)
            refusal.reply?(.failure(error))
        }
        return id
    }

    // A single timer serves the earliest deadline. A reply does not re-arm it: if it fires too early, it
    // finds no expired call and is armed for the next deadline.
    private func scheduleExpiry(_ deadline: Duration) {
        if let armed = expiryInstant, armed <= deadline { return }
        expiryInstant = deadline
        expiry = clock.schedule(at: deadline) { [weak self] in self?.expireCalls() }
    }

    private func expireCalls() {
        expiry = nil
        expiryInstant = nil
        let due = pendingCalls.removeExpired(at: clock.now)
        if let next = pendingCalls.nextDeadline { scheduleExpiry(next) }
        for reply in due { reply(.failure(.noReply)) }
    }

    // MARK: Signals

    /// Delivers the signals that match a rule, in order of arrival, until the subscription is cancelled.
    ///
    /// The bus handles the request before any later call. Equal rules are registered once. The handler checks
    /// the sender with `isFrom` if it matters, since any connection may send a signal.
    @discardableResult
    package func subscribe(
        _ rule: MatchRule,
        handler: @escaping (BusMessage) -> Void
    ) -> SignalSubscription {
        let subscription = SignalSubscription(rule, on: self, handler: handler)
        subscriptions.add(subscription)
        let count = ruleCounts[rule, default: 0]
        ruleCounts[rule] = count + 1
        if count == 0 { sendRule("AddMatch", rule) }
        return subscription
    }

    package func emit(
        _ path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue] = []
    ) throws(BusError) {
        send(
            try BusMessage.signal(
                path: path,
                interface: interface,
                member: member,
                arguments: arguments
            )
        )
    }

    func remove(_ subscription: SignalSubscription) {
        guard subscriptions.remove(subscription) else { return }
        let rule = subscription.rule
        let count = ruleCounts[rule, default: 1] - 1
        ruleCounts[rule] = count == 0 ? nil : count
        if count == 0 { sendRule("RemoveMatch", rule) }
    }

    private func deliver(_ message: BusMessage, _ headerFields: BusMessage.HeaderFields) {
        let candidates = subscriptions.candidates(for: headerFields)
        if candidates.count == 1 { return candidates[0].receive(message) }
        for subscription in candidates {
            deliveries.append(SignalDelivery(subscription: subscription, message: message))
        }
        finishDeliveries()
    }

    // A handler may cancel another subscription, close the connection, or run a nested main loop that
    // receives another message and calls this method again.
    private func finishDeliveries() {
        while isOpen, let next = deliveries.popFirst() { next.subscription.receive(next.message) }
        deliveries.removeAll()
    }

    private func sendRule(_ member: String, _ rule: MatchRule) {
        let bus = "org.freedesktop.DBus"
        // A refused rule delivers no signals; an operation that depends on them times out.
        call(MethodCall(to: bus, at: "/org/freedesktop/DBus", bus, member, [.string(rule.text)])) {
            _ in
        }
    }

    // MARK: Received calls

    private func receiveCall(_ message: BusMessage) {
        if message.hasInterface(Self.peer) { return replyToPeerCall(message) }
        if let onMethodCall, onMethodCall(message) { return }
        guard !message.isNamed("org.freedesktop.DBus.Introspectable", "Introspect") else {
            return sendReply(message, [.string(Introspection.document([], children: []))])
        }
        sendReply(message, .unknownMethod(message))
    }

    // The texts match those of libdbus's dispatch, which this method replaces.
    private func replyToPeerCall(_ message: BusMessage) {
        if message.hasMember("Ping") { return sendReply(message, []) }
        guard message.hasMember("GetMachineId") else {
            let text = "Unknown method invoked on \(Self.peer) interface"
            return sendReply(message, .unknownMethod(text))
        }
        do throws(BusError) {
            let machine = try unsafe withDBusError { unsafe dbus_try_get_local_machine_id($0) }
            guard let machine = unsafe machine else { throw .noMemory }
            defer { unsafe dbus_free(machine) }
            sendReply(message, [.string(unsafe String(cString: machine))])
        } catch {
            sendReply(message, error)
        }
    }

    private func sendReply(_ message: BusMessage, _ values: [BusValue]) {
        guard message.expectsReply, let reply = try? message.methodReturn(values) else { return }
        send(reply)
    }

    package func sendReply(_ message: BusMessage, _ error: BusError) {
        guard message.expectsReply, let reply = try? message.errorReply(error) else { return }
        send(reply)
    }
}

/// The state of a connection that was released on another thread, until its context closes it.
// Created by `deinit`, without another reference, and used on the context only: the invariant behind
// `@unchecked`.
private final class DeferredTeardown: @unchecked Swift.Sendable {
    private let core: LibDBusConnection
    private let clock: any EventClock
    private var expiry: ScheduledTimer?
    private var calls: PendingCalls
    private var subscriptions: SignalRouter
    private var deliveries: Deque<SignalDelivery>
    private var callbacks: [Any?]

    init(
        core: LibDBusConnection,
        clock: any EventClock,
        expiry: ScheduledTimer?,
        calls: PendingCalls,
        subscriptions: SignalRouter,
        deliveries: Deque<SignalDelivery>,
        callbacks: [Any?]
    ) {
        self.core = core
        self.clock = clock
        self.expiry = expiry
        self.calls = calls
        self.subscriptions = subscriptions
        self.deliveries = deliveries
        self.callbacks = callbacks
    }

    func close() {
        core.close()
        expiry = nil
        for reply in calls.removeAll() { reply(.failure(.disconnected)) }
    }
}
