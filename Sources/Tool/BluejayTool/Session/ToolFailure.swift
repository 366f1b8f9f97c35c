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
        case let error as BluejayError: self.init(Self.status(of: error), Self.words(of: error))
        default: self.init(.failed, "\(error)")
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
    private static func words(of error: BluejayError) -> String {
        guard let state = error.bluetoothState else { return error.description }
        return "Bluetooth is not available: \(state)"
    }
}
