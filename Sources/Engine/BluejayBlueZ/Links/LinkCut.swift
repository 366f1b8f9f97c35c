/// The treatment of a link when its last lease ends.
package enum LinkCut: Equatable {
    /// The link is disconnected.
    case always
    /// The link is disconnected if this program initiated it, or if a lease that ended earlier had `always`.
    ///
    /// A link that the peer or another program opened stays. If both ends connect at once, BlueZ does
    /// not report whose attempt succeeded: the link counts as initiated by this program.
    case ifLocal
    /// The link stays up in bluetoothd until another program disconnects it, or a `connect` takes it over.
    case never

    func disconnects(isLocal: Bool) -> Bool {
        switch self {
        case .always: true
        case .ifLocal: isLocal
        case .never: false
        }
    }
}
