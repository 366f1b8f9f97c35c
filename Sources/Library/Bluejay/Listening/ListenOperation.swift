/// A step of a listen in its turn: its set-up, or the start or the end of its notifications.
final class ListenOperation: QueuedOperation {
    let kind: QueueStateMachine.Kind
    let timeout: Timeout
    let subject: ErrorSubject

    private let perform: (_ onEnd: @escaping (BluejayError?) -> Void) -> Void
    private let completion: ((any Error)?) -> Void

    /// - Parameters:
    ///   - subject: The call and its characteristic.
    ///   - kind: `endOfListen` for the end of a listen whose listener is already removed.
    ///   - timeout: Counted from its turn.
    ///   - perform: Performs the step, and calls its argument once.
    ///   - completion: Called once.
    init(
        _ subject: ErrorSubject,
        kind: QueueStateMachine.Kind = .characteristic,
        timeout: Timeout = .none,
        perform: @escaping (_ onEnd: @escaping (BluejayError?) -> Void) -> Void,
        completion: @escaping ((any Error)?) -> Void
    ) {
        self.subject = subject
        self.kind = kind
        self.timeout = timeout
        self.perform = perform
        self.completion = completion
    }

    func start(onEnd: @escaping (BluejayError?) -> Void) { perform(onEnd) }

    func complete(_ error: (any Error)?) { completion(error) }
}
