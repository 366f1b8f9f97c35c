/// The former name of ``TestClockMode``.
@available(*, deprecated, renamed: "TestClockMode")
@_documentation(visibility: internal)
public typealias WorldTime = TestClockMode

/// The former name of ``TestLoopMode``.
@available(*, deprecated, renamed: "TestLoopMode")
@_documentation(visibility: internal)
public typealias WorldLoop = TestLoopMode

/// The former name of ``Fulfillment``.
@available(*, deprecated, renamed: "Fulfillment")
@_documentation(visibility: internal)
public typealias Fulfilment = Fulfillment

extension TestCentral {
    /// The former name of ``leaveRange()``.
    @available(*, deprecated, renamed: "leaveRange()")
    public func goAway() { leaveRange() }

    /// The former name of ``returnToRange()``.
    @available(*, deprecated, renamed: "returnToRange()")
    public func comeBack() { returnToRange() }
}
