internal import BluejayDBus

/// Why something could not be registered with bluetoothd, or is registered no longer.
package enum RegistrationFailure: Error, Equatable {
    /// It was taken back before bluetoothd had it.
    case withdrawn
    /// Bluetooth cannot be used.
    case unavailable
    /// bluetoothd did not answer the named call.
    case timedOut(String)
    /// The bus's policy refuses; with its text.
    case accessDenied(String)
    /// The adapter has all the advertisements that it can send.
    case tooManyAdvertisements
    /// bluetoothd found that the advertisement does not fit.
    case tooLong
    /// The adapter did not take the advertisement.
    case notTaken
    /// bluetoothd, the adapter or its power went while the call was under way.
    case gone(name: String, message: String)
    /// Another refusal, name and text kept.
    case refused(name: String, message: String)

    /// What an answer to a registration means.
    ///
    /// - Parameters:
    ///   - error: What bluetoothd answered.
    ///   - member: The method that was called.
    init(_ error: BusError, from member: String) {
        let prefix = "org.bluez.Error."
        switch (error.name, error.message) {
        case (prefix + "NotPermitted", "Maximum advertisements reached"):
            self = .tooManyAdvertisements
        case (prefix + "InvalidLength", _): self = .tooLong
        case (prefix + "Failed", "Failed to register advertisement"): self = .notTaken
        default:
            switch BlueZFailure(error) {
            case .daemonGone, .adapterOff, .gone:
                self = .gone(name: error.name, message: error.message)
            case .accessDenied(let text): self = .accessDenied(text)
            case .timedOut: self = .timedOut(member)
            default: self = .refused(name: error.name, message: error.message)
            }
        }
    }
}
