internal import BluejayGLib
internal import CBluejay
internal import Glibc

/// Drives one libdbus connection from a main context: its watches, its timeouts and its dispatch.
///
/// One `EventSource` polls the descriptors of all watches. The context never needs a wake-up, because the
/// connection is used on its thread only.
///
/// Messages are taken from libdbus's queue and delivered here, outside all libdbus functions. A nested main
/// loop in a handler (a dialog) therefore delivers the following messages in order; libdbus's own dispatch
/// would deadlock there.
@safe final class ConnectionDriver {
    private let connection: OpaquePointer
    private let clock: any EventClock
    private var source: EventSource?
    private let deliver: (BusMessage) -> Void
    /// libdbus creates one watch for reading and one for writing.
    private var watches: [Watch] = unsafe []
    private var timeouts: [OpaquePointer: ScheduledTimer] = unsafe [:]
    /// libdbus reports each change of this state; querying it costs as much as taking a message out.
    private var hasMessages: Bool

    /// The maximum per iteration; other sources run before the rest.
    private static let maximumMessagesPerIteration = 64

    @unsafe private struct Watch {
        let pointer: OpaquePointer
        /// Identifies the polled descriptor; nil while the watch is disabled.
        var tag: UnsafeMutableRawPointer?
    }

    /// Attaches the connection to the context; `deliver` receives each message in order.
    init(
        _ connection: OpaquePointer,
        on context: MainContext,
        clock: any EventClock,
        deliver: @escaping (BusMessage) -> Void
    ) {
        unsafe self.connection = unsafe connection
        self.clock = clock
        self.deliver = deliver
        hasMessages =
            unsafe dbus_connection_get_dispatch_status(connection) == DBUS_DISPATCH_DATA_REMAINS
        source = EventSource(
            SourceCallbacks(
                prepare: { [weak self] in self?.hasMessages ?? false },
                check: { [weak self] in self?.isReady ?? false },
                dispatch: { [weak self] in self?.iterate() }
            ),
            on: context,
            canRecurse: true
        )
        let data = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe dbus_connection_set_watch_functions(
            connection,
            {
                unsafe ConnectionDriver.from($1)?.add(watch: $0); return 1
            },
            { unsafe ConnectionDriver.from($1)?.remove(watch: $0) },
            { unsafe ConnectionDriver.from($1)?.update(watch: $0) },
            data,
            nil
        )
        unsafe dbus_connection_set_timeout_functions(
            connection,
            {
                unsafe ConnectionDriver.from($1)?.update(timeout: $0); return 1
            },
            { unsafe ConnectionDriver.from($1)?.remove(timeout: $0) },
            { unsafe ConnectionDriver.from($1)?.update(timeout: $0) },
            data,
            nil
        )
        unsafe dbus_connection_set_dispatch_status_function(
            connection,
            {
                unsafe ConnectionDriver.from($2)?.hasMessages = $1 == DBUS_DISPATCH_DATA_REMAINS
            },
            data,
            nil
        )
    }

    func cancel() {
        unsafe dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
        unsafe dbus_connection_set_timeout_functions(connection, nil, nil, nil, nil, nil)
        unsafe dbus_connection_set_dispatch_status_function(connection, nil, nil, nil)
        source?.cancel()
        source = nil
        unsafe watches = []
        unsafe timeouts = [:]
    }

