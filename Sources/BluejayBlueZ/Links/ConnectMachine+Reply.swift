internal import BluejayDBus

extension ConnectMachine.Reply {
    /// What the answer to `Device1.Connect` means.
    init(_ result: CallResult) {
        guard case .failure(let error) = result else {
            self = .accepted
            return
        }
        switch BlueZFailure(error) {
        case .already: self = .accepted
        case .inProgress: self = .busy
        case .gone: self = .gone
        case .adapterOff, .daemonGone: self = .unavailable
        case .accessDenied(let text): self = .refused(text)
        case .notPaired(let error), .pairing(let error): self = .unpaired(error.description)
        default:
            let text = error.message
            if text.hasSuffix("already-connected") {
                self = .accepted
            } else if text.hasSuffix("not-supported") || text.hasSuffix("invalid-arguments") {
                self = .refused(error.description)
            } else {
                self = .broken(error.description)
            }
        }
    }
}
