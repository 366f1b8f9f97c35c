internal import CBluejay

/// What a source of events does in the three steps of a GLib turn.
package struct SourceCallbacks {
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
/// inside its own dispatch. Its last owner may let it go on any thread.
@safe package final class EventSource {
    private var source: OpaquePointer?
    private let context: RetainedContext

    /// Attaches a source to the context.
    ///
    /// - Parameters:
    ///   - handlers: The three steps.
    ///   - context: Where they run.
    ///   - canRecurse: Whether a main loop that runs inside `dispatch` dispatches the source again. If
    ///     not, the source stands still until `dispatch` has returned, and each dispatch costs three
    ///     more system calls: GLib takes the descriptors out of the poll meanwhile.
    package convenience init(
        _ handlers: SourceCallbacks,
        on context: MainContext,
        canRecurse: Bool = false
    ) {
        unsafe self.init(handlers, on: context.pointer, canRecurse: canRecurse)
        context.posted.fallBehind()
    }

    init(_ handlers: SourceCallbacks, on context: OpaquePointer, canRecurse: Bool) {
        unsafe self.context = RetainedContext(context)
        let box = unsafe Unmanaged.passRetained(CallbackBox(handlers)).toOpaque()
        unsafe source = bluejay_source_new(context, CallbackBox.steps, box, canRecurse ? 1 : 0)
    }

    deinit {
        cancel()
    }

    /// Takes the source off its context; later calls do nothing.
    package func cancel() {
        guard let source = unsafe source else { return }
        unsafe self.source = nil
        unsafe bluejay_source_end(source)
    }

    /// In a turn in which others are ready too, it is dispatched behind all that there are now.
    func fallBehind() {
        guard let source = unsafe source else { return }
        unsafe bluejay_source_fall_behind(source)
    }

    /// Leaves the source to its context: it goes with it, or by `endCurrent`.
    func leave() {
        guard let source = unsafe source else { return }
        unsafe self.source = nil
        unsafe bluejay_source_leave(source)
    }

    /// Takes the source that is being dispatched off its context.
    static func endCurrent() { bluejay_source_end_current() }

    /// From now on it is dispatched only in turns in which nothing else is ready.
    func makeLast() {
        guard let source = unsafe source else { return }
        unsafe bluejay_source_make_last(source)
    }

    /// Dispatches when the monotonic clock reaches `microseconds`; -1 is never.
    func setReadyTime(_ microseconds: Int64) {
        guard let source = unsafe source else { return }
        unsafe bluejay_source_set_ready_time(source, microseconds)
    }

    /// Watches a descriptor; the tag names it in the two calls below.
    package func addDescriptor(
        _ descriptor: Int32,
        _ condition: IOCondition
    ) -> UnsafeMutableRawPointer? {
        guard let source = unsafe source else { return nil }
        return unsafe bluejay_source_add_descriptor(source, descriptor, condition.rawValue)
    }

    /// Changes what a descriptor is watched for.
    package func modifyDescriptor(_ tag: UnsafeMutableRawPointer, _ condition: IOCondition) {
        guard let source = unsafe source else { return }
        unsafe bluejay_source_modify_descriptor(source, tag, condition.rawValue)
    }

    /// Ends the watch of a descriptor.
    package func removeDescriptor(_ tag: UnsafeMutableRawPointer) {
        guard let source = unsafe source else { return }
        unsafe bluejay_source_remove_descriptor(source, tag)
    }

    /// What the last turn found.
    package func condition(of tag: UnsafeMutableRawPointer) -> IOCondition {
        guard let source = unsafe source else { return IOCondition() }
        return IOCondition(rawValue: unsafe bluejay_source_query_descriptor(source, tag))
    }
}

/// A reference to a context for the owner of a source, until the source has been taken off it.
///
/// Without it a source may be taken off while the last reference to the context goes on another thread,
/// such as the loop's, which ends: GLib then locks what has been freed, and the heap is damaged or the
/// thread waits for ever (issue 803 of GLib; seen with 2.74).
@safe final class RetainedContext {
    private let pointer: OpaquePointer

    // Not the object of ours: a context owns sources of its own.
    init(_ context: OpaquePointer) {
        unsafe pointer = unsafe bluejay_context_ref(context)
    }

    deinit {
        unsafe bluejay_context_unref(pointer)
    }
}

private final class CallbackBox {
    let handlers: SourceCallbacks
    init(_ handlers: SourceCallbacks) { self.handlers = handlers }

    static func from(_ data: UnsafeMutableRawPointer?) -> CallbackBox? {
        unsafe data.map { unsafe Unmanaged<CallbackBox>.fromOpaque($0).takeUnretainedValue() }
    }

    static var steps: bluejay_steps {
        unsafe bluejay_steps(
            prepare: { (unsafe CallbackBox.from($0)?.handlers.prepare() ?? false) ? 1 : 0 },
            check: { (unsafe CallbackBox.from($0)?.handlers.check() ?? false) ? 1 : 0 },
            dispatch: { unsafe CallbackBox.from($0)?.handlers.dispatch() },
            release: {
                if let data = unsafe $0 { unsafe Unmanaged<CallbackBox>.fromOpaque(data).release() }
            }
        )
    }
}
