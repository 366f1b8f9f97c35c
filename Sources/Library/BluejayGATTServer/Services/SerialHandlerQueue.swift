internal import BluejayCore
internal import BluejayGLib

/// Runs asynchronous handlers one at a time, in the order of the requests.
// `hold` is used on the loop only: the invariant behind `@unchecked`.
final class SerialHandlerQueue: @unchecked Swift.Sendable {
    /// The maximum number of waiting requests; further ones are refused.
    static let maximumRequestCount = 256

    private let continuation: AsyncStream<@Sendable () async -> Void>.Continuation

    /// Stops a virtual clock while a request waits or is handled; nil with the system clock.
    private var hold: ClockHold?

    init() {
        let (stream, continuation) = AsyncStream.makeStream(
            of: (@Sendable () async -> Void).self,
            bufferingPolicy: .bufferingOldest(Self.maximumRequestCount)
        )
        self.continuation = continuation
        Task { for await work in stream { await work() } }
    }

    deinit {
        continuation.finish()
    }

    private func hold(on context: MainContext) -> ClockHold? {
        hold = hold ?? ClockHold(on: context)
        return hold
    }

    /// Returns a handler that enqueues requests here, and skips those that end while they wait.
    func handler<Request: CentralRequest>(
        _ handle: (@Sendable (Request) async -> Void)?
    ) -> ((Request) -> Void)? {
        guard let handle else { return nil }
        return { [self] request in
            let hold = hold(on: request.context)
            hold?.startWork()
            let result = continuation.yield {
                if !request.isOver { await ClockHold.during(hold) { await handle(request) } }
                hold?.endWork()
            }
            if case .dropped = result {
                request.rejectOverflow()
                hold?.endWork()
            }
        }
    }
}
