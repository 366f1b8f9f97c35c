internal import BluejayBlueZ
internal import BluejayGLib

extension L2CAPCloseReason {
    init(_ end: ChannelCloseReason) {
        switch end {
        case .closed: self = .closed
        case .closedByPeer: self = .closedByPeer
        case .link(.lost(let reason)): self = .linkLost(DisconnectReason(bluezName: reason))
        case .link(.requested): self = .linkLost(.local)
        case .link(.unavailable): self = .bluetoothUnavailable
        case .failed(let error): self = .failed(error.number)
        }
    }
}

extension BluejayError {
    /// Creates the error for a channel that could not be opened, or for a failed listener.
    package init(_ failure: ChannelFailure, psm: UInt16, state: BluetoothState) {
        switch failure {
        case .invalidPSM: self = .invalidPSM(psm)
        case .unavailable, .link(.unavailable):
            self = .bluetoothUnavailable(state.asReason(orElse: .poweredOff))
        case .unreachable, .timedOut, .link(.timedOut): self = .connectionTimedOut
        case .cancelled, .link(.cancelled): self = .cancelled
        case .link(.pairing(let text)): self = .pairingFailed(text).withCause(text)
        case .link(.bluez(let failure)):
            self =
                failure.unavailability(state).map { .bluetoothUnavailable($0) }
                ?? .connectionFailed(failure.errorText ?? failure.reason)
        case .link(.failed(let text)): self = .connectionFailed(text).withCause(text)
        case .refused: self = .channelRefused
        case .insufficientSecurity: self = .notPaired
        case .unpaired:
            self = .pairingFailed("the channel needs an encrypted link, and no pairing was made")
        case .inUse: self = .psmInUse(psm)
        case .notPermitted: self = .psmNotPermitted(psm)
        case .noKernelSupport: self = .notSupported("this kernel has no Bluetooth")
        case .system(let error): self = .systemError(error.number)
        }
    }

    /// Creates the error for a packet that was not sent.
    init(_ failure: Channel.SendFailure, length: Int, state: BluetoothState) {
        switch failure {
        case .notOpen: self = .channelClosed
        case .tooLong(let limit): self = .valueTooLong(length: length, limit: limit)
        case .queueFull(let limit): self = .channelFull(limit: limit)
        case .ended(let reason): self.init(reason, state: state)
        }
    }

    /// Creates the error for data that may not have been sent.
    init(_ failure: Channel.FlushFailure, state: BluetoothState) {
        switch failure {
        case .notOpen: self = .channelClosed
        case .timedOut: self = .operationTimedOut
        case .ended(let reason): self.init(reason, state: state)
        }
    }

    private init(_ reason: ChannelCloseReason, state: BluetoothState) {
        switch reason {
        case .closed, .closedByPeer: self = .channelClosed
        case .link(.unavailable):
            self = .bluetoothUnavailable(state.asReason(orElse: .poweredOff))
        case .link(.lost(let reason)): self = .linkLost(DisconnectReason(bluezName: reason))
        case .link(.requested): self = .linkLost(.local)
        case .failed(let error): self = .systemError(error.number)
        }
    }
}
