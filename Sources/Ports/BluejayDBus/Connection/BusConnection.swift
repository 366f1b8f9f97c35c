package import BluejayGLib
internal import DequeModule

/// One private connection to a message bus, driven by a main context.
///
/// Nothing in it blocks: the socket is written and read in the turns of the context, `Hello` is an
/// ordinary call, and every reply, signal and exported call arrives on the context. Calls made before
/// the bus has answered `Hello` are sent behind it. All members belong to the context's thread.
package final class BusConnection {
    /// Sees every message that was sent or has come, for a log; nothing is asked of it.
    package typealias Tap = (BusMessage, _ isSent: Bool) -> Void

    /// The context that drives the connection.
    package let context: MainContext
    /// The clock that limits the calls.
    package let clock: any EventClock
    /// The name the bus gave to the connection; nil until it has answered.
    package private(set) var uniqueName: String?
    /// Whether messages can still be sent.
    package private(set) var isOpen = true

    /// Called once when the bus has answered `Hello`.
    package var onReady: (() -> Void)?
    /// Called once when the connection is lost; not called by `close`.
    package var onLost: ((BusError) -> Void)?
    /// Offers each method call that comes in, but those of `org.freedesktop.DBus.Peer`; false leaves
    /// the answer to the connection (unknown method).
    package var onMethodCall: ((BusMessage) -> Bool)?
    /// Offers every message before anything else sees it; true takes it.
    ///
    /// For a monitor (`org.freedesktop.DBus.Monitoring`), which must take what is meant for others: the
    /// bus drops a monitor that answers.
    package var onAnyMessage: ((BusMessage) -> Bool)?
    fileprivate var tap: Tap?

    private let core: ConnectionCore
    var pendingCalls = PendingCalls()
    var expiry: ScheduledTimer?
    var expiryInstant: Duration?
    var subscriptions = SubscriptionTable()
    /// What a signal still has to be told to, while a handler runs.
    var deliveries: Deque<Delivery> = []
    var ruleCounts: [MatchRule: Int] = [:]

    /// Opens a connection; the socket is connected when this returns, the rest happens in the context.
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
        core = try ConnectionCore(text, on: context, clock: self.clock)
        core.target.connection = self
        (self.clock as? VirtualClock)?.ask(BusWitness(self))
        sayHello()
    }

    deinit {
        // The last owner may be on any thread, while the context polls or reads the connection there.
        if context.isCurrent { return close() }
        let remains = ConnectionRemains(self, core)
        context.post { remains.close() }
    }

    /// Closes the connection; every pending call fails with `disconnected`.
    ///
    /// What was sent before and does not fit into the socket at once is lost with it.
    package func close() {
        guard isOpen else { return }
        isOpen = false
        core.close()
        failPendingCalls(.disconnected)
    }

    /// Forgets, without a word, what somebody else has taken over.
    fileprivate func giveAway() {
        expiry = nil
        pendingCalls = PendingCalls()
        subscriptions = SubscriptionTable()
        deliveries = []
        (onReady, onLost, onMethodCall, onAnyMessage, tap) = (nil, nil, nil, nil, nil)
    }

    /// Sends a message without waiting for an answer; a message that cannot be sent is dropped.
    func send(_ message: BusMessage) {
        guard isOpen else { return }
        core.send(message)
        if let tap { tap(message, true) }
    }

    /// Sends a message and gives the serial that its reply will carry.
    func sendNumbered(_ message: BusMessage) -> UInt32? {
        guard isOpen else { return nil }
        let serial = core.sendNumbered(message)
        if let tap { tap(message, true) }
        return serial
    }

    private func sayHello() {
        let bus = "org.freedesktop.DBus"
        call(MethodCall(bus, "/org/freedesktop/DBus", bus, "Hello"), timeout: .seconds(25)) {
            [weak self] result in
            guard let self, isOpen else { return }
            switch result {
            case .success(let values):
                uniqueName = values.first?.text
                core.setUniqueName(uniqueName ?? "")
                let ready = onReady
                onReady = nil
                ready?()
            case .failure(let error): lose(error)
            }
        }
    }

    private func lose(_ error: BusError) {
        guard isOpen else { return }
        let lost = onLost
        onLost = nil
        isOpen = false
        core.close()
        // The state comes first: a call that fails with the connection is judged by it.
        lost?(error)
        failPendingCalls(.disconnected)
    }

    func receive(_ message: BusMessage) {
        // A main loop inside a handler has brought this: the signal before it comes first to all.
        if !deliveries.isEmpty { finishDeliveries() }
        guard isOpen else { return }
        if let tap { tap(message, false) }
        if let onAnyMessage, onAnyMessage(message) { return }
        switch message.kind {
        case .methodReturn, .error: receiveReply(message)
        case .methodCall: receiveCall(message)
        case .signal:
            let names = message.names
            if names.hasMember("Disconnected"), names.hasInterface("org.freedesktop.DBus.Local") {
                return lose(.disconnected)
            }
            deliver(message, names)
        }
    }
}

/// What a connection that was released on a foreign thread leaves to its context: everything that a
/// timer, a handler or the socket may reach there.
// Filled by `deinit`, which nobody else sees, and used on the context only. That is the invariant behind
// `@unchecked`.
private final class ConnectionRemains: @unchecked Swift.Sendable {
    private let core: ConnectionCore
    private let clock: any EventClock
    private var expiry: ScheduledTimer?
    private var calls: PendingCalls
    private var subscriptions: SubscriptionTable
    private var deliveries: Deque<Delivery>
    private var callbacks: [Any?]

    init(_ connection: BusConnection, _ core: ConnectionCore) {
        self.core = core
        clock = connection.clock
        expiry = connection.expiry
        calls = connection.pendingCalls
        subscriptions = connection.subscriptions
        deliveries = connection.deliveries
        callbacks = [
            connection.onReady, connection.onLost, connection.onMethodCall,
            connection.onAnyMessage, connection.tap,
        ]
        connection.giveAway()
    }

    func close() {
        core.close()
        expiry = nil
        for entry in calls.removeAll() { entry.reply(.failure(.disconnected)) }
    }
}
