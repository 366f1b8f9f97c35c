/// Tracks whether an adapter's discovery belongs to other programs.
///
/// bluetoothd does not report the owner of a discovery, and reports the end of this program's only after
/// its reply to `StopDiscovery`. A discovery that was on during this program's own may therefore be its own
/// until it ends.
struct ExternalDiscoveryTracker: Equatable {
    private var mayBeOurs = false

    /// Whether other programs are discovering; nil if unknown.
    mutating func observed(isDiscovering: Bool, isOurs: Bool) -> Bool? {
        if isOurs { mayBeOurs = true }
        guard isDiscovering else {
            mayBeOurs = isOurs
            return false
        }
        return mayBeOurs ? nil : true
    }
}
