/// The next step after a discovery.
public enum ScanAction {
    /// Continue scanning.
    case `continue`
    /// Continue, and stop reporting this peripheral in this scan.
    case blacklist
    /// End the scan.
    case stop
    /// End the scan and connect.
    case connect(ScanDiscovery, Timeout, WarningOptions, (ConnectionResult) -> Void)

    /// Ends the scan and connects, with the time limit of ``Bluejay/Bluejay/defaultTimeouts``, which is
    /// initially unlimited.
    ///
    /// - Parameters:
    ///   - discovery: The peripheral to connect to.
    ///   - completion: Called once, on the main loop, after the scan's `stopped`. Fails like
    ///     ``Bluejay/Bluejay/connect(_:timeout:warningOptions:completion:)``.
    /// - Returns: ``connect(_:_:_:_:)`` with ``Timeout/standard`` and the default options.
    public static func connect(
        _ discovery: ScanDiscovery,
        _ completion: @escaping (ConnectionResult) -> Void
    ) -> ScanAction {
        .connect(discovery, .standard, .default, completion)
    }

    /// Ends the scan and connects.
    ///
    /// - Parameters:
    ///   - discovery: The peripheral to connect to.
    ///   - timeout: Counted from its turn in the queue.
    ///   - completion: Called once, on the main loop, after the scan's `stopped`. Fails like
    ///     ``Bluejay/Bluejay/connect(_:timeout:warningOptions:completion:)``.
    /// - Returns: ``connect(_:_:_:_:)`` with the default options.
    public static func connect(
        _ discovery: ScanDiscovery,
        timeout: Timeout,
        completion: @escaping (ConnectionResult) -> Void
    ) -> ScanAction {
        .connect(discovery, timeout, .default, completion)
    }
}
