package import BluejayGLib

/// One private connection to a message bus, driven by a main context.
///
/// Nothing in it blocks: the socket is written and read in the turns of the context, `Hello` is an
/// ordinary call, and every reply, signal and exported call arrives on the context. Calls made before
/// the bus has answered `Hello` are sent behind it. All members belong to the context's thread.
package final class BusConnection {
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
    /// Offers each method call that comes in; false leaves the answer to libdbus (unknown object).
    package var onMethodCall: ((BusMessage) -> Bool)?
    /// Offers every message before anything else sees it; true takes it.
    ///
    /// For a monitor (`org.freedesktop.DBus.Monitoring`), which must take what is meant for others: the
    /// bus drops a monitor that answers. While it is set libdbus leaves `Peer.Ping` to it as well.
    package var onAnyMessage: ((BusMessage) -> Bool)? {
        didSet { core.routePeerMessages(onAnyMessage != nil) }
    }

    private let core: ConnectionCore
    var pendingCalls = PendingCalls()
    var expiry: ScheduledTimer?
    var expiryInstant: Duration?
    var subscriptions = SubscriptionTable()
    var ruleCounts: [MatchRule: Int] = [:]

    /// Opens a connection; the socket is connected when this returns, the rest happens in the context.
    package init(
        _ address: BusAddress,
        on context: MainContext,
        clock: (any EventClock)? = nil
    ) throws(BusError) {
        let text = address.text
        guard !text.utf8.contains(0) else { throw .invalidArguments("the address holds a NUL") }
        self.context = context
        self.clock = clock ?? MainContextClock(on: context)
        core = try ConnectionCore(text, on: context, clock: self.clock)
        core.target.connection = self
        sayHello()
    }

    deinit {
        // The last owner may be on any thread, while the context polls or reads the connection there.
        if context.isCurrent { return close() }
        context.post { [core] in core.close() }
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

    /// Sends a message without waiting for an answer; a message that cannot be sent is dropped.
    func send(_ message: BusMessage) {
        if isOpen { core.send(message) }
    }

    /// Sends a message and gives the serial that its reply will carry.
    func sendNumbered(_ message: BusMessage) -> UInt32? {
        isOpen ? core.sendNumbered(message) : nil
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
        close()
        lost?(error)
    }

    func receive(_ message: BusMessage) -> Bool {
        if let onAnyMessage, onAnyMessage(message) { return true }
        switch message.kind {
        case .methodReturn, .error: return receiveReply(message)
        case .methodCall: return onMethodCall?(message) ?? false
        case .signal:
            if message.isNamed("org.freedesktop.DBus.Local", "Disconnected") {
                lose(.disconnected)
                return true
            }
            deliver(message)
            return true
        }
    }
}
