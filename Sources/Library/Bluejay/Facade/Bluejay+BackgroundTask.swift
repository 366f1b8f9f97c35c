internal import BluejayGLib

extension Bluejay {
    /// Runs a longer series of reads, writes and listens on a thread of its own.
    ///
    /// Inside the task every call of the ``SynchronizedPeripheral`` blocks until it is done. Meanwhile
    /// regular calls fail with ``BluejayError/backgroundTaskRunning``. When the connection ends during
    /// the task, its present and later calls throw; observers and the ``DisconnectHandler`` hear of it
    /// after the completion, and only then it is connected again.
    ///
    /// The task runs beside everything else, also when it is written in a class of the main actor: what
    /// it uses is `Sendable`, its own, or handed to it as user data. Give it copies of what belongs to the
    /// loop, and take its result in the completion.
    ///
    /// - Parameters:
    ///   - backgroundTask: Called once, on its own thread.
    ///   - completionOnMainThread: Called once, on the main loop, with what the task threw or
    ///     ``BluejayError/notConnected``, ``BluejayError/multipleBackgroundTaskNotSupported``,
    ///     ``BluejayError/disconnectQueued`` or ``BluejayError/bluetoothUnavailable(_:)``.
    public func run(
        backgroundTask: sending @escaping (SynchronizedPeripheral) throws -> Void,
        completionOnMainThread: @escaping (RunResult<Void>) -> Void
    ) {
        begin(backgroundTask, completionOnMainThread)
    }

    /// Runs a longer series of reads, writes and listens that has a result.
    ///
    /// - Parameters:
    ///   - backgroundTask: Called once, on its own thread.
    ///   - completionOnMainThread: Called once, on the main loop, with what the task returned; fails as
    ///     that of the task without a result.
    public func run<Result>(
        backgroundTask: sending @escaping (SynchronizedPeripheral) throws -> Result,
        completionOnMainThread: @escaping (RunResult<Result>) -> Void
    ) {
        begin(backgroundTask, completionOnMainThread)
    }

    /// Runs a longer series of reads, writes and listens with data that the task may use.
    ///
    /// - Parameters:
    ///   - userData: Handed to the task. Nothing else may touch it until the completion is called: a
    ///     value is copied, an object is not.
    ///   - backgroundTask: Called once, on its own thread.
    ///   - completionOnMainThread: Called once, on the main loop, with what the task returned; fails as
    ///     that of the task without a result.
    public func run<UserData, Result>(
        userData: UserData,
        backgroundTask: sending @escaping (SynchronizedPeripheral, UserData) throws -> Result,
        completionOnMainThread: @escaping (RunResult<Result>) -> Void
    ) {
        let data = Confined(userData)
        begin({ try backgroundTask($0, data.value) }, completionOnMainThread)
    }

    private func begin<Value>(
        _ task: sending @escaping (SynchronizedPeripheral) throws -> Value,
        _ completion: @escaping (RunResult<Value>) -> Void
    ) {
        guard !mainLoop.isElsewhere || !TaskThread.isCurrent else {
            let refusal = BluejayError.multipleBackgroundTaskNotSupported
            return mainLoop.relay { completion(.failure(refusal.during(.backgroundTask))) }
        }
        let task = Confined(task)
        mainLoop.make { [instance, mainLoop] in
            BackgroundTaskRun(instance, completion: completion).begin(on: mainLoop, task.value)
        }
    }
}
