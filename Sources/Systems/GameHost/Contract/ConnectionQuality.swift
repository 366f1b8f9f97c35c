/// How well a player is heard.
public enum ConnectionQuality: Hashable, Swift.Sendable {
    /// From −50 dBm.
    case excellent
    /// From −70 dBm.
    case good
    /// From −85 dBm.
    case fair
    /// Below −85 dBm.
    case poor

    /// What a controller reports as a strength (Core Specification, Vol 4, Part E, 7.5.4).
    static let strengths = -127...20

    /// Judges a signal strength in dBm; what is no strength, such as 127 for "not known", is poor.
    public init(rssi: Int) {
        self =
            switch rssi {
            case _ where !Self.strengths.contains(rssi): .poor
            case (-50)...: .excellent
            case -70 ..< -50: .good
            case -85 ..< -70: .fair
            default: .poor
            }
    }
}

/// How fast a link answers, as iOS asks for it; BlueZ has no such call.
public enum ConnectionLatency: Hashable, Swift.Sendable {
    case low, medium, high
}
