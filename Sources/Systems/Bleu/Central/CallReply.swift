internal import FoundationEssentials

/// The reply to a call of a distributed method.
enum CallReply: Swift.Sendable {
    /// The result as JSON.
    case value(Data)
    /// The end of a method without a result, or the sending of a call without a reply.
    case nothing
    case failure(ThrownError)
    case stream(AsyncChannel)
}
