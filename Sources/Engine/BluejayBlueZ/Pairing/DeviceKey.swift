package import BluejayCore
package import BluejayDBus

/// A device, identified by its adapter and address.
package struct DeviceKey: Hashable {
    package var adapter: ObjectPath
    package var address: DeviceAddress

    package init(adapter: ObjectPath, address: DeviceAddress) {
        self.adapter = adapter
        self.address = address
    }
}

/// The requests that a user of the agent answers.
package enum AgentScope: Hashable {
    case device(DeviceKey)
    /// The requests for centrals: devices of an adapter to which this process has no link and that no
    /// other user claims.
    case unclaimedDevices(of: ObjectPath)

    func covers(_ device: DeviceKey, isOwnLink: Bool) -> Bool {
        switch self {
        case .device(let claimed): claimed == device
        case .unclaimedDevices(let adapter): !isOwnLink && adapter == device.adapter
        }
    }

    var isForUnclaimedDevices: Bool {
        if case .unclaimedDevices = self { return true }
        return false
    }
}

extension ObjectTree {
    func deviceKey(_ path: ObjectPath) -> DeviceKey? {
        guard let adapter = path.parent, let address = device(at: path)?.address else { return nil }
        return DeviceKey(adapter: adapter, address: address)
    }
}

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
