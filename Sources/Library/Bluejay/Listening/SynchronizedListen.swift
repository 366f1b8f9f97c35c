internal import BluejayGLib
internal import FoundationEssentials

/// A listen for which a background task waits.
///
/// It is confined to the loop. However it ends, its notifications are off before `finish` is called, exactly
/// once.
final class SynchronizedListen {
    enum Verdict {
        case keepListening
        case done
        case fail(any Error)
    }

    private let listens: ListenRegistry
    private let queue: QueueRunner
    private let link: ConnectedLink
    private let clock: any EventClock
    private let characteristic: CharacteristicIdentifier
    private let receive: (Data) -> Verdict
    private let finish: ((any Error)?) -> Void
    private var id = 0
    private var isEnded = false
    private var timer: ScheduledTimer?
    private var write: QueueStateMachine.ID?

    init(
        _ characteristic: CharacteristicIdentifier,
        listens: ListenRegistry,
        queue: QueueRunner,
        link: ConnectedLink,
        clock: any EventClock,
        receive: @escaping (Data) -> Verdict,
        finish: @escaping ((any Error)?) -> Void
    ) {
        self.listens = listens
        self.queue = queue
        self.link = link
        self.clock = clock
        self.characteristic = characteristic
        self.receive = receive
        self.finish = finish
    }

    /// Starts the listen; `installed` is called when the notifications are on.
    func start(installed: (() -> Void)? = nil) {
        listens.add(self)
        id = queue.nextID
        listens.listen(
            characteristic,
            .trap,
            Listener(receivesEnd: true) { [self] event in
                switch event {
                case .installed: installed?()
                case .setUpCompleted: break
                case .value(let value): received(value)
                case .failure(let error): complete(error)
                case .ended(let error):
                    // A broadcast error does not end an installed listen.
                    if !isInstalled { complete(error) }
                }
            }
        )
    }

    /// Writes the request for the awaited values; a failed write ends the listen.
    func write(_ make: (@escaping (WriteResult) -> Void) -> WriteOperation) {
        let operation = make { [self] result in
            write = nil
            if case .failure(let error) = result { end(error) }
        }
        write = queue.enqueue(operation)
    }

    /// Calls `end` after a time limit, in place of an earlier limit.
    func arm(_ timeout: Duration?, _ end: @escaping (SynchronizedListen) -> Void) {
        timer = timeout.map { timeout in
            clock.schedule(after: timeout) { [weak self] in
                if let self { end(self) }
            }
        }
    }

    /// Ends the listen, waits until its notifications are off, and finishes.
    func end(_ error: (any Error)?) {
        guard close() else { return }
        // A write that is still queued is no longer needed.
        if error != nil, let write { queue.cancel(write, .cancelled) }
        listens.endListen(characteristic, of: id) { [self] result in
            guard case .failure(let ending) = result else { return reportEnd(error) }
            reportEnd(error ?? ending)
        }
    }

    private func received(_ value: Data) {
        guard !isEnded else { return }
        switch receive(value) {
        case .keepListening: break
        case .done: end(nil)
        case .fail(let error): end(error)
        }
    }

    // The listen was rejected, or ended from outside, so its notifications are off.
    private func complete(_ error: any Error) {
        if close() { reportEnd(error) }
    }

    private func reportEnd(_ error: (any Error)?) {
        let subject = ErrorSubject(.listen, characteristic)
        finish(error.map { subject.annotate($0, link.subject) })
    }

    /// Marks the listen as over; returns false if it already was.
    private func close() -> Bool {
        guard !isEnded else { return false }
        isEnded = true
        timer = nil
        listens.remove(self)
        return true
    }

    private var isInstalled: Bool {
        listens.isInstalled(id, to: characteristic)
    }
}
