internal import BluejayDBus

package enum AdapterFailure: Error, Equatable {
    /// rfkill blocks the adapter.
    case blocked
    /// Another change is in progress and did not finish.
    case busy
    case adapterRemoved
    case unknownDevice
    /// The adapter accepted the change and did not complete it in time.
    case timedOut
    case failed(BlueZFailure)

    init(_ error: BusError) {
        let prefix = "org.bluez.Error."
        switch error.name {
        case prefix + "Blocked": self = .blocked
        // BlueZ 5.57 and later. Earlier versions report success for the second of two changes.
        case prefix + "Busy": self = .busy
        case prefix + "DoesNotExist": self = .unknownDevice
        default:
            switch BlueZFailure(local: error) {
            case .objectRemoved: self = .adapterRemoved
            case let failure: self = .failed(failure)
            }
        }
    }
}
