/// Radio settings that the application computes, for ``PlatformBridge/applyBleAdjustment(_:)``.
public struct BleAdjustment: Hashable, Swift.Sendable {
    /// The length of a scan cycle in milliseconds; see ``BLECentralManager/applyScanSettings(intervalMs:)``.
    public var scanIntervalMs: UInt32
    /// The advertising interval in milliseconds, clamped to 20...10,485,000.
    public var advertiseIntervalMs: UInt32
    /// The transmit power in dBm, clamped to −127...20.
    public var txPowerDbm: Int8

    /// Creates an adjustment.
    public init(scanIntervalMs: UInt32, advertiseIntervalMs: UInt32, txPowerDbm: Int8) {
        self.scanIntervalMs = scanIntervalMs
        self.advertiseIntervalMs = advertiseIntervalMs
        self.txPowerDbm = txPowerDbm
    }
}
