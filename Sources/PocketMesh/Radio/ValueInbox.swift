internal import BluejayBlueZ
internal import FoundationEssentials

/// What a radio sends over one connection, on its way to who reads it.
///
/// It is used on the loop only.
final class ValueInbox {
    /// How many wait for a reader; of more the newest are lost.
    static let limit = 512

    /// How many were lost.
    private(set) var lostCount = 0
    /// What is read; nil until it is open.
    private(set) var stream: AsyncStream<Data>?
    private var continuation: AsyncStream<Data>.Continuation?
    private let log: Log

    init(_ log: Log) {
        self.log = log
    }

    /// The connection is there: values go into the stream from now on.
    func open() {
        let (stream, continuation) = AsyncStream<Data>.makeStream(
            bufferingPolicy: .bufferingOldest(Self.limit)
        )
        self.stream = stream
        self.continuation = continuation
    }

    func receive(_ value: Data) {
        guard !value.isEmpty, let continuation else { return }
        if case .enqueued = continuation.yield(value) { return }
        lostCount += 1
        guard lostCount == 1 else { return }
        log.warning("nobody reads what the radio sends; values are lost from now on")
    }

    func close() {
        continuation?.finish()
        continuation = nil
    }
}
