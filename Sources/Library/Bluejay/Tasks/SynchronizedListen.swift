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

    private let listens: ListenRegistry
    private let queue: QueueRunner
    private let link: ConnectedLink
    private let characteristic: CharacteristicIdentifier
    private let receive: (Data) -> Verdict
    private let finish: ((any Error)?) -> Void
    private var id = 0
    private var isOver = false
    private var timer: ScheduledTimer?
    private var write: QueueStateMachine.ID?

    /// - Parameters:
    ///   - instance: The instance of the connected peripheral.
    ///   - characteristic: What to listen to.
    ///   - receive: Is given every value, on the loop.
    ///   - finish: Called once; nil is success.
    init(
        _ instance: Instance,
        _ characteristic: CharacteristicIdentifier,
        receive: @escaping (Data) -> Verdict,
        finish: @escaping ((any Error)?) -> Void
    ) {
        listens = instance.listens
        queue = instance.queue
        link = instance.link
        self.characteristic = characteristic
        self.receive = receive
        self.finish = finish
    }

    /// Takes the listen in.
    ///
    /// - Parameter installed: Called when the notifications are on.
    func begin(installed: (() -> Void)? = nil) {
        listens.add(self)
        id = queue.nextID
        listens.listen(
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
    ///
    /// - Parameter make: Makes the operation with its completion.
    func write(_ make: (@escaping (WriteResult) -> Void) -> WriteOperation) {
        let operation = make { [self] result in
            write = nil
            if case .failure(let error) = result { end(error) }
        }
        write = queue.enqueue(operation)
    }

    /// Ends with `error` when nothing has ended it before.
    func arm(_ limit: Duration?, _ end: @escaping (SynchronizedListen) -> Void) {
        timer = limit.map { limit in
            listens.clock.schedule(after: limit) { [weak self] in
                if let self { end(self) }
            }
        }
    }

    /// Ends it, waits for its notifications to be off, and finishes.
    func end(_ error: (any Error)?) {
        guard close() else { return }
        // What still waits to be written is not asked for any more.
        if error != nil, let write { queue.cancel(write, .cancelled) }
        listens.endListen(characteristic, of: id) { [self] result in
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
        finish(error.map { subject.named($0, link.subject) })
    }

    /// False when it is over already.
    private func close() -> Bool {
        guard !isOver else { return false }
        isOver = true
        timer = nil
        listens.remove(self)
        return true
    }

    private var isInstalled: Bool {
        listens.isInstalled(id, to: characteristic)
    }
}
