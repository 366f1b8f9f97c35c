internal import BluejayCore
internal import BluejayDBus

extension ConnectMachine {
    /// What a `Connect` call came back with.
    package enum Reply: Equatable {
        case accepted
        /// A `Connect` of somebody is pending already.
        case busy
        /// Nobody answered, or the link broke while it was set up; trying again may help.
        case broken(String)
        /// Trying again cannot help.
        case refused(String)
        /// Pairing failed, or the keys of one side have gone.
        case unpaired(String)
        /// bluetoothd cannot be asked at all.
        case unreached(LinkFailure)
        /// The device object has gone.
        case gone
        /// The adapter is off or bluetoothd has gone.
        case unavailable
    }
}

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
