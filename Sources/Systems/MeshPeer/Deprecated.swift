extension BLECentralManager {
    /// The former name of ``droppedEventCount``.
    @available(*, deprecated, renamed: "droppedEventCount")
    public var lostEventCount: Int { droppedEventCount }
}

extension BLEPeripheralManager {
    /// The former name of ``droppedEventCount``.
    @available(*, deprecated, renamed: "droppedEventCount")
    public var lostEventCount: Int { droppedEventCount }
}
