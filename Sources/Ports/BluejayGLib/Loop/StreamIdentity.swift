/// The identity of a stream of the standard library.
///
/// Copies of one stream are equal, and two streams that exist at the same time differ: a copy has the bytes of its
/// original, which include the reference to the elements. The identity does not retain the stream. Another stream may
/// have it later.
package struct StreamIdentity: Hashable, Swift.Sendable {
    private let bytes: [UInt8]

    /// - Parameter stream: A stream, which is a structure with references.
    package init<Stream: AsyncSequence>(of stream: Stream) {
        bytes = unsafe withUnsafeBytes(of: stream) { unsafe Array($0) }
    }
}
