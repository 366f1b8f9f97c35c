internal import BluejayCore
internal import BluejayGLib
internal import FoundationEssentials
internal import Synchronization

/// Accepts one answer from any thread, or sends the default answer when time runs out.
// Everything but the atomic flag is used on the context only: the invariant behind `@unchecked`.
final class RequestResponder<Value: Swift.Sendable>: PendingRequest, @unchecked Swift.Sendable {
    enum Outcome: Swift.Sendable {
        case success(Value)
        case failure(ATTError)
        /// The request was released, or timed out.
        case unanswered
        /// The queue of the asynchronous handler is full.
        case queueFull
        /// The central has disconnected.
        case centralDisconnected
    }

    let context: MainContext
    private let isCompleted = Atomic(false)
    private var onCompletion: ((RequestResponder, Outcome) -> Void)?
    private var timer: ScheduledTimer?
    private let isAwaited: Bool

    /// - Parameters:
    ///   - context: The context of `onCompletion`.
    ///   - clock: The clock for the time limit.
    ///   - timeout: The time limit.
    ///   - isAwaited: Whether bluetoothd waits for the answer; if not, neither the time limit nor a
    ///     disconnection ends the request.
    ///   - onCompletion: Called once.
    init(
        on context: MainContext,
        clock: any EventClock,
        timeout: Duration = ResponseTimeout.initial,
        isAwaited: Bool = true,
        _ onCompletion: @escaping (RequestResponder, Outcome) -> Void
    ) {
        self.context = context
        self.isAwaited = isAwaited
        self.onCompletion = onCompletion
        guard isAwaited else { return }
        timer = clock.schedule(after: timeout) { [weak self] in
            self?.complete(.unanswered)
        }
    }

    var isEnded: Bool { isCompleted.load(ordering: .relaxed) }

    /// Returns false if the request was answered before.
    @discardableResult
    func complete(_ outcome: Outcome) -> Bool {
        // The first answer counts: the last reference may be released on the context while another thread's
        // answer is on its way there.
        guard !isCompleted.exchange(true, ordering: .relaxed) else { return false }
        if context.isCurrent {
            deliver(outcome)
        } else {
            context.post { self.deliver(outcome) }
        }
        return true
    }

    func centralDisconnected() {
        if isAwaited { complete(.centralDisconnected) }
    }

    private func deliver(_ outcome: Outcome) {
        timer = nil
        let completion = onCompletion
        onCompletion = nil
        completion?(self, outcome)
    }
}
