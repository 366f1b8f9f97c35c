internal import BluejayBlueZ
internal import BluejayGLib

/// A wait for Bluetooth, with a limit.
///
/// Confined to the loop.
private final class ReadinessWait: ConnectionObserver, ShutdownObserver {
    var timer: ScheduledTimer?
    private var completion: ((Result<Void, any Error>) -> Void)?

    init(_ completion: @escaping (Result<Void, any Error>) -> Void) {
        self.completion = completion
    }

    func bluetoothAvailable(_ available: Bool) {
        if available { end(.success(())) }
    }

    func didShutDown() {
        end(.failure(BluejayError.stopped))
    }

    func end(_ result: Result<Void, any Error>) {
        let completion = completion
        self.completion = nil
        timer = nil
        completion?(result)
    }
}

extension Bluejay {
    /// Waits until Bluetooth can be used; on the loop only.
    ///
    /// - Parameters:
    ///   - limit: The time limit.
    ///   - completion: Called once.
    /// - Returns: A closure that cancels the wait.
    package func whenReady(
        within limit: Timeout,
        _ completion: @escaping (Result<Void, any Error>) -> Void
    ) -> () -> Void {
        let wait = ReadinessWait(completion)
        let isolation: (any Actor)? = nil
        wait.timer = limit.duration.map { limit in
            mainLoop.context.makeClock().schedule(after: limit) { [instance, wait] in
                wait.end(.failure(instance.adapters.unavailableError))
            }
        }
        register(connectionObserver: wait, isolation: isolation)
        register(shutdownObserver: wait)
        return { wait.end(.failure(BluejayError.cancelled)) }
    }
}
