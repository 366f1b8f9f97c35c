internal import BluejayBlueZ
internal import BluejayGLib
internal import FoundationEssentials

/// The values of one connection to a radio, on their way to the reader.
typealias ReceivedValues = BoundedStream<Data>

extension BoundedStream<Data> {
    /// A stream that keeps 512 values and discards newer ones.
    static func receivedValues() -> ReceivedValues {
        ReceivedValues(bufferingPolicy: .bufferingOldest(512))
    }
}

extension StreamContinuation<Data> {
    /// Appends a value that is not empty, and logs the first loss.
    func receive(_ value: Data, _ log: Log) {
        guard !value.isEmpty, !yield(value), droppedCount == 1 else { return }
        log.warning("receive buffer full: dropping values")
    }
}
