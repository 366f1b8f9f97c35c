/// The reason why a peripheral rejects a message, as the body of a refusal.
enum Refusal: String, Error, Codable, Swift.Sendable {
    /// The actor does not have the method.
    case unknownMethod
    /// The arguments do not fit the method.
    case invalidArguments
    case invalidData
    /// Too many calls wait.
    case busy
    /// The result is longer than a message.
    case tooLong
    /// No result is saved for the fetch.
    case unknownCall
    /// Another central has the same session number.
    case sessionInUse
    /// Calls must be encrypted.
    case cipherRequired
    /// The message cannot be decrypted, or the key is invalid.
    case cipherFailed
    /// The frames have another version.
    case incompatibleVersion
}
