internal import BluejayDBus
internal import BluejayGLib
internal import FoundationEssentials

/// The pending attribute calls: each has been sent to bluetoothd or waits for a timer.
final class AttributeCalls {
    typealias CallNumber = AttributeStateMachine.CallNumber

    private struct Entry {
        var sent: BusCall?
        var timer: ScheduledTimer?
        /// The dispatcher whose values wait for the reply to a read.
        var bufferingDispatcher: ValueDispatcher?
        var isRead = false
        /// Whether the caller of the read no longer waits, and neither do the values.
        var isAbandoned = false
    }

    /// Calls a closure when the signals about removed objects have arrived; set once by the link.
    var afterSignals: ((@escaping () -> Void) -> Void)?
    private var entries = NumberTable<Entry>()
    /// The value of the reply whose actions are being performed.
    private(set) var replyValue = Data()
    private let client: BlueZClient
    private let executor: LinkExecutor
    private let log: Log

    init(_ context: LinkContext) {
        client = context.client
        executor = context.executor
        log = context.log
    }

    // MARK: Sending

    /// Sends a call; without `prepared` it fails with `objectRemoved`.
    ///
    /// Values of `dispatcher` wait for the reply.
    func send(
        _ call: CallNumber,
        _ prepared: CallTemplate?,
        within timeout: Duration,
        buffering dispatcher: ValueDispatcher? = nil,
        isRead: Bool = false
    ) {
        guard let prepared else { return finishLater(call, .objectRemoved) }
        let sent = client.call(prepared, timeout: timeout) { [weak self] in self?.replied(call, $0)
        }
        entries[call] = Entry(sent: sent, bufferingDispatcher: dispatcher, isRead: isRead)
    }

    /// Sends a write; without a prepared call it fails with `objectRemoved`.
    func send(
        _ call: CallNumber,
        _ prepared: BytesCallTemplate?,
        _ value: Data,
        within timeout: Duration
    ) {
        guard let prepared else { return finishLater(call, .objectRemoved) }
        let sent = client.call(prepared, value, timeout: timeout) { [weak self] in
            self?.replied(call, $0)
        }
        entries[call] = Entry(sent: sent)
    }

    /// Sends a call and invokes `before` when its reply arrives.
    func send(
        _ call: CallNumber,
        _ prepared: CallTemplate,
        within timeout: Duration,
        before: @escaping () -> Void
    ) {
        let sent = client.call(prepared, timeout: timeout) { [weak self] in
            before()
            self?.replied(call, $0)
        }
        entries[call] = Entry(sent: sent)
    }

    /// Sends a method call whose reply does not end the call.
    func send(
        _ call: CallNumber,
        _ method: MethodCall,
        within timeout: Duration,
        reply: @escaping (CallResult) -> Void
    ) {
        let sent = client.call(method, timeout: timeout) { [weak self] result in
            guard let self else { return }
            entries[call] = nil
            switch result {
            case .success: executor.replied(nil)
            case .failure(let error): executor.replied(BlueZFailure(error))
            }
            reply(result)
        }
        entries[call] = Entry(sent: sent)
    }

    func wait(_ call: CallNumber, for delay: Duration, _ work: @escaping () -> Void) {
        let timer = client.clock.schedule(after: delay) { [weak self] in
            guard let self else { return }
            entries[call] = nil
            work()
        }
        entries[call] = Entry(timer: timer)
    }

    // MARK: Ending

    func finish(_ call: CallNumber, _ result: Result<Data, BlueZFailure>) {
        switch result {
        case .success(let value):
            replyValue = value
            finish(call, nil)
        case .failure(let failure): finish(call, failure)
        }
    }

    /// Ends a call; nil is success.
    func finish(_ call: CallNumber, _ failure: BlueZFailure?) {
        entries[call] = nil
        report(call, failure)
    }

    /// Reports the end of a call to the machine.
    ///
    /// An object may be gone because its link has ended, which bluetoothd signals last.
    private func report(_ call: CallNumber, _ failure: BlueZFailure?) {
        guard failure == .objectRemoved, let afterSignals else {
            return executor.handleAttributes { $0.replied(call, failure, now: $1) }
        }
        afterSignals { [weak self] in
            self?.executor.handleAttributes { $0.replied(call, failure, now: $1) }
        }
    }

    /// Ends a call on the next iteration; nil is success.
    func finishLater(_ call: CallNumber, _ failure: BlueZFailure?) {
        entries[call] = nil
        client.clock.onNextIteration { [weak self] in self?.finish(call, failure) }
    }

    func cancel(_ call: CallNumber) {
        guard let entry = entries.removeValue(forKey: call) else { return }
        if let sent = entry.sent { client.cancel(sent) }
        entry.bufferingDispatcher?.readEnded(nil, isAbandoned: entry.isAbandoned)
    }

    /// Delivers the values that wait for the reply to a read whose caller no longer waits.
    func abandonRead(_ call: CallNumber) {
        guard let entry = entries[call], !entry.isAbandoned,
            let dispatcher = entry.bufferingDispatcher
        else { return }
        entries[call]?.isAbandoned = true
        dispatcher.readAbandoned(client.clock)
    }

    private func replied(_ call: CallNumber, _ result: ReplyResult) {
        let entry = entries.removeValue(forKey: call)
        var failure: BlueZFailure?
        switch result {
        case .failure(let error):
            failure = BlueZFailure(error)
            guard let dispatcher = entry?.bufferingDispatcher else { break }
            dispatcher.readEnded(nil, isAbandoned: entry?.isAbandoned == true)
            dispatcher.logDroppedValues(to: log)
        case .success(let message):
            guard let entry, entry.isRead else { break }
            replyValue = message.reader.data() ?? Data()
            guard let dispatcher = entry.bufferingDispatcher else { break }
            dispatcher.readEnded(replyValue, isAbandoned: entry.isAbandoned)
            dispatcher.logDroppedValues(to: log)
        }
        if case .objectRemoved = failure {
            report(call, failure)
        } else {
            executor.replied(call, failure)
        }
    }
}

extension ValueDispatcher {
    func logDroppedValues(to log: Log) {
        let count = drainDroppedCount()
        guard count > 0 else { return }
        log.warning(
            "values dropped: buffer full while a reply was pending",
            ["count": "\(count)"]
        )
    }
}
