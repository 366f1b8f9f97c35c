/// The former name of ``Backoff``.
@available(*, deprecated, renamed: "Backoff")
@_documentation(visibility: internal)
public typealias BackOff = Backoff

/// The former name of ``PairingResponder``.
@available(*, deprecated, renamed: "PairingResponder")
@_documentation(visibility: internal)
public typealias PairingAnswer = PairingResponder

extension Backoff {
    /// The former name of ``initialDelay``.
    @available(*, deprecated, renamed: "initialDelay")
    public var first: Duration {
        get { initialDelay }
        set { initialDelay = newValue }
    }

    /// The former name of ``maximumDelay``.
    @available(*, deprecated, renamed: "maximumDelay")
    public var longest: Duration {
        get { maximumDelay }
        set { maximumDelay = newValue }
    }

    /// The former name of ``init(initialDelay:maximumDelay:)``.
    @available(*, deprecated, renamed: "init(initialDelay:maximumDelay:)")
    public init(first: Duration, longest: Duration = .seconds(60)) {
        self.init(initialDelay: first, maximumDelay: longest)
    }

    /// The former name of ``init(initialDelay:maximumDelay:)``.
    @available(*, deprecated, renamed: "init(maximumDelay:)")
    public init(longest: Duration) {
        self.init(maximumDelay: longest)
    }

    /// The former name of ``delay(afterFailures:)``.
    @available(*, deprecated, renamed: "delay(afterFailures:)")
    public func pause(after failures: Int) -> Duration {
        delay(afterFailures: failures)
    }
}

extension PairingResponder {
    /// The former name of ``reject()``.
    @available(*, deprecated, renamed: "reject()")
    public func refuse() { reject() }

    /// The former name of ``respond(with:)``.
    @available(*, deprecated, renamed: "respond(with:)")
    public func give(_ decision: PairingDecision) { respond(with: decision) }
}

extension PairingDecision {
    /// The former name of ``reject``.
    @available(*, deprecated, renamed: "reject")
    public static var refuse: Self { .reject }
}

extension BluejayError {
    /// The former name of ``pairingRejected``.
    @available(*, deprecated, renamed: "pairingRejected")
    public static var pairingRefused: Self { .pairingRejected }

    /// The former name of ``isRetryable``.
    @available(*, deprecated, renamed: "isRetryable")
    public var isWorthRetrying: Bool { isRetryable }
}

extension BluejayError.Code {
    /// The former name of ``pairingRejected``.
    @available(*, deprecated, renamed: "pairingRejected")
    public static var pairingRefused: Self { .pairingRejected }
}

extension BluetoothAdapter {
    /// The former name of ``isDiscoveringForOtherPrograms``.
    @available(*, deprecated, renamed: "isDiscoveringForOtherPrograms")
    public var isDiscoveringForOthers: Bool? { isDiscoveringForOtherPrograms }
}
