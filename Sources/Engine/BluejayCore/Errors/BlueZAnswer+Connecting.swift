extension BlueZAnswer {
    /// Explains a failed `Device1.Connect`.
    ///
    /// - Parameters:
    ///   - name: The error name, such as `org.bluez.Error.Failed`.
    ///   - text: The error text. BlueZ 5.62 and later send codes such as `le-connection-timeout`,
    ///     earlier versions the C library's text for the same number.
    /// - Returns: The explanation, or `nil` for an unknown error.
    package static func connecting(_ name: String, _ text: String) -> BlueZAnswer? {
        if name.hasSuffix(".ProfileUnavailable") { return classicFailures[.profile] }
        guard let kind = kind(of: name) else { return nil }
        guard let (cause, isClassic) = ConnectCause.find(text) else {
            return kind == "Failed" ? nil : other(name, text)
        }
        return isClassic ? classicFailures[cause] : lowEnergyFailures[cause]
    }

    private static let classicFailures: [ConnectCause: BlueZAnswer] = {
        // Despite the prefix, these also occur for Low Energy.
        var answers = lowEnergyFailures.filter {
            [.canceled, .keyMissing, .synchronousLimit].contains($0.key)
        }
        for (cause, words) in ConnectCause.classicCauses {
            answers[cause] = BlueZAnswer(
                cause: "bluetoothd used Bluetooth Classic, and \(words)",
                remedy:
                    "forget the device and scan for it, so that it is connected over Low Energy",
                isPermanent: cause.isPermanent
            )
        }
        return answers
    }()

    private static let lowEnergyFailures = ConnectCause.lowEnergyCauses.reduce(
        into: [ConnectCause: BlueZAnswer]()
    ) { answers, entry in
        answers[entry.key] = BlueZAnswer(
            cause: entry.value.cause,
            remedy: entry.value.remedy,
            isPermanent: entry.key.isPermanent,
            mayBeLostKeys: [.abortedByLocal, .abortedByRemote].contains(entry.key)
        )
    }
}

/// The reason why bluetoothd did not connect: one case for each error number that it distinguishes.
private enum ConnectCause: String {
    case connected = "already-connected"
    case pageTimeout = "page-timeout"
    case profile = "profile-unavailable"
    case serviceSearch = "sdp-search"
    case socket = "create-socket"
    case arguments = "invalid-arguments"
    case adapterOff = "adapter-not-powered"
    case notSupported = "not-supported"
    case badSocket = "bad-socket"
    case memory = "memory-allocation"
    case busy
    case limit = "concurrent-connection-limit"
    /// A second code for a full adapter, which has the prefix of Classic only.
    case synchronousLimit = "sync-connect-limit"
    case timeout
    case refused
    case abortedByRemote = "abort-by-remote"
    case abortedByLocal = "abort-by-local"
    case protocolError = "link-layer-protocol-error"
    case canceled
    case serviceDiscovery = "gatt-browsing"
    case keyMissing = "key-missing"
    case unknown

    /// Whether another attempt would fail in the same way.
    var isPermanent: Bool {
        switch self {
        case .arguments, .notSupported, .profile: true
        default: false
        }
    }

    /// Returns the cause that a text names, and whether it refers to Bluetooth Classic.
    static func find(_ text: String) -> (ConnectCause, isClassic: Bool)? {
        for (prefix, isClassic) in [("le-connection-", false), ("br-connection-", true)]
        where text.hasPrefix(prefix) {
            let word = String(text.dropFirst(prefix.count))
            return (ConnectCause(rawValue: word) ?? variants[word]).map { ($0, isClassic) }
        }
        guard let cause = texts[text] else { return nil }
        return (cause, lowEnergyCauses[cause] == nil)
    }

    /// Codes that differ between Classic and Low Energy, or are misspelt in some versions.
    private static let variants: [String: ConnectCause] = [
        "invalid-argument": .arguments, "not-suuported": .notSupported,
        "aborted-by-remote": .abortedByRemote, "aborted-by-local": .abortedByLocal,
        "lmp-protocol-error": .protocolError,
    ]

