/// Tracks whether an adapter's discovery belongs to other programs.
///
/// bluetoothd does not report the owner of a discovery, and reports the end of this program's only after
/// its reply to `StopDiscovery`. A discovery that was on during this program's own may therefore be its own
/// until it ends.
struct ExternalDiscoveryTracker: Equatable {
    private var mayBeLocal = false

    /// Whether other programs are discovering; nil if unknown.
    mutating func observed(isDiscovering: Bool, isLocal: Bool) -> Bool? {
        if isLocal { mayBeLocal = true }
        guard isDiscovering else {
            mayBeLocal = isLocal
            return false
        }
        return mayBeLocal ? nil : true
    }
}
