public import BluejayCore
internal import BluejayGLib
public import FoundationEssentials

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

    private let responder: RequestResponder<Void>

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

extension WriteRequest: CentralRequest {
    var context: MainContext { responder.context }
    func rejectOverflow() { responder.complete(.queueFull) }
}
