/// Whether the discovery of an adapter is that of other programs, as far as it can be known.
///
/// bluetoothd tells that there is one, and not whose; and it tells the end of ours behind its answer to
/// our call. So that one which began, or went on, while ours was on may be ours until it has ended.
struct ExternalDiscoveryTracker: Equatable {
    private var mayBeOurs = false

    /// What is known now; nil is that it cannot be known.
    mutating func observed(isDiscovering: Bool, isOurs: Bool) -> Bool? {
        if isOurs { mayBeOurs = true }
        guard isDiscovering else {
            mayBeOurs = isOurs
            return false
        }
        return mayBeOurs ? nil : true
    }
}
