internal import BluejayGLib

extension Bluejay {
    /// Runs a series of reads, writes and listens on a separate thread.
    ///
    /// Inside the task every call of the ``SynchronizedPeripheral`` blocks until it completes. Meanwhile,
    /// regular calls fail with ``BluejayError/backgroundTaskRunning``. If the connection ends, the task's
    /// current and later calls throw; observers, the ``DisconnectHandler`` and reconnection follow after the
    /// completion.
    ///
    /// The task runs in parallel with all other code, even when written in a class of the main actor. It may
    /// use `Sendable` values, its own values and user data. Pass copies of state that belongs to the loop,
    /// and use the result in the completion.
    ///
    /// - Parameters:
    ///   - backgroundTask: Called once, on its own thread.
    ///   - completionOnMainThread: Called once, on the main loop. Fails with the error thrown by the task, or
    ///     with ``BluejayError/notConnected``, ``BluejayError/multipleBackgroundTaskNotSupported``,
    ///     ``BluejayError/disconnectQueued`` or ``BluejayError/bluetoothUnavailable(_:)``.
    public func run(
        backgroundTask: sending @escaping (SynchronizedPeripheral) throws -> Void,
        completionOnMainThread: @escaping @isolated(any) (RunResult<Void>) -> Void
    ) {
        let completionOnMainThread = mainLoop.context.callback(completionOnMainThread)
        startTask(backgroundTask, completionOnMainThread)
    }

    /// Runs a series of reads, writes and listens that returns a result.
    ///
    /// - Parameters:
    ///   - backgroundTask: Called once, on its own thread.
    ///   - completionOnMainThread: Called once, on the main loop, with the result of the task. Fails like the
    ///     form without a result.
    public func run<Result>(
        backgroundTask: sending @escaping (SynchronizedPeripheral) throws -> Result,
        completionOnMainThread: @escaping @isolated(any) (RunResult<Result>) -> Void
    ) {
        let completionOnMainThread = mainLoop.context.callback(completionOnMainThread)
        startTask(backgroundTask, completionOnMainThread)
    }

    /// Runs a series of reads, writes and listens with data for the task.
    ///
    /// - Parameters:
    ///   - userData: Passed to the task. Objects are not copied: no other code may use them until the
    ///     completion is called.
    ///   - backgroundTask: Called once, on its own thread.
    ///   - completionOnMainThread: Called once, on the main loop, with the result of the task. Fails like the
    ///     form without a result.
    public func run<UserData, Result>(
        userData: sending UserData,
        backgroundTask: sending @escaping (SynchronizedPeripheral, UserData) throws -> Result,
        completionOnMainThread: @escaping @isolated(any) (RunResult<Result>) -> Void
    ) {
        let completionOnMainThread = mainLoop.context.callback(completionOnMainThread)
        let data = UncheckedTransfer(userData)
        startTask({ try backgroundTask($0, data.value) }, completionOnMainThread)
    }

    private func startTask<Value>(
        _ task: sending @escaping (SynchronizedPeripheral) throws -> Value,
        _ completion: @escaping (RunResult<Value>) -> Void
    ) {
        guard !mainLoop.isElsewhere || !TaskThread.isCurrent else {
            let rejection = BluejayError.multipleBackgroundTaskNotSupported
            return mainLoop.relay { completion(.failure(rejection.during(.backgroundTask))) }
        }
        let task = UncheckedTransfer(task)
        mainLoop.callOrPost { [instance, mainLoop] in
            BackgroundTaskRun(instance, completion: completion).start(on: mainLoop, task.value)
        }
    }
}
