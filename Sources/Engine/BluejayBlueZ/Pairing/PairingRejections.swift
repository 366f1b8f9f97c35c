internal import BluejayDBus

/// The unfinished pairings of this program that a user of the agent rejected.
///
/// Rejections of pairings that peers begin are not recorded: no call needs them, and a peer can have any
/// number of addresses.
struct PairingRejections {
    private var rejected: [ObjectPath: Bool] = [:]

    /// The number of pairings that have not ended.
    var pendingCount: Int { rejected.count }

    /// This program starts to pair with a device, which forgets an earlier rejection.
    mutating func pairingStarted(_ device: ObjectPath) {
        rejected[device] = false
    }

    /// A user rejected a request of a device.
    mutating func requestRejected(_ device: ObjectPath) {
        if rejected[device] != nil { rejected[device] = true }
    }

    /// Returns whether a user rejected a request of the pairing that has ended.
    mutating func pairingEnded(_ device: ObjectPath) -> Bool {
        rejected.removeValue(forKey: device) == true
    }
}
