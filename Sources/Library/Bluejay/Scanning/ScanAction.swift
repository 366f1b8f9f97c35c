/// What to do after a discovery.
public enum ScanAction {
    /// Go on scanning.
    case `continue`
    /// Go on, and report this peripheral no more in this scan.
    case blacklist
    /// End the scan.
    case stop
    /// End the scan and connect.
    case connect(ScanDiscovery, Timeout, WarningOptions, (ConnectionResult) -> Void)

    /// Ends the scan and connects, with the limit of ``Bluejay/Bluejay/defaultTimeouts``; that is none at
    /// first.
    ///
    /// - Parameters:
    ///   - discovery: The peripheral to connect to.
    ///   - completion: Called once, on the main loop, behind the `stopped` of the scan. Fails as that of
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
    ///   - timeout: From the attempt's turn in the queue.
    ///   - completion: Called once, on the main loop, behind the `stopped` of the scan. Fails as that of
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
