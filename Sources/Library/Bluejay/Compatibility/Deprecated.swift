/// The former name of ``ListenTransport``.
@available(*, deprecated, renamed: "ListenTransport")
@_documentation(visibility: internal)
public typealias ListenPath = ListenTransport

extension ReconnectOptions {
    /// The former name of ``maximumAttempts``.
    @available(*, deprecated, renamed: "maximumAttempts")
    public var limit: Int? {
        get { maximumAttempts }
        set { maximumAttempts = newValue }
    }

    /// The former name of ``initialDelay``.
    @available(*, deprecated, renamed: "initialDelay")
    public var firstDelay: Duration {
        get { initialDelay }
        set { initialDelay = newValue }
    }

    /// The former name of ``maximumDelay``.
    @available(*, deprecated, renamed: "maximumDelay")
    public var longestDelay: Duration {
        get { maximumDelay }
        set { maximumDelay = newValue }
    }

    /// The former name of ``init(maximumAttempts:initialDelay:maximumDelay:attemptTimeout:)``.
    @available(
        *,
        deprecated,
        renamed: "init(maximumAttempts:initialDelay:maximumDelay:attemptTimeout:)"
    )
    public init(
        limit: Int?,
        firstDelay: Duration = .seconds(1),
        longestDelay: Duration = .seconds(60),
        attemptTimeout: Duration = .seconds(20)
    ) {
        self.init(
            maximumAttempts: limit,
            initialDelay: firstDelay,
            maximumDelay: longestDelay,
            attemptTimeout: attemptTimeout
        )
    }

    /// The former name of ``init(maximumAttempts:initialDelay:maximumDelay:attemptTimeout:)``.
    @available(*, deprecated, renamed: "init(initialDelay:maximumDelay:attemptTimeout:)")
    public init(
        firstDelay: Duration,
        longestDelay: Duration = .seconds(60),
        attemptTimeout: Duration = .seconds(20)
    ) {
        self.init(
            initialDelay: firstDelay,
            maximumDelay: longestDelay,
            attemptTimeout: attemptTimeout
        )
    }

    /// The former name of ``init(maximumAttempts:initialDelay:maximumDelay:attemptTimeout:)``.
    @available(*, deprecated, renamed: "init(maximumDelay:attemptTimeout:)")
    public init(longestDelay: Duration, attemptTimeout: Duration = .seconds(20)) {
        self.init(maximumDelay: longestDelay, attemptTimeout: attemptTimeout)
    }
}
