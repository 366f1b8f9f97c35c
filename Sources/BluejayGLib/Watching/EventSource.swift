internal import CBluejay

/// What a source of events does in the three steps of a GLib turn.
package struct EventHandlers {
    /// Whether events wait already, so that the turn must not sleep.
    var prepare: () -> Bool
    /// Whether events wait after the sleep.
    var check: () -> Bool
    /// Handles the events.
    var dispatch: () -> Void

    package init(
        prepare: @escaping () -> Bool = { false },
        check: @escaping () -> Bool = { false },
        dispatch: @escaping () -> Void
    ) {
        self.prepare = prepare
        self.check = check
        self.dispatch = dispatch
    }
}

/// A `GSource` whose steps are Swift closures; it leaves its context exactly once.
///
/// The `GSource` holds the closures until GLib has finished with it, also when it is cancelled from
/// inside its own dispatch.
@safe package final class EventSource {
    private var source: UnsafeMutablePointer<GSource>?

    /// Attaches a source to the context.
    ///
    /// - Parameters:
    ///   - handlers: The three steps.
    ///   - context: Where they run.
    ///   - canRecurse: Whether a main loop that runs inside `dispatch` dispatches the source again. If
    ///     not, the source stands still until `dispatch` has returned, and each dispatch costs three
    ///     more system calls: GLib takes the descriptors out of the poll meanwhile.
    package init(
        _ handlers: EventHandlers,
        on context: MainContext,
        canRecurse: Bool = false
    ) {
        let size = unsafe UInt32(MemoryLayout<BoxedSource>.size)
        guard let source = unsafe g_source_new(BoxedSource.functions, size) else { return }
        let box = unsafe Unmanaged.passRetained(HandlerBox(handlers)).toOpaque()
        unsafe BoxedSource.at(source).pointee.box = box
        if canRecurse { unsafe g_source_set_can_recurse(source, 1) }
        unsafe g_source_attach(source, context.pointer)
        unsafe self.source = unsafe source
    }

    deinit {
        cancel()
    }

    /// Takes the source off its context; later calls do nothing.
    package func cancel() {
        guard let source = unsafe source else { return }
        unsafe self.source = nil
        unsafe g_source_destroy(source)
        unsafe g_source_unref(source)
    }

    /// Dispatches when the monotonic clock reaches `microseconds`; -1 is never.
    func setReadyTime(_ microseconds: Int64) {
        guard let source = unsafe source else { return }
        unsafe g_source_set_ready_time(source, gint64(microseconds))
    }

    /// Watches a descriptor; the tag names it in the two calls below.
    package func addDescriptor(
        _ descriptor: Int32,
        _ condition: IOCondition
    ) -> UnsafeMutableRawPointer? {
        guard let source = unsafe source else { return nil }
        return unsafe g_source_add_unix_fd(
            source,
            descriptor,
            GIOCondition(rawValue: condition.rawValue)
        )
    }

    /// Changes what a descriptor is watched for.
    package func modifyDescriptor(_ tag: UnsafeMutableRawPointer, _ condition: IOCondition) {
        guard let source = unsafe source else { return }
        unsafe g_source_modify_unix_fd(source, tag, GIOCondition(rawValue: condition.rawValue))
    }

    /// Ends the watch of a descriptor.
    package func removeDescriptor(_ tag: UnsafeMutableRawPointer) {
        guard let source = unsafe source else { return }
        unsafe g_source_remove_unix_fd(source, tag)
    }

    /// What the last turn found.
    package func condition(of tag: UnsafeMutableRawPointer) -> IOCondition {
        guard let source = unsafe source else { return [] }
        return IOCondition(rawValue: unsafe g_source_query_unix_fd(source, tag).rawValue)
    }
}

private final class HandlerBox {
    let handlers: EventHandlers
    init(_ handlers: EventHandlers) { self.handlers = handlers }
}

/// GLib's way to subclass a source: a larger structure that begins with `GSource`.
@unsafe private struct BoxedSource {
    var base: GSource
    var box: UnsafeMutableRawPointer?

    static func at(_ source: UnsafeMutablePointer<GSource>) -> UnsafeMutablePointer<BoxedSource> {
        unsafe UnsafeMutableRawPointer(source).assumingMemoryBound(to: BoxedSource.self)
    }

    static func handlers(of source: UnsafeMutablePointer<GSource>?) -> HandlerBox? {
        guard let source = unsafe source, let box = unsafe at(source).pointee.box else {
            return nil
        }
        return unsafe Unmanaged<HandlerBox>.fromOpaque(box).takeUnretainedValue()
    }

    // Filled once and only read afterwards; GLib keeps the address for the life of the process.
    nonisolated(unsafe) static let functions: UnsafeMutablePointer<GSourceFuncs> = {
        let table = UnsafeMutablePointer<GSourceFuncs>.allocate(capacity: 1)
        var functions = GSourceFuncs()
        unsafe functions.prepare = { source, timeout in
            if let timeout = unsafe timeout { unsafe timeout.pointee = -1 }
            return (unsafe handlers(of: source)?.handlers.prepare() ?? false) ? 1 : 0
        }
        unsafe functions.check = { source in
            (unsafe handlers(of: source)?.handlers.check() ?? false) ? 1 : 0
        }
        unsafe functions.dispatch = { source, _, _ in
            // Held meanwhile: a nested loop may cancel the source and let GLib finish with it.
            let box = unsafe handlers(of: source)
            box?.handlers.dispatch()
            return 1
        }
        unsafe functions.finalize = { source in
            guard let source = unsafe source, let box = unsafe at(source).pointee.box else {
                return
            }
            unsafe Unmanaged<HandlerBox>.fromOpaque(box).release()
        }
        unsafe table.initialize(to: functions)
        return unsafe table
    }()
}
