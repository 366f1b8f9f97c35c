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

extension ConnectionResult {
    /// The same as a `Result` of the standard library.
    public var result: Result<PeripheralIdentifier, any Error> {
        switch self {
        case .success(let peripheral): .success(peripheral)
        case .failure(let error): .failure(error)
        }
    }

    /// The connected peripheral.
    ///
    /// - Throws: Why there is no connection.
    @discardableResult
    public func get() throws -> PeripheralIdentifier { try result.get() }
}

extension DisconnectionResult {
    /// The same as a `Result` of the standard library.
    public var result: Result<PeripheralIdentifier, any Error> {
        switch self {
        case .disconnected(let peripheral): .success(peripheral)
        case .failure(let error): .failure(error)
        }
    }

    /// What was disconnected.
    ///
    /// - Throws: Why the request was refused.
    @discardableResult
    public func get() throws -> PeripheralIdentifier { try result.get() }
}

extension ReadResult {
    /// The same as a `Result` of the standard library.
    public var result: Result<R, any Error> {
        switch self {
        case .success(let value): .success(value)
        case .failure(let error): .failure(error)
        }
    }

    /// The decoded value.
    ///
    /// - Throws: Why there is none.
    public func get() throws -> R { try result.get() }
}

extension WriteResult {
    /// The same as a `Result` of the standard library.
    public var result: Result<Void, any Error> {
        switch self {
        case .success: .success(())
        case .failure(let error): .failure(error)
        }
    }

    /// Returns when it was done.
    ///
    /// - Throws: Why it was not.
    public func get() throws { try result.get() }
}

extension RunResult {
    /// The same as a `Result` of the standard library.
    public var result: Result<R, any Error> {
        switch self {
        case .success(let value): .success(value)
        case .failure(let error): .failure(error)
        }
    }

    /// What the task returned.
    ///
    /// - Throws: What it threw, or why it was not run.
    public func get() throws -> R { try result.get() }
}
