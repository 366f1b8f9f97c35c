internal import FoundationEssentials

/// A distributed method and its characteristic.
struct DistributedMethod: Hashable, Swift.Sendable {
    /// The name without labels.
    let name: String
    let characteristic: UUID
    /// The identifier of its `RemoteCallTarget`, or `nil` if the type was registered by names.
    let target: String?
    /// `nil` if the type was registered by names.
    let parameterCount: Int?
    let hasResult: Bool
    /// Whether the result is an `AsyncStream` or `AsyncThrowingStream`.
    let isStream: Bool
    /// Whether a parameter or a part of the result is a stream, which cannot be sent.
    var hasMisplacedStream = false

    /// Whether a GATT read calls the method.
    ///
    /// A tool that reads every readable characteristic must not run methods such as `reset()`.
    var isReadable: Bool { parameterCount == 0 && hasResult && !isStream }

    /// Whether a subscription of a central that writes no frames calls the method.
    var isSubscribable: Bool { target != nil && parameterCount == 0 && isStream }
}
