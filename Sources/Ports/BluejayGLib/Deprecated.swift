extension MainLoop {
    /// The former name of ``terminationSignals``.
    @available(*, deprecated, renamed: "terminationSignals")
    public static var endingSignals: Set<Int32> { terminationSignals }

    /// The former name of ``run(stoppingOn:)``.
    @available(*, deprecated, renamed: "run(stoppingOn:)")
    public func run(endingAt signals: Set<Int32>) { run(stoppingOn: signals) }

    /// The former name of ``run(stoppingOn:_:)``.
    @available(*, deprecated, renamed: "run(stoppingOn:_:)")
    public func run<Value: Swift.Sendable>(
        endingAt signals: Set<Int32>,
        _ work: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        try run(stoppingOn: signals, work)
    }
}
