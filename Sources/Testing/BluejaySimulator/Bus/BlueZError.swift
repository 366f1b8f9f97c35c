internal import BluejayDBus

/// The errors of bluetoothd with their texts, as recorded.
enum BlueZError {
    static func failed(_ text: String) -> BusError {
        BusError(name: "org.bluez.Error.Failed", message: text)
    }

    static func notPermitted(_ text: String) -> BusError {
        BusError(name: "org.bluez.Error.NotPermitted", message: text)
    }

    static func invalidArguments(_ text: String) -> BusError {
        BusError(name: "org.bluez.Error.InvalidArguments", message: text)
    }

    static let invalidArguments = invalidArguments("Invalid arguments in method call")
    static let inProgress = error("InProgress", "In Progress")
    static let busy = error("InProgress", "Operation already in progress")
    static let switching = error("Busy", "")
    static let notReady = error("NotReady", "Resource Not Ready")
    static let alreadyExists = error("AlreadyExists", "Already Exists")
    static let doesNotExist = error("DoesNotExist", "Does Not Exist")
    static let notSupported = error("NotSupported", "Operation is not supported")
    static let notAuthorized = error("NotAuthorized", "Operation Not Authorized")
    static let notConnected = failed("Not connected")
    static let authenticationFailed = error("AuthenticationFailed", "Authentication Failed")
    static let authenticationCanceled = error("AuthenticationCanceled", "Authentication Canceled")
    static let unknownObject = BusError(
        name: "org.freedesktop.DBus.Error.UnknownObject",
        message: "Method on an object that was removed doesn't exist\n"
    )
    static let pageTimeout = error("ConnectionAttemptFailed", "Page Timeout")

    private static func error(_ name: String, _ text: String) -> BusError {
        BusError(name: "org.bluez.Error.\(name)", message: text)
    }
}
