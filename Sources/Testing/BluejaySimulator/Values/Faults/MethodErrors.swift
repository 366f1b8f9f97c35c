/// The errors with which bluetoothd refuses calls of its methods, as its source names them.
package enum MethodErrors {
    private static let notConnected = ("org.bluez.Error.Failed", "Not connected")
    private static let inProgress = ("org.bluez.Error.InProgress", "In Progress")
    private static let notReady = ("org.bluez.Error.NotReady", "Resource Not Ready")
    private static let notSupported = (
        "org.bluez.Error.NotSupported", "Operation is not supported"
    )
    private static let alreadyExists = ("org.bluez.Error.AlreadyExists", "Already Exists")
    private static let doesNotExist = ("org.bluez.Error.DoesNotExist", "Does Not Exist")
    private static let invalidArguments = (
        "org.bluez.Error.InvalidArguments", "Invalid arguments in method call"
    )
    private static let notAuthorized = (
        "org.bluez.Error.NotAuthorized", "Operation Not Authorized"
    )
    private static let notPaired = ("org.bluez.Error.NotPermitted", "Not paired")
    private static let unlikely = (
        "org.bluez.Error.Failed", "Operation failed with ATT error: 0x0e"
    )
    private static let unknownObject = (
        "org.freedesktop.DBus.Error.UnknownObject", "the object was removed"
    )

    private static let attributeErrors = [
        notConnected, inProgress, notPaired, notAuthorized, notSupported, unlikely, unknownObject,
    ]

    private static let errors: [String: [(name: String, text: String)]] = [
        "Connect": [
            ("org.bluez.Error.Failed", "le-connection-abort-by-local"),
            ("org.bluez.Error.Failed", "le-connection-timeout"),
            ("org.bluez.Error.Failed", "le-connection-unknown"), inProgress, notReady,
            ("org.bluez.Error.AlreadyConnected", "Already Connected"), unknownObject,
        ],
        // bluetoothd refuses `Disconnect` only without a link, which is not a fault at this call.
        "Disconnect": [],
        "Pair": [
            ("org.bluez.Error.AuthenticationFailed", "Authentication Failed"),
            ("org.bluez.Error.AuthenticationCanceled", "Authentication Canceled"),
            ("org.bluez.Error.AuthenticationRejected", "Authentication Rejected"),
            ("org.bluez.Error.AuthenticationTimeout", "Authentication Timeout"),
            ("org.bluez.Error.ConnectionAttemptFailed", "Page Timeout"), alreadyExists,
            inProgress, unknownObject,
        ],
        "CancelPairing": [doesNotExist, unknownObject],
        "ReadValue": attributeErrors + [("org.bluez.Error.NotPermitted", "Read not permitted")],
        "WriteValue": attributeErrors + [
            ("org.bluez.Error.NotPermitted", "Write not permitted"),
            ("org.bluez.Error.InvalidArguments", "Invalid Length"),
        ],
        "StartNotify": attributeErrors + [
            ("org.bluez.Error.NotConnected", "Not Connected"),
            ("org.bluez.Error.NotPermitted", "Notify acquired"),
        ],
        "AcquireNotify": attributeErrors + [("org.bluez.Error.NotPermitted", "Notify acquired")],
        "AcquireWrite": attributeErrors + [("org.bluez.Error.NotPermitted", "Write acquired")],
        "StopNotify": [("org.bluez.Error.Failed", "No notify session started"), unknownObject],
        "StartDiscovery": [
            ("org.bluez.Error.InProgress", "Operation already in progress"), notReady,
            ("org.bluez.Error.Failed", "Not Powered"), unknownObject,
        ],
        // bluetoothd refuses `StopDiscovery` only without a scan of this program.
        "StopDiscovery": [],
        "SetDiscoveryFilter": [notReady, notSupported, invalidArguments, unknownObject],
        "RemoveDevice": [doesNotExist, notReady, unknownObject],
        "RegisterAgent": [alreadyExists, invalidArguments],
        "UnregisterAgent": [doesNotExist],
        "RegisterApplication": [
            alreadyExists, invalidArguments, ("org.bluez.Error.Failed", "No object received"),
        ],
        "UnregisterApplication": [doesNotExist],
        "RegisterAdvertisement": [
            ("org.bluez.Error.NotPermitted", "Maximum advertisements reached"), alreadyExists,
            ("org.bluez.Error.Failed", "Failed to register advertisement"), invalidArguments,
        ],
        "UnregisterAdvertisement": [doesNotExist],
        "RegisterMonitor": [alreadyExists, invalidArguments],
        "UnregisterMonitor": [doesNotExist],
        "Set": [
            ("org.bluez.Error.Failed", ""), ("org.bluez.Error.Busy", ""),
            ("org.bluez.Error.Blocked", ""),
            ("org.bluez.Error.Unsupported", "Operation is not supported"), unknownObject,
        ],
    ]

    /// The errors of a method by name and text; of an unknown method the one of a removed object.
    package static func of(_ member: String) -> [(name: String, text: String)] {
        errors[member] ?? [unknownObject]
    }
}
