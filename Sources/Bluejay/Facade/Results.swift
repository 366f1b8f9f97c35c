/// How a connection request ended.
public enum ConnectionResult: Swift.Sendable {
    /// The peripheral is connected and its services are known.
    case success(PeripheralIdentifier)
    /// There is no connection.
    case failure(any Error)
}

/// How a request to disconnect ended.
public enum DisconnectionResult: Swift.Sendable {
    /// The peripheral is disconnected.
    case disconnected(PeripheralIdentifier)
    /// The request was refused.
    case failure(any Error)
}

/// A value that was read or received, or why there is none.
public enum ReadResult<R> {
    /// The decoded value.
    case success(R)
    /// The value could not be read or decoded.
    case failure(any Error)
}

/// How a write, or the end of a listen, ended.
public enum WriteResult: Swift.Sendable {
    /// The peripheral confirmed it, or without response: it was handed over.
    case success
    /// It was refused or not sent.
    case failure(any Error)
}

/// How a background task ended.
public enum RunResult<R> {
    /// What the task returned.
    case success(R)
    /// What the task threw, or why it was not run.
    case failure(any Error)
}

extension ReadResult: Swift.Sendable where R: Swift.Sendable {}
extension RunResult: Swift.Sendable where R: Swift.Sendable {}
