public import BluejayCore
internal import BluejayGLib
public import FoundationEssentials
internal import Synchronization

/// A central's read of a characteristic or descriptor, which waits for an answer.
///
/// It is answered once, from any thread; further answers are ignored. If it is released unanswered, or not
/// answered within 4.5 seconds, the central gets ``ATTError/unlikelyError``: its link is blocked until
/// then, and bluetoothd itself gives up after five seconds.
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

    /// Whether no answer is awaited any more: it was answered, its 4.5 seconds are over, or its central has
    /// left.
    public var isOver: Bool { answer.isOver }

    fileprivate let answer: RequestResponder<Data>

    init(_ origin: RequestOrigin, answer: RequestResponder<Data>) {
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
/// It is answered once, from any thread, and within 4.5 seconds, as a ``ReadRequest`` is. BlueZ does
/// not say whether the central waits for the answer, unless the characteristic has
/// ``AttributeProperties/writeWithoutResponse``: then it confirms each write itself, and the request has
/// no time limit and outlasts its central's link.
///
/// A handler that takes its time applies the value only if the write still counts:
///
/// ```swift
/// onWrite: { request in
///     guard await store.permits(request.value) else {
///         return request.refuse(ATTError(code: 0x80))
///     }
///     if request.acceptIfWaiting() { await store.set(request.value) }
/// }
/// ```
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
    /// Whether no answer is awaited any more: it was answered, its 4.5 seconds are over, or its central has
    /// left.
    ///
    /// A central whose request is over without an answer of the program was refused, or is gone: the value is
    /// not to be applied.
    public var isOver: Bool { answer.isOver }

    fileprivate let answer: RequestResponder<Void>

    init(_ origin: RequestOrigin, value: Data, isQuestion: Bool, answer: RequestResponder<Void>) {
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

    /// Accepts the write unless it is over.
    ///
    /// Of several answers from several threads one counts, so this decides between a time limit and a
    /// late handler, too.
    ///
    /// - Returns: Whether this is the answer that bluetoothd gets; the value is to be applied then.
    public func acceptIfWaiting() -> Bool {
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

/// A request of a central, for the queue of an asynchronous handler.
protocol CentralRequest: Swift.Sendable {
    var isOver: Bool { get }
    /// The loop on which the request came.
    var context: MainContext { get }
    /// Refuses it because too many wait.
    func refuseOneMore()
}

extension ReadRequest: CentralRequest {
    var context: MainContext { answer.context }
    func refuseOneMore() { answer.give(.tooMany) }
}

extension WriteRequest: CentralRequest {
    var context: MainContext { answer.context }
    func refuseOneMore() { answer.give(.tooMany) }
}

/// Takes one answer from any thread, or gives the default one when the time is over.
// What it holds is touched on the context only, but for the flag that any thread may set once.
final class RequestResponder<Value: Swift.Sendable>: OpenRequest, @unchecked Swift.Sendable {
    enum Outcome: Swift.Sendable {
        case success(Value)
        case failure(ATTError)
        /// Released, or too late.
        case unanswered
        /// The queue of the handler is full.
        case tooMany
        /// The central has left.
        case left
    }

    let context: MainContext
    private let isGiven = Atomic(false)
    private var onAnswer: ((RequestResponder, Outcome) -> Void)?
    private var timer: ScheduledTimer?
    private let isAwaited: Bool

    /// - Parameters:
    ///   - context: Where `onAnswer` is called.
    ///   - clock: Counts the time.
    ///   - isAwaited: Whether bluetoothd waits for the answer; if not, neither time nor the end of the
    ///     link ends the request.
    ///   - onAnswer: Called once.
    init(
        on context: MainContext,
        clock: any EventClock,
        isAwaited: Bool = true,
        _ onAnswer: @escaping (RequestResponder, Outcome) -> Void
    ) {
        self.context = context
        self.isAwaited = isAwaited
        self.onAnswer = onAnswer
        guard isAwaited else { return }
        timer = clock.schedule(after: AnswerLimit.duration) { [weak self] in
            self?.give(.unanswered)
        }
    }

    /// Whether it was given.
    var isOver: Bool { isGiven.load(ordering: .relaxed) }

    /// Answers it; false when it was answered before.
    @discardableResult
    func give(_ outcome: Outcome) -> Bool {
        // The first counts: the last reference may be let go on the context while an answer of another
        // thread is on its way there.
        guard !isGiven.exchange(true, ordering: .relaxed) else { return false }
        if context.isCurrent {
            take(outcome)
        } else {
            context.post { self.take(outcome) }
        }
        return true
    }

    func centralLeft() {
        if isAwaited { give(.left) }
    }

    private func take(_ outcome: Outcome) {
        timer = nil
        let onAnswer = onAnswer
        self.onAnswer = nil
        onAnswer?(self, outcome)
    }
}

/// How long the program may take for an answer.
enum AnswerLimit {
    /// Less than bluetoothd's five seconds.
    ///
    /// bluetoothd 5.66 crashes then if the link of an unanswered request has ended; an answer before the
    /// end of the link prevents it, one behind it does not.
    static let duration = Duration.milliseconds(4_500)
}
