internal import FoundationEssentials

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
    /// Frames of the message are missing.
    case timedOut
}

extension Refusal {
    /// Decodes the body of a refusal; `nil` if it is malformed.
    init?(_ message: Message) {
        guard let reason = try? JSONValue.decode(Self.self, from: message.body) else { return nil }
        self = reason
    }

    /// Whether the next call needs another session number, or another key.
    var endsSession: Bool {
        switch self {
        case .sessionInUse, .cipherRequired, .cipherFailed: true
        case .unknownMethod, .invalidArguments, .invalidData, .busy, .tooLong, .unknownCall,
            .incompatibleVersion, .timedOut:
            false
        }
    }

    /// The error of the caller.
    ///
    /// - Parameter characteristic: The method.
    /// - Returns: A `BleuError`.
    func error(characteristic: UUID) -> BleuError {
        switch self {
        case .unknownMethod: .characteristicNotFound(characteristic)
        case .invalidArguments, .invalidData, .tooLong, .cipherRequired, .cipherFailed,
            .incompatibleVersion:
            .invalidData
        case .busy: .quotaExceeded
        case .timedOut: .connectionTimeout
        case .unknownCall, .sessionInUse: .connectionFailed(self)
        }
    }
}
