public import BluejayCore
internal import BluejayGLib
public import FoundationEssentials
internal import Synchronization

/// A central's read of a characteristic or descriptor, which awaits an answer.
///
/// Any thread may answer; only the first answer counts. If the request is released unanswered, or not
/// answered within 4.5 seconds, the central receives ``ATTError/unlikelyError``. Until then its link is
/// blocked; bluetoothd itself times out after five seconds.
///
/// ```swift
/// onRead: { request in Task { request.respond(with: await store.value()) } }
/// ```
public final class ReadRequest: Swift.Sendable {
    /// The central that reads; nil if BlueZ did not report it.
    public let central: PeripheralIdentifier?
    /// The offset of the central's read, for information: the server slices the value.
    public let offset: Int
    /// The ATT MTU of the central's link; nil before BlueZ 5.59.
    public let mtu: Int?

    /// Whether the request was answered, has exceeded its 4.5 seconds, or has lost its central.
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

    /// Answers with the whole value, from its first byte, regardless of ``offset``.
    ///
    /// A long value is read in parts, which are all taken from this value.
    ///
    /// - Parameter value: At most 512 bytes; for a longer value, the central receives an error.
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

/// A central's write of a characteristic or descriptor, which awaits an answer.
///
/// Like a ``ReadRequest``, it is answered once, from any thread, within 4.5 seconds. BlueZ does not report
/// whether the central waits. With ``AttributeProperties/writeWithoutResponse``, BlueZ confirms each write
/// itself, and the request has no time limit and outlasts its central's link.
///
/// A slow handler applies the value only if the write is still valid:
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
    /// The central that writes; nil if BlueZ did not report it.
    public let central: PeripheralIdentifier?
    /// The offset of the written bytes in the value.
    public let offset: Int
    /// The ATT MTU of the central's link; nil before BlueZ 5.59.
    public let mtu: Int?
    /// The written bytes, at most 512; the parts of a long write are joined.
    ///
    /// BlueZ 5.66 refuses a write of 511 or 512 bytes in one request.
    public let value: Data
    /// Whether BlueZ only asks for permission for a part of a long write.
    ///
    /// The value must not be used, and BlueZ 5.66 leaves it empty: all parts arrive together in a separate
    /// request. Only with ``AttributeProperties/authorize``.
    public let isQuestion: Bool
    /// Whether the request was answered, has exceeded its 4.5 seconds, or has lost its central.
    ///
    /// If the program did not answer, the value must not be applied: the write was refused, or the central is
    /// gone.
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
    /// The first answer of any thread counts, so this also decides between the time limit and a late handler.
    ///
    /// - Returns: Whether bluetoothd receives this answer; apply the value only then.
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

struct RequestOrigin {
    var central: PeripheralIdentifier?
    var offset: Int
    var mtu: Int?
}

/// A request of a central, for the queue of an asynchronous handler.
protocol CentralRequest: Swift.Sendable {
    var isOver: Bool { get }
    var context: MainContext { get }
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

/// Accepts one answer from any thread, or gives the default answer when time runs out.
// Everything but the atomic flag is used on the context only: the invariant behind `@unchecked`.
final class RequestResponder<Value: Swift.Sendable>: OpenRequest, @unchecked Swift.Sendable {
    enum Outcome: Swift.Sendable {
        case success(Value)
        case failure(ATTError)
        /// The request was released, or timed out.
        case unanswered
        /// The queue of the asynchronous handler is full.
        case tooMany
        /// The central has disconnected.
        case left
    }

    let context: MainContext
    private let isGiven = Atomic(false)
    private var onAnswer: ((RequestResponder, Outcome) -> Void)?
    private var timer: ScheduledTimer?
    private let isAwaited: Bool

    /// - Parameters:
    ///   - context: The context of `onAnswer`.
    ///   - clock: The clock for the time limit.
    ///   - isAwaited: Whether bluetoothd waits for the answer; if not, neither the time limit nor a
    ///     disconnection ends the request.
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

    var isOver: Bool { isGiven.load(ordering: .relaxed) }

    /// Returns false if the request was answered before.
    @discardableResult
    func give(_ outcome: Outcome) -> Bool {
        // The first answer counts: the last reference may be released on the context while another thread's
        // answer is on its way there.
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

/// The time limit for the program's answers.
enum AnswerLimit {
    /// Shorter than bluetoothd's five seconds.
    ///
    /// After five seconds bluetoothd 5.66 crashes if the link of the unanswered request has ended. Only an
    /// answer before the end of the link prevents that.
    static let duration = Duration.milliseconds(4_500)
}
