public import BluejayCore
internal import BluejayGLib
public import FoundationEssentials
internal import Synchronization

/// A central's read of a characteristic or descriptor, which awaits an answer.
///
/// Any thread may answer; only the first answer counts. If the request is released unanswered, or not
/// answered within ``LocalCharacteristic/responseTimeout``, the central receives ``ATTError/unlikelyError``.
/// Until then its link is blocked; bluetoothd itself times out after five seconds.
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

    /// Whether the request was answered, has exceeded its time limit, or has lost its central.
    public var isOver: Bool { responder.isEnded }

    fileprivate let responder: RequestResponder<Data>

    init(_ origin: RequestOrigin, responder: RequestResponder<Data>) {
        central = origin.central
        offset = origin.offset
        mtu = origin.mtu
        self.responder = responder
    }

    deinit {
        responder.complete(.unanswered)
    }

    /// Answers with the whole value, from its first byte, regardless of ``offset``.
    ///
    /// A long value is read in parts, which are all taken from this value.
    ///
    /// - Parameter value: At most 512 bytes; for a longer value, the central receives an error.
    public func respond(with value: Data) {
        responder.complete(.success(value))
    }

    /// Refuses the read.
    ///
    /// - Parameter error: BlueZ can send 0x02, 0x06, 0x07, 0x08, 0x0D, 0x0E, 0x80 to 0x9F, 0xFE and,
    ///   from 5.76 on, 0xFD; any other code reaches the central as 0x0E.
    public func reject(_ error: ATTError) {
        responder.complete(.failure(error))
    }
}

/// A central's write of a characteristic or descriptor, which awaits an answer.
///
/// Like a ``ReadRequest``, it is answered once, from any thread, in time. BlueZ does not report whether the
/// central waits. With ``AttributeProperties/writeWithoutResponse``, BlueZ confirms each write
/// itself, and the request has no time limit and outlasts its central's link.
///
/// A slow handler applies the value only if the write is still valid:
///
/// ```swift
/// onWrite: { request in
///     guard await store.permits(request.value) else {
///         return request.reject(ATTError(code: 0x80))
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
    public let isPrepareAuthorization: Bool
    /// Whether the request was answered, has exceeded its time limit, or has lost its central.
    ///
    /// If the program did not answer, the value must not be applied: the write was refused, or the central is
    /// gone.
    public var isOver: Bool { responder.isEnded }

    fileprivate let responder: RequestResponder<Void>

    init(
        _ origin: RequestOrigin,
        value: Data,
        isPrepareAuthorization: Bool,
        responder: RequestResponder<Void>
    ) {
        central = origin.central
        offset = origin.offset
        mtu = origin.mtu
        self.value = value
        self.isPrepareAuthorization = isPrepareAuthorization
        self.responder = responder
    }

    deinit {
        responder.complete(.unanswered)
    }

    /// Accepts the write.
    public func accept() {
        responder.complete(.success(()))
    }

    /// Accepts the write unless it is over.
    ///
    /// The first answer of any thread counts, so this also decides between the time limit and a late handler.
    ///
    /// - Returns: Whether bluetoothd receives this answer; apply the value only then.
    public func acceptIfWaiting() -> Bool {
        responder.complete(.success(()))
    }

    /// Refuses the write.
    ///
    /// - Parameter error: BlueZ can send 0x03, 0x06, 0x07, 0x08, 0x0D, 0x0E, 0x80 to 0x9F, 0xFE and,
    ///   from 5.76 on, 0xFD; any other code reaches the central as 0x0E.
    public func reject(_ error: ATTError) {
        responder.complete(.failure(error))
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
    func rejectOverflow()
}

extension ReadRequest: CentralRequest {
    var context: MainContext { responder.context }
    func rejectOverflow() { responder.complete(.queueFull) }
}

extension WriteRequest: CentralRequest {
    var context: MainContext { responder.context }
    func rejectOverflow() { responder.complete(.queueFull) }
}

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

/// The time limit for the program's answers.
enum ResponseTimeout {
    /// bluetoothd crashes if the link of an unanswered request ends, so that requests must be short.
    static let initial = Duration.milliseconds(900)
    /// Shorter than bluetoothd's five seconds.
    private static let maximum = Duration.milliseconds(4_500)

    static func bounded(_ timeout: Duration) -> Duration { min(max(timeout, .zero), maximum) }
}
