internal import FoundationEssentials

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
            .incompatibleVersion:
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
        case .unknownCall, .sessionInUse: .connectionFailed(self)
        }
    }
}
