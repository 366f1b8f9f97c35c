package import BluejayDBus

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
