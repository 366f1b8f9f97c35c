import BluejayCore

/// An error of a subcommand, with its exit status.
struct ToolFailure: Error, Equatable {
    enum Status: Int32 {
        case failed = 1
        case noBluetooth = 2
        case noDevice = 3
    }

    let status: Status
    /// The message, in lower case and without a full stop.
    let message: String

    init(_ status: Status, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Converts an error of the library for the user of the tool.
    init(_ error: any Error) {
        switch error {
        case let failure as ToolFailure: self = failure
        case let error as BluejayError: self.init(Self.status(of: error), Self.message(of: error))
        default: self.init(.failed, "\(error)")
        }
    }

    /// Whether another connection may help after an error; without the keys of the pairing, none does.
    static func allowsReconnection(_ error: any Error) -> Bool {
        guard let error = error as? BluejayError else { return true }
        switch error.code {
        case .notPaired, .pairingFailed, .pairingRejected: return false
        case .linkLost, .unexpectedDisconnect: return error.isRetryable
        default: return true
        }
    }

    private static func status(of error: BluejayError) -> Status {
        switch error.code {
        case .bluetoothUnavailable: .noBluetooth
        case .peripheralNotFound, .noPeripheralFound, .connectionTimedOut: .noDevice
        default: .failed
        }
    }

    // The name of the failed call means nothing to the user of the tool.
    private static func message(of error: BluejayError) -> String {
        let text =
            error.bluetoothState.map { "Bluetooth is not available: \($0)" } ?? error.description
        return remedies(error.peripheral).reduce(text) { $0.replacing($1.call, with: $1.command) }
    }

    // The library's remedies name its methods, which a user at a terminal cannot call.
    private static func remedies(
        _ peripheral: PeripheralIdentifier?
    ) -> [(call: String, command: String)] {
        let device = peripheral?.address ?? "DEVICE"
        return [
            ("pair first, for example with pair()", "run `bluejay pair \(device)` first"),
            ("call pair()", "run `bluejay pair \(device)`"),
            ("here with forget() while disconnected", "here with `bluejay forget \(device)`"),
            ("end it with cancelPairing()", "stop it there"),
            ("use listen(to:) and endListen(to:)", "use `bluejay listen`"),
            (
                "accept it in the pairing handler, within 25 s",
                "run the command again and answer within 25 s"
            ),
            ("then connect and pair again", "then run `bluejay pair \(device)`"),
            ("see `services`", "`bluejay services \(device)` lists them"),
            (
                "see `properties` for the supported operations",
                "`bluejay services \(device)` shows the supported operations"
            ),
            (
                "wait for the reconnection, or call connect() if none follows",
                "run the command again"
            ),
            ("not connected; call connect() and wait for its completion", "not connected"),
            ("call start() and wait for bluetoothAvailable(true)", "try again"),
            ("wait for bluetoothAvailable(true)", "try again"),
            ("already advertising; call stopAdvertising() first", "already advertising"),
        ]
    }
}
