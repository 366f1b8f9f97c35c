internal import BluejayDBus

/// Why the simulated kernel makes no channel: the numbers of errno that Linux gives.
enum ChannelError: Int32, Error {
    case noAccess = 13
    case invalid = 22
    case inUse = 98
    case notConnected = 107
    case refused = 111
    case unreachable = 113

    var error: BusError {
        BusError(name: "org.bluejay.Error.Kernel", message: "\(rawValue)")
    }
}
