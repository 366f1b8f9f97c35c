/// How advertisements are listened to.
public enum ScanMode: Hashable, Swift.Sendable {
    /// The controller listens, and sends nothing itself; BlueZ's advertisement monitors.
    case passive
    /// The controller asks who is there, and hears the answers; a discovery, as in a scan.
    case active
}

/// What is told while peripherals are watched.
public enum WatchEvent: Hashable, Swift.Sendable {
    /// It has begun, or goes on in this way from now on: Bluetooth was away, or BlueZ has given the
    /// monitors up.
    case started(ScanMode)
    /// A peripheral that fits has come.
    case found(ScanDiscovery)
    /// A peripheral that was found advertises something else: a name, services or data. Its signal strength
    /// alone is no change. Also that ``ScanDiscovery/isConnected`` is another.
    case changed(ScanDiscovery)
    /// A peripheral was silent for too long, fits no more, or Bluetooth went; with what was last heard.
    case lost(ScanDiscovery)
}
