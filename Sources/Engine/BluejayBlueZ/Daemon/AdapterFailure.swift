internal import BluejayDBus

/// Why something could not be changed of an adapter, or of what it knows.
package enum AdapterFailure: Error, Equatable {
    /// rfkill keeps it off.
    case blocked
    /// Somebody else is changing it, and did not come to an end.
    case busy
    /// The adapter has gone.
    case gone
    /// The adapter does not know the device.
    case unknownDevice
    /// It did not do in time what it had agreed to.
    case timedOut
    /// Anything else.
    case failed(BlueZFailure)

    /// What the answer to a call of an adapter means.
    init(_ error: BusError) {
        let prefix = "org.bluez.Error."
        switch error.name {
        case prefix + "Blocked": self = .blocked
        // BlueZ 5.57 and later; before, the second of two changes was taken for done.
        case prefix + "Busy": self = .busy
        case prefix + "DoesNotExist": self = .unknownDevice
        default:
            switch BlueZFailure(local: error) {
            case .gone: self = .gone
            case let failure: self = .failed(failure)
            }
        }
    }
}
