extension BLEStateMachine {
    /// The former name of ``droppedValueCount``.
    @available(*, deprecated, renamed: "droppedValueCount")
    public var lostValueCount: Int { droppedValueCount }
}

extension MeshCoreSession {
    /// The former name of ``droppedPacketCount``.
    @available(*, deprecated, renamed: "droppedPacketCount")
    public var lostPacketCount: Int { droppedPacketCount }
}

extension ConnectionState.Indicator {
    /// The former name of ``Color``.
    @available(*, deprecated, renamed: "Color")
    public typealias Colour = Color

    /// The former name of ``color``.
    @available(*, deprecated, renamed: "color")
    public var colour: Color { color }
}
