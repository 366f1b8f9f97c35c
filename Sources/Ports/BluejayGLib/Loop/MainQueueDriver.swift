internal import CBluejay
internal import Dispatch

/// Runs iterations of the default context on the main queue.
///
/// It runs one iteration at a time, so that a `RunLoop` can end in between.
// Used on the main thread only: that invariant justifies `@unchecked`.
@safe final class MainQueueDriver: @unchecked Swift.Sendable {
    private let context: MainContext
    private let watch: OpaquePointer
    private let source: any DispatchSourceRead
    /// Whether an iteration is enqueued on the main queue.
    private var isPending = false
    private var hasEnded = false
    /// Whether an iteration is running, or the driver is paused.
    private(set) var isIterating = false

    /// Returns nil if the calling thread cannot acquire the context.
    init?(_ context: MainContext) {
        guard let watch = unsafe bluejay_watch_new(context.pointer) else { return nil }
        unsafe self.watch = unsafe watch
        self.context = context
        source = DispatchSource.makeReadSource(
            fileDescriptor: unsafe bluejay_watch_descriptor(watch),
            queue: .main
        )
        source.setEventHandler { [weak self] in self?.iterate() }
        let freed = unsafe WatchDeallocator(watch)
        source.setCancelHandler { freed.free() }
        source.activate()
    }

    /// Enqueues an iteration, for events added outside the context's own iterations.
    func scheduleIteration() {
        guard !isPending, !isIterating, !hasEnded else { return }
        isPending = true
        DispatchQueue.main.async { [self] in
            isPending = false
            iterate()
        }
    }

    /// Leaves the context to iterations run by hand, until `resume`.
    func pause() {
        isIterating = true
        source.suspend()
    }

    func resume() {
        isIterating = false
        source.resume()
        scheduleIteration()
    }

    func end() {
        hasEnded = true
        unsafe bluejay_watch_leave(watch)
        source.cancel()
    }

    private func iterate() {
        // A nested iteration belongs to a loop inside a callback, which runs by itself.
        guard !isIterating, !hasEnded else { return }
        isIterating = true
        let hasWorked = unsafe bluejay_context_iterate(context.pointer) != 0
        isIterating = false
        guard !hasEnded else { return }
        if unsafe hasWorked || bluejay_watch_arm(watch) != 0 { scheduleIteration() }
    }
}

/// Closes the descriptors when the main queue no longer uses them.
// Used once, at the end: that invariant justifies `@unchecked`.
@safe private final class WatchDeallocator: @unchecked Swift.Sendable {
    private let watch: OpaquePointer

    init(_ watch: OpaquePointer) { unsafe self.watch = unsafe watch }

    func free() { unsafe bluejay_watch_free(watch) }
}
