internal import BluejayDBus

/// The reason why a device could not be paired.
package enum PairingFailure: Error, Equatable {
    /// A user refused, or did not answer in time.
    case rejected
    case timedOut
    case cancelled
    case bluez(BlueZFailure)

    /// The failure of a `Pair` call, or `nil` if the device is already paired.
    init?(_ error: BusError) {
        switch BlueZFailure(error) {
        case .alreadyDone: return nil
        case .other(let error) where error.name.hasPrefix("org.bluez."):
            self = .bluez(.pairing(error))
        case let failure: self = .bluez(failure)
        }
    }
}
