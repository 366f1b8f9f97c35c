internal import BluejayDBus

/// Errors of the simulated kernel, with Linux's `errno` numbers.
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
