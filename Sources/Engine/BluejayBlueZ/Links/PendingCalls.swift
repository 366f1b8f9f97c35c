internal import BluejayDBus
internal import BluejayGLib
internal import BluejayTables
internal import FoundationEssentials

/// The pending attribute calls: each has been sent to bluetoothd or waits for a timer.
final class PendingCalls {
    typealias Call = AttributeStateMachine.Call

    private struct Entry {
        var sent: BusCall?
        var timer: ScheduledTimer?
        /// The route whose values wait for the reply to a read.
        var heldRoute: ValueDispatcher?
        var isRead = false
    }

    private var entries = NumberTable<Entry>()
    /// The value of the reply whose actions are being performed.
    private(set) var answer = Data()
    private let client: BlueZClient
    private let executor: LinkExecutor
    private let log: Log

    init(_ client: BlueZClient, _ executor: LinkExecutor, _ log: Log) {
        self.client = client
        self.executor = executor
        self.log = log
    }

    // MARK: Sending

    /// Sends a call; without `prepared` it fails with `gone`.
    ///
    /// Values of `route` wait for the reply.
    func send(
        _ call: Call,
        _ prepared: CallTemplate?,
        within limit: Duration,
        holding route: ValueDispatcher? = nil,
        isRead: Bool = false
    ) {
        guard let prepared else { return finishLater(call, .gone) }
        let sent = client.call(prepared, timeout: limit) { [weak self] in self?.replied(call, $0) }
        entries[call] = Entry(sent: sent, heldRoute: route, isRead: isRead)
    }

    /// Sends a write; without a prepared call it fails with `gone`.
    func send(
        _ call: Call,
        _ prepared: BytesCallTemplate?,
        _ value: Data,
        within limit: Duration
    ) {
        guard let prepared else { return finishLater(call, .gone) }
        let sent = client.call(prepared, value, timeout: limit) { [weak self] in
            self?.replied(call, $0)
        }
        entries[call] = Entry(sent: sent)
    }

    /// Sends a call and invokes `before` when its reply arrives.
    func send(
        _ call: Call,
        _ prepared: CallTemplate,
        within limit: Duration,
        before: @escaping () -> Void
    ) {
        let sent = client.call(prepared, timeout: limit) { [weak self] in
            before()
            self?.replied(call, $0)
        }
        entries[call] = Entry(sent: sent)
    }

    /// Sends a method call whose reply does not end the call.
    func send(
        _ call: Call,
        _ method: MethodCall,
        within limit: Duration,
        reply: @escaping (CallResult) -> Void
    ) {
        let sent = client.call(method, timeout: limit) { [weak self] result in
            guard let self else { return }
            entries[call] = nil
            reply(result)
        }
        entries[call] = Entry(sent: sent)
    }

    func wait(_ call: Call, for delay: Duration, _ work: @escaping () -> Void) {
        let timer = client.clock.schedule(after: delay) { [weak self] in
            guard let self else { return }
            entries[call] = nil
            work()
        }
        entries[call] = Entry(timer: timer)
    }

    // MARK: Ending

    func finish(_ call: Call, _ result: Result<Data, BlueZFailure>) {
        switch result {
        case .success(let value):
            answer = value
            finish(call, nil)
        case .failure(let failure): finish(call, failure)
        }
    }

    /// Ends a call; nil is success.
    func finish(_ call: Call, _ failure: BlueZFailure?) {
        entries[call] = nil
        executor.handleAttributes { $0.answered(call, failure, now: $1) }
    }

    /// Ends a call on the next iteration; nil is success.
    func finishLater(_ call: Call, _ failure: BlueZFailure?) {
        entries[call] = nil
        client.clock.later { [weak self] in self?.finish(call, failure) }
    }

    func cancel(_ call: Call) {
        guard let entry = entries.removeValue(forKey: call) else { return }
        if let sent = entry.sent { client.cancel(sent) }
        entry.heldRoute?.readEnded(nil)
    }

    private func replied(_ call: Call, _ result: ReplyResult) {
        let entry = entries.removeValue(forKey: call)
        var failure: BlueZFailure?
        switch result {
        case .failure(let error):
            failure = BlueZFailure(error)
            guard let route = entry?.heldRoute else { break }
            route.readEnded(nil)
            route.logLoss(to: log)
        case .success(let message):
            guard let entry, entry.isRead else { break }
            answer = message.reader.data() ?? Data()
            guard let route = entry.heldRoute else { break }
            route.readEnded(answer)
            route.logLoss(to: log)
        }
        executor.handleAttributes { $0.answered(call, failure, now: $1) }
    }
}

extension ValueDispatcher {
    func logLoss(to log: Log) {
        let count = takeLoss()
        guard count > 0 else { return }
        log.warning(
            "values dropped: buffer full while a reply was pending",
            ["count": "\(count)"]
        )
    }
}
