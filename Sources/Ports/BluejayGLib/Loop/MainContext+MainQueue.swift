internal import CBluejay
internal import Glibc
internal import Synchronization

extension MainContext {
    /// Drains `DispatchQueue.main`, and with it the main actor, in the turns of the default context,
    /// whoever runs it.
    ///
    /// Does nothing off the main thread, or when another thread runs the context. Where somebody else
    /// serves the queue as well (`RunLoop`, another library), each finds what is left.
    func serveMainQueue() {
        guard isDefault, !servesMainQueue.load(ordering: .relaxed) else { return }
        guard NamedThread.isMain, isCurrent else { return }
        // The main queue serves the context then, and hears here that it is used.
        if let driver { return driver.kick() }
        servesMainQueue.store(true, ordering: .relaxed)
        mainQueue = makeMainQueueSource()
    }

    /// What drains the main queue on the main thread as long as it is held.
    func makeMainQueueSource() -> DescriptorSource? {
        let descriptor = _dispatch_get_main_queue_handle_4CF()
        guard descriptor >= 0 else { return nil }
        // The queue cannot be drained inside itself, so the source does not recurse.
        return DescriptorSource(descriptor, .readable, on: self, canRecurse: false) {
            [weak self] _ in
            guard NamedThread.isMain else { return self?.leaveMainQueue() ?? () }
            var count: UInt64 = 0
            _ = unsafe read(descriptor, &count, MemoryLayout<UInt64>.size)
            _dispatch_main_queue_callback_4CF(nil)
        }
    }

    // A thread that is not the main one has begun to run the context: the queue is not for it.
    private func leaveMainQueue() {
        mainQueue?.cancel()
        mainQueue = nil
        servesMainQueue.store(false, ordering: .relaxed)
    }
}
