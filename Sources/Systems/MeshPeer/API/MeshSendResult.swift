/// The immediate outcome of sending a value.
public enum MeshSendResult: Hashable, Swift.Sendable {
    /// The value is in the queue.
    ///
    /// For a write, ``MeshPeerEvent/written(_:count:)`` or ``MeshPeerEvent/writeFailed(_:reason:)`` reports
    /// the result. A notification is not confirmed.
    case queued
    /// The receiver is not a connected peer, or not a subscribed central.
    case unknownPeer
    /// The queue of the receiver is full, or the loop of the host did not respond within 3 s.
    case queueFull
    /// BlueZ would notify other centrals, too: before 5.76, and later after it closed the subscription of
    /// the central by mistake.
    case notAddressable
    /// The value is longer than `limit` bytes.
    case tooLong(limit: Int)
}
