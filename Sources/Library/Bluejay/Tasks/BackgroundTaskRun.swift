internal import BluejayBlueZ
internal import BluejayGLib

/// One run of a background task, from the call to its completion.
///
/// It holds the instance, so that a task ends and completes also when its `Bluejay` has gone.
final class BackgroundTaskRun<Value> {
    private let instance: Instance
    private let completion: (RunResult<Value>) -> Void

    init(_ instance: Instance, completion: @escaping (RunResult<Value>) -> Void) {
        self.instance = instance
        self.completion = completion
    }

    /// Begins, or completes in a later turn with the rule that is broken.
    func begin(
        on loop: MainLoop,
        _ task: sending @escaping (SynchronizedPeripheral) throws -> Value
    ) {
        if let refusal {
            let refusal = refusal.during(.backgroundTask)
            return instance.scheduler.completeOnNextIteration { [completion] in
                completion(.failure(refusal))
            }
        }
        instance.gate.beginTask()
        instance.log.queue.debug("a background task begins")
        let peripheral = SynchronizedPeripheral(instance, loop)
        TaskThread.start { [self] in
            let result: RunResult<Value>
            do {
                result = .success(try task(peripheral))
            } catch {
                result = .failure(error)
            }
            let end = Confined { self.end(peripheral, result) }
            loop.post { end.value() }
        }
    }

    private var refusal: BluejayError? {
        if let refusal = instance.gate.refusalOfTask { return refusal }
        // A task begins at once: it cannot wait for a connection behind the disconnect.
        return instance.queue.refusal(of: .characteristic)
            ?? (instance.queue.leaves ? .disconnectQueued : nil)
    }

    // Regular calls work again inside the completion, and it may begin another task; what was held back is
    // told after it.
    private func end(_ peripheral: SynchronizedPeripheral, _ result: RunResult<Value>) {
        peripheral.invalidate()
        instance.gate.endTask()
        instance.log.queue.debug("a background task has ended")
        completion(result)
        instance.connection.announceDeferred()
    }
}
