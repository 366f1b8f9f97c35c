internal import CBluejay

/// The callbacks of an event source for the three steps of a GLib iteration.
package struct SourceCallbacks {
    /// Whether events are ready, so that the iteration must not sleep.
    var prepare: () -> Bool
    /// Whether events are ready after the sleep.
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
/// The `GSource` holds the closures until GLib has finished with it, even if it is cancelled inside its own
/// dispatch. Any thread may release this object.
@safe package final class EventSource {
    private var source: OpaquePointer?
    private let context: RetainedContext

    /// Attaches a source to the context.
    ///
    /// - Parameters:
    ///   - handlers: The three steps.
    ///   - context: The context that runs them.
    ///   - canRecurse: Whether a main loop inside `dispatch` dispatches the source again. If not, the
    ///     source is blocked until `dispatch` returns, and each dispatch costs three more system calls,
    ///     because GLib removes the descriptors from the poll meanwhile.
    package convenience init(
        _ handlers: SourceCallbacks,
        on context: MainContext,
        canRecurse: Bool = false
    ) {
        unsafe self.init(handlers, on: context.pointer, canRecurse: canRecurse)
        context.posted.moveToBack()
    }

    init(_ handlers: SourceCallbacks, on context: OpaquePointer, canRecurse: Bool) {
        unsafe self.context = RetainedContext(context)
        let box = unsafe Unmanaged.passRetained(CallbackBox(handlers)).toOpaque()
        unsafe source = bluejay_source_new(context, CallbackBox.steps, box, canRecurse ? 1 : 0)
    }

    deinit {
        cancel()
    }

    /// Removes the source from its context; later calls do nothing.
    package func cancel() {
        guard let source = unsafe source else { return }
        unsafe self.source = nil
        unsafe bluejay_source_end(source)
    }

    /// Moves the source after all current sources of its context that are ready in the same iteration.
    func moveToBack() {
        guard let source = unsafe source else { return }
        unsafe bluejay_source_fall_behind(source)
    }

    /// Leaves the source to its context, which removes it at its end or by `destroyCurrent`.
    func detach() {
        guard let source = unsafe source else { return }
        unsafe self.source = nil
        unsafe bluejay_source_leave(source)
    }

    /// Removes the source that is being dispatched from its context.
    static func destroyCurrent() { bluejay_source_end_current() }

    /// Limits the dispatch to iterations in which no other source is ready.
    func runOnlyWhenIdle() {
        guard let source = unsafe source else { return }
        unsafe bluejay_source_make_last(source)
    }

    /// Dispatches when the monotonic clock reaches `microseconds`; -1 means never.
    func setReadyTime(_ microseconds: Int64) {
        guard let source = unsafe source else { return }
        unsafe bluejay_source_set_ready_time(source, microseconds)
    }

    /// Watches a descriptor; the returned tag identifies it in later calls.
    package func addDescriptor(
        _ descriptor: Int32,
        _ condition: IOCondition
    ) -> UnsafeMutableRawPointer? {
        guard let source = unsafe source else { return nil }
        return unsafe bluejay_source_add_descriptor(source, descriptor, condition.rawValue)
    }

    package func modifyDescriptor(_ tag: UnsafeMutableRawPointer, _ condition: IOCondition) {
        guard let source = unsafe source else { return }
        unsafe bluejay_source_modify_descriptor(source, tag, condition.rawValue)
    }

    package func removeDescriptor(_ tag: UnsafeMutableRawPointer) {
        guard let source = unsafe source else { return }
        unsafe bluejay_source_remove_descriptor(source, tag)
    }

    /// The conditions that the last iteration found.
    package func condition(of tag: UnsafeMutableRawPointer) -> IOCondition {
        guard let source = unsafe source else { return IOCondition() }
        return IOCondition(rawValue: unsafe bluejay_source_query_descriptor(source, tag))
    }
}

/// A reference to a context, which the owner of a source holds until the source is removed.
///
/// Otherwise a source may be removed while another thread, such as the loop's own at its end, releases the
/// last reference to the context. GLib then locks freed memory, which damages the heap or blocks the thread
/// forever (GLib issue 803; seen with 2.74).
@safe final class RetainedContext {
    private let pointer: OpaquePointer

    // Not a `MainContext`, which owns sources itself.
    init(_ context: OpaquePointer) {
        unsafe pointer = unsafe bluejay_context_ref(context)
    }

    deinit {
        unsafe bluejay_context_unref(pointer)
    }
}

private final class CallbackBox {
    let callbacks: SourceCallbacks
    init(_ handlers: SourceCallbacks) { self.callbacks = handlers }

    static func from(_ data: UnsafeMutableRawPointer?) -> CallbackBox? {
        unsafe data.map { unsafe Unmanaged<CallbackBox>.fromOpaque($0).takeUnretainedValue() }
    }

    static var steps: bluejay_steps {
        unsafe bluejay_steps(
            prepare: { (unsafe CallbackBox.from($0)?.callbacks.prepare() ?? false) ? 1 : 0 },
            check: { (unsafe CallbackBox.from($0)?.callbacks.check() ?? false) ? 1 : 0 },
            dispatch: { unsafe CallbackBox.from($0)?.callbacks.dispatch() },
            release: {
                if let data = unsafe $0 { unsafe Unmanaged<CallbackBox>.fromOpaque(data).release() }
            }
        )
    }
}
