/// Tracks whether an adapter's discovery belongs to other programs.
///
/// bluetoothd reports a discovery without its owner, and reports the end of this program's discovery after
/// its reply to `StopDiscovery`. A discovery that was on during this program's own may therefore be its own
/// until it ends.
struct ExternalDiscoveryTracker: Equatable {
    private var mayBeOurs = false

    /// Whether other programs run a discovery; nil if unknown.
    mutating func observed(isDiscovering: Bool, isOurs: Bool) -> Bool? {
        if isOurs { mayBeOurs = true }
        guard isDiscovering else {
            mayBeOurs = isOurs
            return false
        }
        return mayBeOurs ? nil : true
    }
}
