public import BluejayCore
internal import BluejayGLib
public import FoundationEssentials

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

    private let responder: RequestResponder<Data>

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

extension ReadRequest: CentralRequest {
    var context: MainContext { responder.context }
    func rejectOverflow() { responder.complete(.queueFull) }
}
