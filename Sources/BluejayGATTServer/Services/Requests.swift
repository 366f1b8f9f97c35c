public import BluejayCore
internal import BluejayGLib
public import FoundationEssentials
internal import Synchronization

/// A central's read of a characteristic or descriptor, which waits for an answer.
///
/// It is answered once, from any thread; further answers are ignored. When it is let go unanswered, or
/// after five seconds, the central gets ``ATTError/unlikelyError``, because its link is blocked until
/// then.
///
/// ```swift
/// onRead: { request in Task { request.respond(with: await store.value()) } }
/// ```
public final class ReadRequest: Swift.Sendable {
    /// Who reads; nil when BlueZ did not say.
    public let central: PeripheralIdentifier?
    /// Where in the value the central's read begins; for information, the server cuts the value.
    public let offset: Int
    /// The ATT MTU of the central's link; nil before BlueZ 5.59.
    public let mtu: Int?

    private let answer: RequestAnswer<Data>

    init(_ origin: RequestOrigin, answer: RequestAnswer<Data>) {
        central = origin.central
        offset = origin.offset
        mtu = origin.mtu
        self.answer = answer
    }

    deinit {
        answer.give(.unanswered)
    }

    /// Answers with the whole value, from its first byte, whatever ``offset`` is.
    ///
    /// A long value is read in parts: the parts after the first are cut from the same value, so that
    /// they fit together.
    ///
    /// - Parameter value: At most 512 bytes; the central gets an error instead of a longer one.
    public func respond(with value: Data) {
        answer.give(.success(value))
    }

    /// Refuses the read.
    ///
    /// - Parameter error: BlueZ can send 0x02, 0x06, 0x07, 0x08, 0x0D, 0x0E, 0x80 to 0x9F, 0xFE and,
    ///   after 5.66, 0xFD; any other code reaches the central as 0x0E.
    public func refuse(_ error: ATTError) {
        answer.give(.failure(error))
    }
}

/// A central's write of a characteristic or descriptor, which waits for an answer.
///
/// It is answered once, from any thread, and within five seconds, as a ``ReadRequest`` is. BlueZ does
/// not say whether the central waits for the answer.
public final class WriteRequest: Swift.Sendable {
    /// Who writes; nil when BlueZ did not say.
    public let central: PeripheralIdentifier?
    /// Where in the value the written bytes begin.
    public let offset: Int
    /// The ATT MTU of the central's link; nil before BlueZ 5.59.
    public let mtu: Int?
    /// The written bytes, at most 512; the parts of a long write are joined.
    ///
    /// BlueZ 5.66 refuses a write of 511 or 512 bytes by itself when it comes in one request.
    public let value: Data
    /// Whether BlueZ only asks if it may take a part of a long write.
    ///
    /// The value is not to be used, and BlueZ 5.66 leaves it empty: all parts come together in a
    /// request of their own.
    /// Only with the property ``AttributeProperties/authorize``.
    public let isQuestion: Bool

    private let answer: RequestAnswer<Void>

    init(_ origin: RequestOrigin, value: Data, isQuestion: Bool, answer: RequestAnswer<Void>) {
        central = origin.central
        offset = origin.offset
        mtu = origin.mtu
        self.value = value
        self.isQuestion = isQuestion
        self.answer = answer
    }

    deinit {
        answer.give(.unanswered)
    }

    /// Accepts the write.
    public func accept() {
        answer.give(.success(()))
    }

    /// Refuses the write.
    ///
    /// - Parameter error: BlueZ can send 0x03, 0x06, 0x07, 0x08, 0x0D, 0x0E, 0x80 to 0x9F, 0xFE and,
    ///   after 5.66, 0xFD; any other code reaches the central as 0x0E.
    public func refuse(_ error: ATTError) {
        answer.give(.failure(error))
    }
}

/// Who asks, and for which part.
struct RequestOrigin {
    var central: PeripheralIdentifier?
    var offset: Int
    var mtu: Int?
}

/// Takes one answer from any thread, or gives the default one when the time is over.
// What it holds is touched on the context only, but for the flag that any thread may set once.
final class RequestAnswer<Value: Swift.Sendable>: @unchecked Swift.Sendable {
    enum Outcome: Swift.Sendable {
        case success(Value)
        case failure(ATTError)
        /// Let go, or too late.
        case unanswered
    }

    /// Long before the 30 s after which ATT gives the link up.
    static var limit: Duration { .seconds(5) }

    private let context: MainContext
    private let isGiven = Atomic(false)
    private var onAnswer: ((Outcome) -> Void)?
    private var timer: ScheduledTimer?

    init(
        on context: MainContext,
        clock: any EventClock,
        _ onAnswer: @escaping (Outcome) -> Void
    ) {
        self.context = context
        self.onAnswer = onAnswer
        timer = clock.schedule(after: Self.limit) { [weak self] in
            self?.give(.unanswered)
        }
    }

    func give(_ outcome: Outcome) {
        // The first counts: the last reference may be let go on the context while an answer of another
        // thread is on its way there.
        guard !isGiven.exchange(true, ordering: .relaxed) else { return }
        if context.isCurrent { return take(outcome) }
        context.post { self.take(outcome) }
    }

    private func take(_ outcome: Outcome) {
        timer = nil
        let onAnswer = onAnswer
        self.onAnswer = nil
        onAnswer?(outcome)
    }
}
