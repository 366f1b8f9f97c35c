/// The former name of ``L2CAPCloseReason``.
@available(*, deprecated, renamed: "L2CAPCloseReason")
@_documentation(visibility: internal)
public typealias L2CAPChannelEnd = L2CAPCloseReason

extension L2CAPChannel {
    /// The former name of ``closeReason``.
    @available(*, deprecated, renamed: "closeReason")
    public var end: L2CAPCloseReason? { closeReason }
}
