package import BluejayGLib
internal import CBluejay

/// One private connection to a message bus, driven by a main context.
///
/// Nothing in it blocks: the socket is written and read in the turns of the context, `Hello` is an
/// ordinary call, and every reply, signal and exported call arrives on the context. Calls made before
/// the bus has answered `Hello` are sent behind it. All members belong to the context's thread.
@safe package final class BusConnection {
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

    let pointer: OpaquePointer
    private var loop: ConnectionLoop?
    var pendingCalls = PendingCalls()
    var expiry: ScheduledTimer?
    var expiryInstant: Duration?
    var subscriptions: [SignalSubscription] = []
    var ruleCounts: [MatchRule: Int] = [:]

    /// Opens a connection; the socket is connected when this returns, the rest happens in the context.
    package init(
        _ address: BusAddress,
        on context: MainContext,
        clock: (any EventClock)? = nil
    ) throws(BusError) {
        let text = address.text
        guard !text.utf8.contains(0) else { throw .invalidArguments("the address holds a NUL") }
        let opened = try unsafe withDBusError { unsafe dbus_connection_open_private(text, $0) }
        guard let pointer = unsafe opened else { throw .disconnected }
        unsafe self.pointer = unsafe pointer
        self.context = context
        self.clock = clock ?? MainContextClock(on: context)
        // libdbus would otherwise end the process when the bus goes away.
        unsafe dbus_connection_set_exit_on_disconnect(pointer, 0)
        unsafe dbus_connection_add_filter(
            pointer,
            Self.filter,
            Unmanaged.passUnretained(self).toOpaque(),
            nil
        )
        loop = unsafe ConnectionLoop(pointer, on: context, clock: self.clock)
        sayHello()
    }

    deinit {
        close()
        unsafe dbus_connection_unref(pointer)
    }

    /// Closes the connection; every pending call fails with `disconnected`.
    ///
    /// What was sent before and does not fit into the socket at once is lost with it.
    package func close() {
        guard isOpen else { return }
        isOpen = false
        unsafe dbus_connection_remove_filter(
            pointer,
            Self.filter,
            Unmanaged.passUnretained(self).toOpaque()
        )
        writeWithoutWaiting()
        unsafe dbus_connection_close(pointer)
        loop?.cancel()
        loop = nil
        failPendingCalls(.disconnected)
    }

    // `dbus_connection_flush` would wait, for ever when the bus reads nothing or has not said hello.
    private func writeWithoutWaiting() {
        var size = unsafe dbus_connection_get_outgoing_size(pointer)
        while size > 0, unsafe dbus_connection_read_write(pointer, 0) != 0 {
            let rest = unsafe dbus_connection_get_outgoing_size(pointer)
            guard rest < size else { return }
            size = rest
        }
    }

    /// Sends a message without waiting for an answer; a message that cannot be sent is dropped.
    func send(_ message: BusMessage) {
        guard isOpen else { return }
        unsafe dbus_connection_send(pointer, message.pointer, nil)
    }

    /// Sends a message and gives the serial that its reply will carry.
    func sendNumbered(_ message: BusMessage) -> UInt32? {
        guard isOpen else { return nil }
        var serial: UInt32 = 0
        guard unsafe dbus_connection_send(pointer, message.pointer, &serial) != 0 else {
            return nil
        }
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
                unsafe dbus_bus_set_unique_name(pointer, uniqueName ?? "")
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

    // The filter takes the object back, calls one method, and returns; the reference is held across
    // the call because the last owner may let go inside it.
    private static let filter: DBusHandleMessageFunction = { _, message, data in
        guard let message = unsafe message, let data = unsafe data else {
            return DBUS_HANDLER_RESULT_NOT_YET_HANDLED
        }
        let connection = unsafe Unmanaged<BusConnection>.fromOpaque(data).takeUnretainedValue()
        let handled = unsafe connection.receive(BusMessage(sharing: message))
        return handled ? DBUS_HANDLER_RESULT_HANDLED : DBUS_HANDLER_RESULT_NOT_YET_HANDLED
    }

    private func receive(_ message: BusMessage) -> Bool {
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
