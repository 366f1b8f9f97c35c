internal import BluejayBlueZ
internal import BluejayGLib

/// One run of a background task, from the call to its completion.
///
/// It retains the instance, so that a task completes even after its `Bluejay` was released.
final class BackgroundTaskRun<Value> {
    private let instance: Instance
    private let completion: (RunResult<Value>) -> Void

    init(_ instance: Instance, completion: @escaping (RunResult<Value>) -> Void) {
        self.instance = instance
        self.completion = completion
    }

    /// Begins, or completes on a later iteration with the error of a violated rule.
    func start(
        on loop: MainLoop,
        _ task: sending @escaping (SynchronizedPeripheral) throws -> Value
    ) {
        if let rejection {
            let rejection = rejection.during(.backgroundTask)
            return instance.scheduler.completeOnNextIteration { [completion] in
                completion(.failure(rejection))
            }
        }
        instance.gate.startTask()
        instance.log.queue.debug("background task started")
        let peripheral = SynchronizedPeripheral(instance, loop)
        TaskThread.start { [self] in
            let result: RunResult<Value>
            do {
                result = .success(try task(peripheral))
            } catch {
                result = .failure(error)
            }
            let end = UncheckedTransfer { self.end(peripheral, result) }
            loop.post { end.value() }
        }
    }

    private var rejection: BluejayError? {
        if let rejection = instance.gate.taskRejection { return rejection }
        // A task starts at once, so it cannot wait for a connection queued after a disconnect.
        return instance.queue.rejection(of: .characteristic)
            ?? (instance.queue.willDisconnect ? .disconnectQueued : nil)
    }

    // Inside the completion regular calls work again, and another task may start. Deferred disconnections are
    // announced afterwards.
    private func end(_ peripheral: SynchronizedPeripheral, _ result: RunResult<Value>) {
        peripheral.invalidate()
        instance.gate.endTask()
        instance.log.queue.debug("background task ended")
        completion(result)
        instance.connection.announceDeferredDisconnections()
    }
}
