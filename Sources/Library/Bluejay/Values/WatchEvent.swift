/// The way in which a watch receives advertisements.
public enum ScanMode: Hashable, Swift.Sendable {
    /// The controller only listens, using BlueZ's advertisement monitors.
    case passive
    /// The controller sends scan requests and receives the responses: a discovery, as in a scan.
    case active
}

/// An event of a watch.
public enum WatchEvent: Hashable, Swift.Sendable {
    /// The watch has started, or continues in this mode because Bluetooth has returned or BlueZ has released
    /// the monitors.
    case started(ScanMode)
    /// A matching peripheral was found.
    case found(ScanDiscovery)
    /// The advertised name, services or data of a found peripheral changed, or its
    /// ``ScanDiscovery/isConnected``.
    ///
    /// The signal strength alone is no change.
    case changed(ScanDiscovery)
    /// A peripheral was silent for too long or no longer matches, or Bluetooth became unavailable.
    ///
    /// The discovery is the last one received.
    case lost(ScanDiscovery)
}
