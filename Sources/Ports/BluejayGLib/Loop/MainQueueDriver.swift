internal import CBluejay
internal import Dispatch

/// Runs turns of the default context in the turns of the main queue.
///
/// One turn at a time, so that a `RunLoop` which is to end does not go on with the context.
// It is used on the main thread only: the invariant behind `@unchecked`.
@safe final class MainQueueDriver: @unchecked Swift.Sendable {
    private let context: MainContext
    private let watch: OpaquePointer
    private let source: any DispatchSourceRead
    /// Whether a turn waits in the main queue.
    private var isPending = false
    private var hasEnded = false
    /// Whether the main queue waits for the end of a turn.
    private(set) var isInTurn = false

    /// Nil when the calling thread cannot have the context.
    init?(_ context: MainContext) {
        guard let watch = unsafe bluejay_watch_new(context.pointer) else { return nil }
        unsafe self.watch = unsafe watch
        self.context = context
        source = DispatchSource.makeReadSource(
            fileDescriptor: unsafe bluejay_watch_descriptor(watch),
            queue: .main
        )
        source.setEventHandler { [weak self] in self?.turn() }
        let freed = unsafe WatchDeallocator(watch)
        source.setCancelHandler { freed.free() }
        source.activate()
    }

    /// Something may have been given to the context outside of its turns.
    func kick() {
        guard !isPending, !isInTurn, !hasEnded else { return }
        isPending = true
        DispatchQueue.main.async { [self] in
            isPending = false
            turn()
        }
    }

    /// Leaves the context to turns that are run by hand, until `resume`.
    func pause() {
        isInTurn = true
        source.suspend()
    }

    /// Goes on behind `pause`.
    func resume() {
        isInTurn = false
        source.resume()
        kick()
    }

    func end() {
        hasEnded = true
        unsafe bluejay_watch_leave(watch)
        source.cancel()
    }

    private func turn() {
        // A turn inside a turn is one of a loop inside a callback, which runs by itself.
        guard !isInTurn, !hasEnded else { return }
        isInTurn = true
        let hasWorked = unsafe bluejay_context_iterate(context.pointer) != 0
        isInTurn = false
        guard !hasEnded else { return }
        if unsafe hasWorked || bluejay_watch_arm(watch) != 0 { kick() }
    }
}

/// Closes the descriptors when the main queue has let go of them.
// Used once, at the end: the invariant behind `@unchecked`.
@safe private final class WatchDeallocator: @unchecked Swift.Sendable {
    private let watch: OpaquePointer

    init(_ watch: OpaquePointer) { unsafe self.watch = unsafe watch }

    func free() { unsafe bluejay_watch_free(watch) }
}
