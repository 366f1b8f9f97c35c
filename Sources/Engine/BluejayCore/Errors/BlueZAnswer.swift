/// The explanation of a known error of bluetoothd, and its remedy.
package struct BlueZAnswer: Equatable {
    /// The cause, as part of a sentence.
    package let cause: String
    package let remedy: String
    /// Whether the call will fail until a setting or the peripheral changes.
    package var isPermanent = false
    /// Whether bluetoothd reports the same if a paired peripheral has lost its keys.
    package var mayBeLostKeys = false

    /// Returns cause, text and remedy: `the link broke (le-connection-abort-by-local); try again`.
    func sentence(_ text: String) -> String { "\(cause) (\(text)); \(remedy)" }

    /// Splits a text such as `org.bluez.Error.Failed: Not connected` into name and text.
    ///
    /// The name is empty for a text of this library.
    static func parts(of answer: String) -> (name: String, text: String) {
        guard answer.hasPrefix("org.") else { return ("", answer) }
        guard let end = answer.firstRange(of: ": ") else { return (answer, "") }
        return (String(answer[..<end.lowerBound]), String(answer[end.upperBound...]))
    }

    /// Explains a failed connection; `nil` for an unknown error.
    static func connecting(_ answer: String) -> String? {
        let (name, text) = parts(of: answer)
        return connecting(name, text)?.sentence(text.isEmpty ? name : text)
    }

    /// Explains a failed pairing; `nil` for an unknown error.
    static func pairing(_ answer: String) -> String? {
        let (name, text) = parts(of: answer)
        return pairing(name, text)?.sentence(text.isEmpty ? name : answer)
    }

    /// Whether `Device1.Connect` would fail with this error again.
    static func isPermanent(_ answer: String) -> Bool {
        let (name, text) = parts(of: answer)
        return isPermanent(name, text)
    }

    static func isPermanent(_ name: String, _ text: String) -> Bool {
        connecting(name, text)?.isPermanent ?? false
    }

    /// Explains a failed connection; returns `answer` itself for an unknown error.
    package static func explained(_ answer: String) -> String { connecting(answer) ?? answer }
}

extension BlueZAnswer {
    /// Explains an error of a call without a separate table, such as `StartNotify`.
    static func other(_ name: String, _ text: String) -> BlueZAnswer? {
        guard let kind = kind(of: name) else {
            return name.hasSuffix(".LimitsExceeded") ? exhausted : nil
        }
        return kind == "Failed" ? failures[text] : kinds[kind]
    }

    /// Returns the last part of an error name: `InProgress` for `org.bluez.Error.InProgress`.
    static func kind(of name: String) -> String? {
        let prefix = "org.bluez.Error."
        return name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : nil
    }

    private static let exhausted = BlueZAnswer(
        cause: "this user or program has reached a limit of the bus",
        remedy: "end programs with many connections to the bus"
    )

    private static let kinds: [String: BlueZAnswer] = [
        "InProgress": BlueZAnswer(
            cause: "another call on the same object is in progress",
            remedy: "wait for it, in this and in other programs, and try again"
        ),
        "Busy": BlueZAnswer(
            cause: "a change of the same setting is in progress",
            remedy: "try again after a second"
        ),
        "NotPermitted": BlueZAnswer(
            cause: "another program has acquired the characteristic",
            remedy: "end its use there, and try again"
        ),
        "NotAvailable": BlueZAnswer(
            cause: "not available at present",
            remedy: "try again; `journalctl -u bluetooth` may show the reason"
        ),
        "DoesNotExist": BlueZAnswer(
            cause: "bluetoothd does not know the object",
            remedy: "scan for the peripheral, and try again"
        ),
        "AlreadyExists": BlueZAnswer(
            cause: "already registered",
            remedy: "remove the first one, in this or in another program"
        ),
        "InvalidArguments": BlueZAnswer(
            cause: "bluetoothd rejected the arguments",
            remedy: "check the arguments; this version of BlueZ may be too old for them",
            isPermanent: true
        ),
        "NotSupported": BlueZAnswer(
            cause: "the adapter or this version of BlueZ does not support it",
            remedy: "`bluejay doctor` shows both",
            isPermanent: true
        ),
        "Unsupported": BlueZAnswer(
            cause: "bluetoothd stores this setting for paired devices only",
            remedy: "connect or pair first",
            isPermanent: true
        ),
        "NotAuthorized": BlueZAnswer(
            cause: "bluetoothd reserves it",
            remedy: "use another service, or end the plugin of bluetoothd that uses it",
            isPermanent: true
        ),
        "NoSuchAdapter": BlueZAnswer(
            cause: "the adapter is gone",
            remedy: "plug it in; `bluetoothctl list` shows the adapters"
        ),
        "AgentNotAvailable": BlueZAnswer(
            cause: "no agent responds to pairing requests",
            remedy: "call setPairingHandler(_:) first"
        ),
        "Blocked": BlueZAnswer(
            cause: "the adapter is blocked",
            remedy: "run `sudo rfkill unblock bluetooth`"
        ),
    ]

    private static let failures: [String: BlueZAnswer] = [
        "Operation failed": BlueZAnswer(
            cause: "the request failed without a code, often because the link is ending",
            remedy: "try again, and connect first if the link is gone"
        ),
        "Failed to send read request": unsent,
        "Failed to initiate write": unsent,
        "No ATT transport": unsent,
        "Failed allocate notify session": unregistered,
        "Failed to register notify session": unregistered,
        "Failed to subscribe": unregistered,
        "No notify session started": BlueZAnswer(
            cause: "the characteristic has no listener",
            remedy: "listen first"
        ),
        "No discovery started": BlueZAnswer(
            cause: "no scan of this program is running",
            remedy: "scan first"
        ),
        "Failed to set as default": BlueZAnswer(
            cause: "bluetoothd did not change its default agent",
            remedy: "check for another agent with `bluetoothctl`"
        ),
    ]

    private static let unsent = BlueZAnswer(
        cause: "the request could not be sent, because the link is ending or out of memory",
        remedy: "connect again, and repeat the call"
    )

    private static let unregistered = BlueZAnswer(
        cause: "bluetoothd could not register the listener",
        remedy: "connect again, and listen again"
    )
}
