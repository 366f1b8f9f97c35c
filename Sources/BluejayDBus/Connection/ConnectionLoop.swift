internal import BluejayGLib
internal import CBluejay

/// Drives one libdbus connection from a main context: its watches, its timeouts and its dispatch.
///
/// One `EventSource` polls the descriptors of all watches. Nothing wakes the context: the connection
/// is used on its thread only.
@safe final class ConnectionLoop {
    private let connection: OpaquePointer
    private let clock: any EventClock
    private var source: EventSource?
    private var watches: [OpaquePointer: UnsafeMutableRawPointer?] = unsafe [:]
    private var timeouts: [OpaquePointer: ScheduledTimer] = unsafe [:]

    /// Messages handled in one turn; more wait for the next, so that timers and others get theirs.
    private static let messagesPerTurn = 64

    /// Whether libdbus is dispatching, which would wait for itself when it is asked to again.
    private var isInsideLibrary = false
    /// Hands on what libdbus has taken in.
    private let handOn: () -> Void

    init(
        _ connection: OpaquePointer,
        on context: MainContext,
        clock: any EventClock,
        handOn: @escaping () -> Void
    ) {
        self.handOn = handOn
        unsafe self.connection = unsafe connection
        self.clock = clock
        source = EventSource(
            EventHandlers(
                prepare: { [weak self] in self?.hasMessages ?? false },
                check: { [weak self] in self?.isReady ?? false },
                dispatch: { [weak self] in self?.turn() }
            ),
            on: context,
            canRecurse: true
        )
        let data = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe dbus_connection_set_watch_functions(
            connection,
            {
                unsafe ConnectionLoop.from($1)?.add(watch: $0); return 1
            },
            { unsafe ConnectionLoop.from($1)?.remove(watch: $0) },
            { unsafe ConnectionLoop.from($1)?.update(watch: $0) },
            data,
            nil
        )
        unsafe dbus_connection_set_timeout_functions(
            connection,
            {
                unsafe ConnectionLoop.from($1)?.update(timeout: $0); return 1
            },
            { unsafe ConnectionLoop.from($1)?.remove(timeout: $0) },
            { unsafe ConnectionLoop.from($1)?.update(timeout: $0) },
            data,
            nil
        )
    }

    /// Takes the connection off the context.
    func cancel() {
        unsafe dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
        unsafe dbus_connection_set_timeout_functions(connection, nil, nil, nil, nil, nil)
        source?.cancel()
        source = nil
        unsafe watches = [:]
        unsafe timeouts = [:]
    }

    private static func from(_ data: UnsafeMutableRawPointer?) -> ConnectionLoop? {
        unsafe data.map { unsafe Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    private var hasMessages: Bool {
        unsafe !isInsideLibrary
            && dbus_connection_get_dispatch_status(connection) == DBUS_DISPATCH_DATA_REMAINS
    }

    private var isReady: Bool {
        guard !isInsideLibrary else { return false }
        return unsafe hasMessages || watches.keys.contains { unsafe !condition(of: $0).isEmpty }
    }

    private func turn() {
        // A handler may close the connection and release its last owner.
        let held = unsafe connection
        unsafe dbus_connection_ref(held)
        defer { unsafe dbus_connection_unref(held) }

        unsafe Array(watches.keys).forEach { watch in
            let condition = unsafe condition(of: watch)
            if !condition.isEmpty { unsafe dbus_watch_handle(watch, condition.watchFlags) }
        }
        for _ in 0..<Self.messagesPerTurn {
            guard source != nil, hasMessages else { return }
            isInsideLibrary = true
            unsafe dbus_connection_dispatch(connection)
            isInsideLibrary = false
            handOn()
        }
    }

    private func condition(of watch: OpaquePointer) -> IOCondition {
        guard let source, let tag = unsafe watches[watch] ?? nil else { return [] }
        return unsafe source.condition(of: tag)
    }

    private func add(watch: OpaquePointer?) {
        guard let watch = unsafe watch else { return }
        unsafe watches.updateValue(nil, forKey: watch)
        unsafe update(watch: watch)
    }

    private func remove(watch: OpaquePointer?) {
        guard let watch = unsafe watch else { return }
        if let tag = unsafe watches.removeValue(forKey: watch) ?? nil {
            unsafe source?.removeDescriptor(tag)
        }
    }

    // A watch that is switched off leaves the poll altogether: hang-up would be reported for ever.
    private func update(watch: OpaquePointer?) {
        guard let watch = unsafe watch, let source, let known = unsafe watches[watch] else {
            return
        }
        let enabled = unsafe dbus_watch_get_enabled(watch) != 0
        let condition = IOCondition(watchFlags: unsafe dbus_watch_get_flags(watch))
        if let tag = unsafe known {
            guard !enabled else { return unsafe source.modifyDescriptor(tag, condition) }
            unsafe source.removeDescriptor(tag)
            unsafe watches.updateValue(nil, forKey: watch)
        } else if enabled {
            let tag = unsafe source.addDescriptor(dbus_watch_get_unix_fd(watch), condition)
            unsafe watches.updateValue(tag, forKey: watch)
        }
    }

    private func update(timeout: OpaquePointer?) {
        guard let timeout = unsafe timeout else { return }
        unsafe timeouts.removeValue(forKey: timeout)
        guard unsafe dbus_timeout_get_enabled(timeout) != 0 else { return }
        let interval = Duration.milliseconds(Int(unsafe dbus_timeout_get_interval(timeout)))
        let timer = clock.schedule(after: interval) { [weak self] in
            unsafe dbus_timeout_handle(timeout)
            // libdbus's timeouts repeat until it removes them.
            if let self, unsafe timeouts[timeout] != nil { unsafe update(timeout: timeout) }
        }
        unsafe timeouts[timeout] = timer
    }

    private func remove(timeout: OpaquePointer?) {
        guard let timeout = unsafe timeout else { return }
        unsafe timeouts.removeValue(forKey: timeout)
    }
}

extension IOCondition {
    init(watchFlags flags: UInt32) {
        self = []
        if flags & DBUS_WATCH_READABLE.rawValue != 0 { insert(.readable) }
        if flags & DBUS_WATCH_WRITABLE.rawValue != 0 { insert(.writable) }
    }

    var watchFlags: UInt32 {
        var flags: UInt32 = 0
        if contains(.readable) { flags |= DBUS_WATCH_READABLE.rawValue }
        if contains(.writable) { flags |= DBUS_WATCH_WRITABLE.rawValue }
        if contains(.error) { flags |= DBUS_WATCH_ERROR.rawValue }
        if contains(.hangUp) { flags |= DBUS_WATCH_HANGUP.rawValue }
        return flags
    }
}
