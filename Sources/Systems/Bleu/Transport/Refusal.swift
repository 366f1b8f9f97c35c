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
    /// The program has released the actor.
    case actorReleased
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
            .incompatibleVersion, .timedOut, .actorReleased:
            false
        }
    }

    /// The error of the caller.
    ///
    /// - Parameters:
    ///   - characteristic: The method.
    ///   - service: Its service.
    /// - Returns: A `BleuError`.
    func error(characteristic: UUID, of service: UUID) -> BleuError {
        switch self {
        case .unknownMethod: .characteristicNotFound(characteristic)
        case .invalidArguments, .invalidData, .tooLong, .cipherRequired, .cipherFailed,
            .incompatibleVersion:
            .invalidData
        case .busy: .quotaExceeded
        case .timedOut: .connectionTimeout
        case .actorReleased: .serviceNotFound(service)
        case .unknownCall, .sessionInUse: .connectionFailed(self)
        }
    }
}

extension Refusal: CustomStringConvertible {
    /// The reason, for the text of ``BleuError/connectionFailed(_:)``.
    var description: String {
        switch self {
        case .unknownMethod: "the peripheral does not have the method"
        case .invalidArguments: "the arguments do not fit the method"
        case .invalidData: "a message was damaged"
        case .busy: "too many calls wait at the peripheral"
        case .tooLong: "the result is too long"
        case .unknownCall: "the peripheral no longer has the result"
        case .sessionInUse: "another central has the same session number"
        case .cipherRequired: "the peripheral requires encryption"
        case .cipherFailed: "the peripheral could not decrypt a message"
        case .incompatibleVersion: "the peripheral uses another version of the frames"
        case .timedOut: "frames of a message were lost"
        case .actorReleased: "the peripheral has released the actor"
        }
    }
}
