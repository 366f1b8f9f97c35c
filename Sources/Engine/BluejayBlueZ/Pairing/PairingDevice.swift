package import BluejayCore
package import BluejayDBus

/// A device of an adapter, as a user of the engine names it.
package struct PairingDevice: Hashable {
    package var adapter: ObjectPath
    package var address: DeviceAddress

    package init(adapter: ObjectPath, address: DeviceAddress) {
        self.adapter = adapter
        self.address = address
    }
}

/// Whose questions a user of the agent answers.
package enum AgentScope: Hashable {
    /// Those of one device.
    case device(PairingDevice)
    /// Those of everybody on an adapter who is no link of this process and no other user's: centrals.
    case others(of: ObjectPath)

    func covers(_ device: PairingDevice, isOwnLink: Bool) -> Bool {
        switch self {
        case .device(let claimed): claimed == device
        case .others(let adapter): !isOwnLink && adapter == device.adapter
        }
    }

    var isForOthers: Bool {
        if case .others = self { return true }
        return false
    }
}

extension ObjectTree {
    /// Which device an object of bluetoothd stands for.
    func pairingDevice(_ path: ObjectPath) -> PairingDevice? {
        guard let adapter = path.parent, let address = device(at: path)?.address else { return nil }
        return PairingDevice(adapter: adapter, address: address)
    }
}

/// Why a device is not paired.
package enum PairingFailure: Error, Equatable {
    /// Here somebody refused, or did not answer in time.
    case refused
    case timedOut
    case cancelled
    case bluez(BlueZFailure)

    /// What `Pair` failed with; nil when the device is paired all the same.
    init?(_ error: BusError) {
        switch BlueZFailure(error) {
        case .already: return nil
        case .other(let error) where error.name.hasPrefix("org.bluez."):
            self = .bluez(.pairing(error))
        case let failure: self = .bluez(failure)
        }
    }
}
