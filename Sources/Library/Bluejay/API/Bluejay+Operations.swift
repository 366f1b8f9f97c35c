internal import BluejayGLib
package import FoundationEssentials

/// An event of a listen, for layers above the callbacks.
package enum ListenUpdate {
    /// A raw value.
    case value(Data)
    /// The listen ended with this error.
    case ended(any Error)
}

/// Hooks into the queue for layers above the callbacks, to cancel the calls they made.
///
/// Identifiers are never reused, so an outdated one cancels nothing.
extension Bluejay {
    /// Runs a call and returns the operation it queued.
    ///
    /// - Parameter call: Makes one call, whose completion makes no other.
    /// - Returns: The operation, which may be rejected on a later iteration, or `nil` if nothing was queued.
    package func operation(_ call: () -> Void) -> Int? {
        let next = instance.scheduler.lastID + 1
        call()
        return instance.scheduler.lastID < next ? nil : next
    }

    /// Connects to a peripheral unless it is connected, and joins an attempt in progress.
    package func connectOrJoin(
        _ peripheral: PeripheralIdentifier,
        timeout: Timeout,
        completion: @escaping (ConnectionResult) -> Void
    ) {
        let subject = ErrorSubject(.connect, peripheral: peripheral)
        call("connect", for: subject, onRejection: { completion(.failure($0)) }) { instance in
            if let error = peripheral.rejection {
                return instance.scheduler.completeOnNextIteration {
                    completion(.failure(subject.annotate(error)))
                }
            }
            instance.connection.connectOrJoin(
                .peripheral(peripheral),
                within: timeout,
                completion: completion
            )
        }
    }

    /// Fails one operation with ``BluejayError/cancelled``, without affecting the others.
    ///
    /// A connection attempt fails once BlueZ has ended it. Other operations fail at once, or on the next
    /// iteration if they were called on this one. If the next operation is a read, a write or a listen, it is
    /// held back until no call has been cancelled for 10 ms. A disconnect must not be cancelled, because the
    /// queue accepted later calls on account of it.
    package func cancelOperation(_ id: Int) {
        instance.queue.cancelCall(id)
    }

    /// Listens, and reports the end regardless of ``broadcastErrorsToListeners``.
    ///
    /// `handler` is called for every value and, at most once, for the end. If `endListen` ends the listen, it
    /// is released without a call.
    ///
    /// - Returns: The operation, or `nil` if the listen was rejected.
    package func listen(
        to characteristic: CharacteristicIdentifier,
        _ option: MultipleListenOption,
        through path: ListenTransport = .signals,
        isKept: Bool = false,
        timeout: Timeout,
        handler: @escaping (ListenUpdate) -> Void
    ) -> Int? {
        let subject = ErrorSubject(.listen, characteristic)
        let listener = Listener(receivesEnd: true, path: path) { [link = instance.link] event in
            switch event {
            case .installed, .setUpCompleted: break
            case .value(let data): handler(.value(data))
            case .failure(let error): handler(.ended(error))
            case .ended(let error):
                // If BlueZ reported the reason for the loss, the session has it.
                let isLoss = error as? BluejayError == .notConnected
                let reason = isLoss ? link.session.error ?? error : error
                handler(.ended(subject.annotate(reason, link.subject)))
            }
        }
        var id: Int?
        call(for: subject, onRejection: { handler(.ended($0)) }) { instance in
            id = instance.listens.listen(
                characteristic,
                option,
                isKept: isKept,
                timeout: timeout,
                listener
            )
        }
        return id
    }

    /// Ends one listen without affecting others; its listener receives nothing more.
    ///
    /// Switching off notifications joins the queue.
    package func endListen(to characteristic: CharacteristicIdentifier, of id: Int) {
        instance.listens.endListen(only: id, to: characteristic)
    }

    /// Runs a background task that can be cancelled.
    ///
    /// `task` is called at most once, on its own thread. `completion` is called once, on the main loop, when
    /// the task has returned or was rejected.
    ///
    /// - Returns: A handle that cancels the task.
    package func run<Value>(
        _ task: sending @escaping (SynchronizedPeripheral) throws -> Value,
        completion: @escaping (RunResult<Value>) -> Void
    ) -> BackgroundTaskHandle {
        let running = BackgroundTaskHandle(instance)
        let confined = UncheckedTransfer(running)
        let confinedTask = UncheckedTransfer(task)
        run { [mainLoop] (peripheral: SynchronizedPeripheral) throws -> Value in
            guard
                TaskThread.call(mainLoop, { confined.value.taskStarted(with: peripheral) }) == true
            else {
                throw BluejayError.cancelled
            }
            return try confinedTask.value(peripheral)
        } completionOnMainThread: { (result: RunResult<Value>) in
            running.taskEnded()
            completion(result)
        }
        return running
    }

    package func register(shutdownObserver: any ShutdownObserver) {
        // A loop that is ending calls no observer.
        guard !mainLoop.context.isEnding else { return shutdownObserver.didShutDown() }
        instance.observers.register(shutdownObserver)
    }
}

/// A handle that cancels a background task, for use on the main loop only.
package final class BackgroundTaskHandle {
    private let instance: Instance
    /// The last operation before the task; operations from then until the end belong to the task.
    private let lastID: QueueStateMachine.ID
    private var peripheral: SynchronizedPeripheral?
    private var isCancelled = false
    private var isEnded = false

    fileprivate init(_ instance: Instance) {
        self.instance = instance
        lastID = instance.scheduler.lastID
    }

    /// Fails the task's blocked call and all its later calls with ``BluejayError/cancelled``.
    package func cancel() {
        guard !isEnded else { return }
        isCancelled = true
        peripheral?.invalidate()
        instance.cancelCalls(after: lastID)
    }

    fileprivate func taskStarted(with peripheral: SynchronizedPeripheral) -> Bool {
        self.peripheral = peripheral
        return !isCancelled
    }

    fileprivate func taskEnded() {
        isEnded = true
        peripheral = nil
    }
}
