internal import FoundationEssentials

extension Refusal {
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
