/// An error that a method of a peripheral threw, and that this program cannot decode.
///
/// An error arrives as itself if it is `Codable` and named in ``BleuConfiguration/errorTypes`` of both sides.
public struct RemoteFailure: Error, Hashable, Codable, Swift.Sendable {
    /// The type of the error on the peripheral, without its module.
    public let typeName: String
    /// The text of a `LocalizedError`; empty for any other error.
    public let message: String

    /// Creates the failure.
    public init(typeName: String, message: String) {
        self.typeName = typeName
        self.message = message
    }
}

extension RemoteFailure: CustomStringConvertible {
    /// The type and the message.
    public var description: String { message.isEmpty ? typeName : "\(typeName): \(message)" }
}
