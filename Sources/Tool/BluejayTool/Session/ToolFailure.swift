import BluejayCore

/// Why a subcommand did not do what it was asked for.
struct ToolFailure: Error, Equatable {
    /// What the program ends with.
    enum Status: Int32 {
        case failed = 1
        case noBluetooth = 2
        case noDevice = 3
    }

    let status: Status
    /// A sentence for people, lower case and without a full stop.
    let message: String

    init(_ status: Status, _ message: String) {
        self.status = status
        self.message = message
    }

    /// What an error of the library is to somebody at a terminal.
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

    // Which of the calls met it says nothing to somebody who has asked for something else.
    private static func words(of error: BluejayError) -> String {
        guard let state = error.bluetoothState else { return error.description }
        return "Bluetooth is not available: \(state)"
    }
}
