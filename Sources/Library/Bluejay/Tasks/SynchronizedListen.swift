internal import BluejayGLib
internal import FoundationEssentials

/// A listen that a background task waits for.
///
/// It belongs to the loop. Whatever ends it, its notifications are off before `finish` is called, and
/// that is called exactly once.
final class SynchronizedListen {
    /// What to do after a value.
    enum Verdict {
        case goOn
        case done
        case fail(any Error)
    }

    private let runner: OperationRunner
    private let characteristic: CharacteristicIdentifier
    private let receive: (Data) -> Verdict
    private let finish: ((any Error)?) -> Void
    private var id = 0
    private var isOver = false
    private var timer: ScheduledTimer?
    private var write: QueueStateMachine.ID?

    /// - Parameters:
    ///   - runner: Of the connected peripheral.
    ///   - characteristic: What to listen to.
    ///   - receive: Is given every value, on the loop.
    ///   - finish: Called once; nil is success.
    init(
        _ runner: OperationRunner,
        _ characteristic: CharacteristicIdentifier,
        receive: @escaping (Data) -> Verdict,
        finish: @escaping ((any Error)?) -> Void
    ) {
        self.runner = runner
        self.characteristic = characteristic
        self.receive = receive
        self.finish = finish
    }

    /// Takes the listen in.
    ///
    /// - Parameter installed: Called when the notifications are on.
    func begin(installed: (() -> Void)? = nil) {
        runner.taskListens.append(self)
        id = runner.scheduler.lastID + 1
        runner.listen(
            characteristic,
            .trap,
            Listener(isToldOfEnd: true) { [self] event in
                switch event {
                case .installed: installed?()
                case .settled: break
                case .value(let value): received(value)
                case .failure(let error): over(error)
                case .ended(let error):
                    // What is told to everybody who goes on to listen does not end this one.
                    if !isInstalled { over(error) }
                }
            }
        )
    }

    /// Writes for the answer that is listened to; the failure of the write ends the listen.
    func write(_ value: Data, to characteristic: CharacteristicIdentifier, _ type: WriteType) {
        let call = runner.queue.writeCall(characteristic)
        write = runner.queue.enqueue(
            WriteOperation(call, runner.link, runner.writes, value: value, type: type) {
                [self] result in
                write = nil
                if case .failure(let error) = result { end(error) }
            }
        )
    }

    /// Ends with `error` when nothing has ended it before.
    func arm(_ limit: Duration?, _ end: @escaping (SynchronizedListen) -> Void) {
        timer = limit.map { limit in
            runner.clock.schedule(after: limit) { [weak self] in
                if let self { end(self) }
            }
        }
    }

    /// Ends it, waits for its notifications to be off, and finishes.
    func end(_ error: (any Error)?) {
        guard close() else { return }
        // What still waits to be written is not asked for any more.
        if error != nil, let write { runner.queue.cancel(write, .cancelled) }
        runner.endListen(characteristic, of: id) { [self] result in
            guard case .failure(let ending) = result else { return tell(error) }
            tell(error ?? ending)
        }
    }

    private func received(_ value: Data) {
        guard !isOver else { return }
        switch receive(value) {
        case .goOn: break
        case .done: end(nil)
        case .fail(let error): end(error)
        }
    }

    // It was refused, or ended from outside: there is nothing to turn off.
    private func over(_ error: any Error) {
        if close() { tell(error) }
    }

    private func tell(_ error: (any Error)?) {
        let subject = ErrorSubject(.listen, characteristic)
        finish(error.map { subject.named($0, runner.link.subject) })
    }

    /// False when it is over already.
    private func close() -> Bool {
        guard !isOver else { return false }
        isOver = true
        timer = nil
        runner.taskListens.removeAll { $0 === self }
        return true
    }

    private var isInstalled: Bool {
        runner.queue.isConnected && runner.listens.receiver(of: characteristic) == id
    }
}
