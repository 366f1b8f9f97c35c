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
        let failure = BlueZFailure(local: error)
        switch failure {
        case .already: self = .accepted
        case .inProgress: self = .busy
        case .gone: self = .gone
        case .adapterOff: self = .unavailable
        case .daemonGone, .accessDenied, .silent: self = .unreached(.bluez(failure))
        case .pairing: self = .unpaired(answer)
        default:
            let isPermanent = BlueZAnswer.connecting(error.name, error.message)?.isPermanent
            self = isPermanent == true ? .refused(answer) : .broken(answer)
        }
    }
}
