internal import FoundationEssentials

/// The writes of a long value in pieces, as one operation of the queue.
final class SplitWriteOperation: QueuedOperation {
    let timeout: Timeout
    var subject: ErrorSubject { call.subject }
    var callDetails: SharedCallDetails? { call }
    var byteCount: Int? { value.count }

    private let call: SharedCallDetails
    private let value: Data
    private let pieceLength: Int?
    private let link: ConnectedLink
    private let makeWrite: (Data) -> WriteOperation
    private let progress: (Int) -> Void
    private let completion: (WriteResult) -> Void
    private var onEnd: ((BluejayError?) -> Void)?
    private var written = 0
    private var current: WriteOperation?
    private var hasBegun = false
    private var isLooping = false
    private var isAborted = false

    /// - Parameters:
    ///   - call: The characteristic.
    ///   - link: The link, whose MTU limits the pieces.
    ///   - value: The whole value.
    ///   - pieceLength: The length of a piece; nil is the longest one of a single packet.
    ///   - timeout: The limit for all pieces.
    ///   - makeWrite: Creates the write of one piece.
    ///   - progress: Called with the number of bytes after each piece.
    ///   - completion: Called once.
    init(
        _ call: SharedCallDetails,
        _ link: ConnectedLink,
        value: Data,
        pieceLength: Int?,
        timeout: Timeout,
        makeWrite: @escaping (Data) -> WriteOperation,
        progress: @escaping (Int) -> Void,
        completion: @escaping (WriteResult) -> Void
    ) {
        self.call = call
        self.link = link
        self.value = value
        self.pieceLength = pieceLength
        self.timeout = timeout
        self.makeWrite = makeWrite
        self.progress = progress
        self.completion = completion
    }

    func start(onEnd: @escaping (BluejayError?) -> Void) {
        self.onEnd = onEnd
        proceed()
    }

    /// Writes the next pieces, until one waits for bluetoothd.
    private func proceed() {
        guard !isLooping else { return }
        isLooping = true
        defer { isLooping = false }
        while onEnd != nil, current == nil {
            // An empty value is one empty write.
            guard written < value.count || !hasBegun else { return end(nil) }
            writePiece()
        }
    }

    private func writePiece() {
        hasBegun = true
        // A single packet has the same length for both types of write.
        let length = pieceLength ?? link.maximumWriteValueLength(.withoutResponse) ?? 20
        let piece = Data(value.dropFirst(written).prefix(max(1, length)))
        let write = makeWrite(piece)
        current = write
        // After an abort, the queue still waits for the reply.
        write.start { [self] error in
            current = nil
            write.complete(error)
            if error != nil || isAborted { return end(error) }
            written += piece.count
            progress(written)
            proceed()
        }
    }

    private func end(_ error: BluejayError?) {
        let onEnd = onEnd
        self.onEnd = nil
        onEnd?(error)
    }

    func abort() {
        isAborted = true
        current?.abort()
    }

    func complete(_ error: (any Error)?) {
        completion(error.map { .failure($0) } ?? .success)
    }
}
