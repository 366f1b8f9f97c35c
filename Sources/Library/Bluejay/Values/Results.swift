/// The result of a connection request.
public enum ConnectionResult: Swift.Sendable {
    /// The peripheral is connected and its services are known.
    case success(PeripheralIdentifier)
    /// No connection was established.
    case failure(any Error)
}

/// The result of a disconnect request.
public enum DisconnectionResult: Swift.Sendable {
    /// The peripheral is disconnected.
    case disconnected(PeripheralIdentifier)
    /// The request was rejected.
    case failure(any Error)
}

/// A value that was read or received, or an error.
public enum ReadResult<R> {
    /// The decoded value.
    case success(R)
    /// The value could not be read or decoded.
    case failure(any Error)
}

/// The result of a write, or of ending a listen.
public enum WriteResult: Swift.Sendable {
    /// The peripheral confirmed the write, or bluetoothd accepted a write without response.
    case success
    /// The write was refused or not sent.
    case failure(any Error)
}

/// The result of a background task.
public enum RunResult<R> {
    /// The value returned by the task.
    case success(R)
    /// The error thrown by the task, or the error that kept it from running.
    case failure(any Error)
}

extension ReadResult: Swift.Sendable where R: Swift.Sendable {}
extension RunResult: Swift.Sendable where R: Swift.Sendable {}

extension ConnectionResult {
    /// The equivalent `Result`.
    public var result: Result<PeripheralIdentifier, any Error> {
        switch self {
        case .success(let peripheral): .success(peripheral)
        case .failure(let error): .failure(error)
        }
    }

    /// The connected peripheral.
    ///
    /// - Throws: The error, if the result is a failure.
    @discardableResult
    public func get() throws -> PeripheralIdentifier { try result.get() }
}

extension DisconnectionResult {
    /// The equivalent `Result`.
    public var result: Result<PeripheralIdentifier, any Error> {
        switch self {
        case .disconnected(let peripheral): .success(peripheral)
        case .failure(let error): .failure(error)
        }
    }

    /// The disconnected peripheral.
    ///
    /// - Throws: The error, if the request was rejected.
    @discardableResult
    public func get() throws -> PeripheralIdentifier { try result.get() }
}

extension ReadResult {
    /// The equivalent `Result`.
    public var result: Result<R, any Error> {
        switch self {
        case .success(let value): .success(value)
        case .failure(let error): .failure(error)
        }
    }

    /// The decoded value.
    ///
    /// - Throws: The error, if the result is a failure.
    public func get() throws -> R { try result.get() }
}

extension WriteResult {
    /// The equivalent `Result`.
    public var result: Result<Void, any Error> {
        switch self {
        case .success: .success(())
        case .failure(let error): .failure(error)
        }
    }

    /// Returns if the operation succeeded.
    ///
    /// - Throws: The error, if the result is a failure.
    public func get() throws { try result.get() }
}

extension RunResult {
    /// The equivalent `Result`.
    public var result: Result<R, any Error> {
        switch self {
        case .success(let value): .success(value)
        case .failure(let error): .failure(error)
        }
    }

    /// The value returned by the task.
    ///
    /// - Throws: The error thrown by the task, or the error that kept it from running.
    public func get() throws -> R { try result.get() }
}
