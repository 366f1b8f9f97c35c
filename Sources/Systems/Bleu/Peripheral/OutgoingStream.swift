internal import BluejayBlueZ
internal import FoundationEssentials

/// The elements of a stream on their way from their producer to one central.
///
/// Confined to the loop of the host.
final class OutgoingStream {
    enum Part {
        /// An element as JSON.
        case element(UInt32, Data)
        /// The end of the producer, with its error.
        case end(ThrownError?)
    }

    typealias Send = (Part, @escaping (_ isSent: Bool) -> Void) -> Void
    private typealias Element = Result<Data?, ThrownError>

    private let producer: ElementProducer
    private let tasks: LoopTasks
    private let send: Send
    private let onEnd: () -> Void
    private var sender = StreamSender()
    private var task: Task<Void, Never>?
    private var isSending = false

    /// - Parameters:
    ///   - producer: The producer of the elements.
    ///   - tasks: Starts the tasks that wait for elements.
    ///   - send: Sends a message of the stream.
    ///   - onEnd: Called once if the producer has ended, or if an element cannot be sent; stops the stream.
    init(
        _ producer: ElementProducer,
        _ tasks: LoopTasks,
        send: @escaping Send,
        onEnd: @escaping () -> Void
    ) {
        self.producer = producer
        self.tasks = tasks
        self.send = send
        self.onEnd = onEnd
    }

    func start() {
        guard !isSending, sender.pull() else { return }
        task = pull { [weak self] in self?.pulled($0) }
    }

    /// The central accepts a number of elements in all.
    func credited(_ total: UInt32) {
        sender.granted(total)
        start()
    }

    /// The central grants no credits, and a period of the rate has passed.
    func refill() {
        sender.refill()
        start()
    }

    /// Ends the stream; `completion` is called when the producer has ended, at once if it has ended before.
    ///
    /// - Returns: The task that ends the producer, or `nil` if it has ended before.
    func stop(_ completion: @escaping () -> Void) -> Task<Void, Never>? {
        guard sender.end() else {
            completion()
            return nil
        }
        let last = task
        last?.cancel()
        // A producer ends if a cancelled task requests an element. The last request may have been faster
        // than its cancellation.
        let work: @Sendable () async -> Void = { [producer] in
            await last?.value
            while !Task.isCancelled { await Task.yield() }
            _ = try? await producer.next()
            producer.onEnd()
        }
        let ending = tasks.start(work, completion: completion)
        ending.cancel()
        return ending
    }

    private func pull(_ completion: @escaping (Element) -> Void) -> Task<Void, Never> {
        let work: @Sendable () async -> Element = { [producer] in
            do {
                return .success(try await producer.next())
            } catch {
                return .failure(ThrownError(error))
            }
        }
        return tasks.start(work, completion: completion)
    }

    private func pulled(_ element: Element) {
        task = nil
        switch element {
        case .success(let json?):
            guard let number = sender.pulled() else { return }
            sendElement(number, json)
        case .success(nil): end(nil)
        case .failure(let error): end(error)
        }
    }

    private func sendElement(_ number: UInt32, _ json: Data) {
        isSending = true
        send(.element(number, json)) { [weak self] isSent in
            guard let self else { return }
            isSending = false
            if isSent { start() } else { onEnd() }
        }
    }

    private func end(_ error: ThrownError?) {
        guard sender.end() else { return }
        producer.onEnd()
        send(.end(error)) { _ in }
        onEnd()
    }
}