    /// The texts of glibc and of musl, which BlueZ before 5.62 sends.
    private static let texts: [String: ConnectCause] = [
        "Transport endpoint is already connected": .connected, "Socket is connected": .connected,
        "Host is down": .pageTimeout, "Protocol not available": .profile,
        "Input/output error": .socket, "I/O error": .socket, "Invalid argument": .arguments,
        "No route to host": .adapterOff, "Host is unreachable": .adapterOff,
        "Operation not supported": .notSupported, "Protocol not supported": .notSupported,
        "Not supported": .notSupported, "File descriptor in bad state": .badSocket,
        "Cannot allocate memory": .memory, "Out of memory": .memory,
        "Device or resource busy": .busy, "Resource busy": .busy, "Too many links": .limit,
        "Connection timed out": .timeout, "Operation timed out": .timeout,
        "Connection refused": .refused, "Connection reset by peer": .abortedByRemote,
        "Software caused connection abort": .abortedByLocal, "Connection aborted": .abortedByLocal,
        "Protocol error": .protocolError, "Operation canceled": .canceled,
        "Operation cancelled": .canceled, "Cancelled": .canceled, "Invalid exchange": .keyMissing,
    ]

    private static let fullAdapter = (
        cause: "the adapter has as many connections as it can hold",
        remedy: "disconnect another device, or use another adapter"
    )

    static let lowEnergyCauses: [ConnectCause: (cause: String, remedy: String)] = [
        .connected: ("the peripheral is connected already", "disconnect it first"),
        .socket: (
            "bluetoothd could not open a socket to the peripheral",
            "`journalctl -u bluetooth` and `dmesg` show why; restart Bluetooth with `sudo systemctl "
                + "restart bluetooth`"
        ),
        .arguments: (
            "the kernel did not accept the address or its type",
            "forget the peripheral, and scan for it again"
        ),
        .adapterOff: ("the adapter is switched off", "run `bluetoothctl power on`"),
        .notSupported: (
            "the adapter does not support connections of this kind",
            "use another adapter; `bluejay doctor` shows what this one supports"
        ),
        .badSocket: (
            "the socket to the peripheral broke inside bluetoothd",
            "try again; if it persists, run `sudo systemctl restart bluetooth`"
        ),
        .memory: (
            "the kernel or bluetoothd is out of memory",
            "end other programs, and try again"
        ),
        .busy: (
            "the adapter is busy with another connection attempt",
            "wait until it has ended, and try again"
        ),
        .limit: fullAdapter,
        .synchronousLimit: fullAdapter,
        .timeout: (
            "the peripheral did not answer in time",
            "check that it is on and in range, and try again"
        ),
        .refused: (
            "the peripheral refused the connection",
            "check that it accepts connections, and is connected to no other device"
        ),
        .abortedByRemote: (
            "the peripheral ended the link while it was set up",
            "check that it is connected to no other device, and whether it has to be paired first"
        ),
        .abortedByLocal: (
            "the peripheral was not reached, or the link broke while it was set up",
            "check that it is on, in range and connected to no other device, and try again"
        ),
        .protocolError: (
            "the two ends do not agree on the protocol of the link",
            "try again; an update of the adapter's or the peripheral's firmware may help"
        ),
        .canceled: (
            "the attempt was cancelled: the link broke, or another program disconnected",
            "try again; end other programs that use the peripheral"
        ),
        .serviceDiscovery: (
            "the services of the peripheral could not be read",
            "try again; restart the peripheral if it persists"
        ),
        .keyMissing: (
            "one side has lost the keys of the pairing",
            "remove the other keys as well, here with forget() while disconnected; then connect "
                + "and pair again"
        ),
        .unknown: (
            "bluetoothd gives no reason",
            "try again; `journalctl -u bluetooth` may show more"
        ),
    ]

    static let classicCauses: [ConnectCause: String] = [
        .connected: "the device is connected there already",
        .pageTimeout: "the device did not answer there",
        .profile: "the device has no profile there that this computer uses",
        .serviceSearch: "the services of the device could not be read there",
        .socket: "no socket could be opened",
        .arguments: "the kernel did not accept the address",
        .adapterOff: "the adapter is switched off",
        .notSupported: "the adapter or the device does not support it",
        .badSocket: "the socket broke",
        .memory: "the kernel is out of memory",
        .busy: "another attempt is not finished there",
        .limit: "the adapter has as many connections there as it can hold",
        .timeout: "the device did not answer in time",
        .refused: "the device refused the connection",
        .abortedByRemote: "the device ended the link while it was set up",
        .abortedByLocal: "the link broke while it was set up",
        .protocolError: "the two ends do not agree on its protocol",
        .unknown: "bluetoothd gives no reason",
    ]
}
