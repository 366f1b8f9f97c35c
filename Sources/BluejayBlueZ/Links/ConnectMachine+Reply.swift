internal import BluejayCore
internal import BluejayDBus

extension ConnectMachine.Reply {
    /// What the answer to `Device1.Connect` means.
    init(_ result: CallResult) {
        guard case .failure(let error) = result else {
            self = .accepted
            return
        }
        let answer = error.description
        switch BlueZFailure(error) {
        case .already: self = .accepted
        case .inProgress: self = .busy
        case .gone: self = .gone
        case .adapterOff, .daemonGone: self = .unavailable
        case .accessDenied(let text): self = .unreached(.denied(text))
        case .notPaired, .pairing: self = .unpaired(answer)
        default:
            let isPermanent = BlueZAnswer.connecting(error.name, error.message)?.isPermanent
            self = isPermanent == true ? .refused(answer) : .broken(answer)
        }
    }
}