    private static func from(_ data: UnsafeMutableRawPointer?) -> ConnectionDriver? {
        unsafe data.map { unsafe Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    private var isReady: Bool {
        guard !hasMessages else { return true }
        for index in unsafe watches.indices where !condition(ofWatch: index).isEmpty {
            return true
        }
        return false
    }

    private func iterate() {
        // A handler may close the connection and release its last owner.
        let held = unsafe connection
        unsafe dbus_connection_ref(held)
        defer { unsafe dbus_connection_unref(held) }

        handleWatches()
        var delivered = 0
        var before = 0
        repeat {
            before = delivered
            while source != nil, hasMessages, delivered < Self.maximumMessagesPerIteration {
                guard let message = unsafe dbus_connection_pop_message(connection) else {
                    hasMessages = false
                    break
                }
                delivered += 1
                unsafe deliver(BusMessage(owning: message))
            }
        } while delivered - before > 1 && delivered < Self.maximumMessagesPerIteration
            && continueReading()
    }

    // After several messages, more may have arrived, and reading them costs less than another iteration of
    // the context.
    private func continueReading() -> Bool {
        guard source != nil, !hasMessages else { return false }
        for index in unsafe watches.indices {
            let watch = unsafe watches[index]
            guard unsafe watch.tag != nil,
                unsafe dbus_watch_get_flags(watch.pointer) & DBUS_WATCH_READABLE.rawValue != 0
            else { continue }
            unsafe readRemaining(watch.pointer)
            return hasMessages
        }
        return false
    }

    private func handleWatches() {
        var index = 0
        while unsafe index < watches.count {
            let condition = condition(ofWatch: index)
            if !condition.isEmpty {
                let watch = unsafe watches[index].pointer
                unsafe dbus_watch_handle(watch, condition.watchFlags)
                if condition.rawValue == IOCondition.readable.rawValue {
                    unsafe readRemaining(watch)
                }
            }
            index += 1
        }
    }

    // libdbus reads 4 KiB each time a watch reports readable data. The available part of a long message is
    // read in the same iteration: a poll and an iteration for each part cost more than the reading.
    private func readRemaining(_ watch: OpaquePointer) {
        guard !hasMessages, unsafe isWatching(watch) else { return }
        var left: Int32 = 0
        guard unsafe ioctl(dbus_watch_get_unix_fd(watch), UInt(FIONREAD), &left) == 0 else {
            return
        }
        while left > 0, !hasMessages, unsafe isWatching(watch) {
            unsafe dbus_watch_handle(watch, DBUS_WATCH_READABLE.rawValue)
            left -= 4096
        }
    }

    // Returns false for a watch that libdbus has removed.
    private func isWatching(_ watch: OpaquePointer) -> Bool {
        unsafe index(of: watch).map { unsafe watches[$0].tag != nil } ?? false
    }

    private func condition(ofWatch index: Int) -> IOCondition {
        guard let source, let tag = unsafe watches[index].tag else { return IOCondition() }
        return unsafe source.condition(of: tag)
    }

    private func add(watch: OpaquePointer?) {
        guard let watch = unsafe watch else { return }
        unsafe watches.append(Watch(pointer: watch, tag: nil))
        unsafe update(watch: watch)
    }

    private func remove(watch: OpaquePointer?) {
        guard let watch = unsafe watch, let index = unsafe index(of: watch) else { return }
        let removed = unsafe watches.remove(at: index)
        if let tag = unsafe removed.tag { unsafe source?.removeDescriptor(tag) }
    }

    // A disabled watch must leave the poll entirely: a hang-up would be reported forever.
    private func update(watch: OpaquePointer?) {
        guard let watch = unsafe watch, let source, let index = unsafe index(of: watch) else {
            return
        }
        let enabled = unsafe dbus_watch_get_enabled(watch) != 0
        let condition = IOCondition(watchFlags: unsafe dbus_watch_get_flags(watch))
        if let tag = unsafe watches[index].tag {
            guard !enabled else { return unsafe source.modifyDescriptor(tag, condition) }
            unsafe source.removeDescriptor(tag)
            unsafe watches[index].tag = nil
        } else if enabled {
            let descriptor = unsafe dbus_watch_get_unix_fd(watch)
            unsafe watches[index].tag = unsafe source.addDescriptor(descriptor, condition)
        }
    }

    private func index(of watch: OpaquePointer) -> Int? {
        unsafe watches.firstIndex { unsafe $0.pointer == watch }
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
