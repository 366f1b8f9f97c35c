internal import BluejayGLib
internal import BluejayTables
package import FoundationEssentials

/// What a layer beside the callbacks hears of a listen.
package enum ListenUpdate {
    /// One value, not decoded.
    case value(Data)
    /// Nothing more comes; the error says why.
    case ended(any Error)
}

/// Hears once, on the main loop, that a `Bluejay` was stopped or released.
package protocol ShutdownObserver: AnyObject {
    /// No observer hears of it any more.
    func hasEnded()
}

/// What layers beside the callbacks need of the queue: to take back what they put in.
///
/// Identifiers are never given twice, so one that is out of date cancels nothing.
extension Bluejay {
    /// Makes a call and finds the operation that it took in.
    ///
    /// - Parameter call: Makes one call, whose completion makes no other.
    /// - Returns: The operation, which may end in a later turn because it is refused; nil when there is
    ///   none.
    package func operation(_ call: () -> Void) -> Int? {
        let next = instance.scheduler.lastID + 1
        call()
        return instance.scheduler.lastID < next ? nil : next
    }

    /// Connects to a peripheral unless it is connected already, and joins an attempt that is under way.
    ///
    /// - Parameters:
    ///   - peripheral: The wanted peripheral.
    ///   - timeout: From the turn of the attempt in the queue.
    ///   - completion: Called once.
    package func connectOrJoin(
        _ peripheral: PeripheralIdentifier,
        timeout: Timeout,
        completion: @escaping (ConnectionResult) -> Void
    ) {
        let subject = ErrorSubject(.connect, peripheral: peripheral)
        call("connect", for: subject, refuse: { completion(.failure($0)) }) { instance in
            guard peripheral.deviceAddress != nil else {
                let error = BluejayError.unexpectedPeripheral(peripheral)
                return instance.scheduler.completeOnNextIteration {
                    completion(.failure(subject.named(error)))
                }
            }
            instance.connection.connectOrJoin(
                .peripheral(peripheral),
                within: timeout,
                completion: completion
            )
        }
    }

    /// Fails one operation with ``BluejayError/cancelled``, and leaves the others alone.
    ///
    /// A connection attempt fails when it has been taken back; everything else fails at once, or in the
    /// next turn when it was called in this one. A read, a write or a listen that is the next is kept
    /// until no more are cancelled for 10 ms. A disconnect is not to be cancelled: what waits behind it
    /// was taken in because of it.
    package func cancelOperation(_ id: Int) {
        instance.queue.cancelCall(id)
    }

    /// Listens, and tells the end whatever ``broadcastErrorsToListeners`` says.
    ///
    /// - Parameters:
    ///   - characteristic: A characteristic of the connected peripheral.
    ///   - option: Whether a later listen may replace this one.
    ///   - path: By which way the values come.
    ///   - isKept: Whether it outlives a lost connection that is made again.
    ///   - timeout: Of the set-up.
    ///   - tell: Called for every value and, at most once, for the end. It is released without a word
    ///     when somebody calls `endListen`.
    /// - Returns: The operation; nil when the listen was refused.
    package func listen(
        to characteristic: CharacteristicIdentifier,
        _ option: MultipleListenOption,
        through path: ListenPath = .signals,
        isKept: Bool = false,
        timeout: Timeout,
        tell: @escaping (ListenUpdate) -> Void
    ) -> Int? {
        let subject = ErrorSubject(.listen, characteristic)
        let listener = Listener(isToldOfEnd: true, path: path) { [link = instance.link] event in
            switch event {
            case .installed, .settled: break
            case .value(let data): tell(.value(data))
            case .failure(let error): tell(.ended(error))
            case .ended(let error):
                // The reason of the loss is known to the instance, where BlueZ told it.
                let isLoss = error as? BluejayError == .notConnected
                let reason = isLoss ? link.session.error ?? error : error
                tell(.ended(subject.named(reason, link.subject)))
            }
        }
        var id: Int?
        call(for: subject, refuse: { tell(.ended($0)) }) { instance in
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

    /// Ends one listen, whose listener hears nothing more, and leaves others alone.
    ///
    /// Joins the queue with the switching-off.
    package func endListen(to characteristic: CharacteristicIdentifier, of id: Int) {
        instance.listens.endListen(only: id, to: characteristic)
    }

    /// Runs a background task that can be given up.
    ///
    /// - Parameters:
    ///   - task: Called at most once, on its own thread.
    ///   - completion: Called once, on the main loop, when the task has returned or was refused.
    /// - Returns: The way to give it up.
    package func run<Value>(
        _ task: sending @escaping (SynchronizedPeripheral) throws -> Value,
        completion: @escaping (RunResult<Value>) -> Void
    ) -> BackgroundTaskHandle {
        let running = BackgroundTaskHandle(instance)
        let confined = Confined(running)
        let confinedTask = Confined(task)
        run { [mainLoop] (peripheral: SynchronizedPeripheral) throws -> Value in
            guard TaskThread.call(mainLoop, { confined.value.begins(with: peripheral) }) == true
            else {
                throw BluejayError.cancelled
            }
            return try confinedTask.value(peripheral)
        } completionOnMainThread: { (result: RunResult<Value>) in
            running.hasEnded()
            completion(result)
        }
        return running
    }

    /// Adds an observer of the end; held weakly.
    package func register(endObserver: any ShutdownObserver) {
        instance.observers.register(endObserver)
    }
}

/// A background task that can be given up from outside, on the main loop only.
package final class BackgroundTaskHandle {
    private let instance: Instance
    /// The last operation before the task: what comes behind it until the end is the task's.
    private let last: QueueStateMachine.ID
    private var peripheral: SynchronizedPeripheral?
    private var isCancelled = false
    private var isOver = false

    fileprivate init(_ instance: Instance) {
        self.instance = instance
        last = instance.scheduler.lastID
    }

    /// Fails the call of the task that blocks, and all later ones, with ``BluejayError/cancelled``.
    package func cancel() {
        guard !isOver else { return }
        isCancelled = true
        peripheral?.invalidate()
        instance.cancelCalls(after: last)
    }

    fileprivate func begins(with peripheral: SynchronizedPeripheral) -> Bool {
        self.peripheral = peripheral
        return !isCancelled
    }

    fileprivate func hasEnded() {
        isOver = true
        peripheral = nil
    }
}
