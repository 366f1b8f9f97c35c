/// The signal quality of a player.
public enum ConnectionQuality: Hashable, Swift.Sendable {
    /// From −50 dBm.
    case excellent
    /// From −70 dBm.
    case good
    /// From −85 dBm.
    case fair
    /// Below −85 dBm.
    case poor

    /// The valid range of a signal strength (Core Specification, Vol 4, Part E, 7.5.4).
    static let rssiRange = -127...20

    /// Rates a signal strength in dBm; an invalid one, such as 127 for "unknown", is poor.
    public init(rssi: Int) {
        self =
            switch rssi {
            case _ where !Self.rssiRange.contains(rssi): .poor
            case (-50)...: .excellent
            case -70 ..< -50: .good
            case -85 ..< -70: .fair
            default: .poor
            }
    }
}

/// The latency of a link, as iOS requests it; BlueZ has no such call.
public enum ConnectionLatency: Hashable, Swift.Sendable {
    case low, medium, high
}
