public import Foundation

extension BluejayError: LocalizedError {
    /// What failed and what to do; never the value of an attribute.
    public var errorDescription: String? { message }

    /// The message under `NSLocalizedDescriptionKey`.
    public var errorUserInfo: [String: Any] {
        // Foundation on Linux takes the description of a `CustomNSError` from here alone.
        [NSLocalizedDescriptionKey: message]
    }
}

extension BluejayError: CustomStringConvertible {
    /// The same text as `localizedDescription`.
    public var description: String { message }
}

extension BluejayError {
    private var message: String {
        let text =
            connectionMessage ?? transferMessage ?? taskMessage ?? valueMessage ?? "unknown error"
        return text.displayText
    }

    private var connectionMessage: String? {
        switch self {
        case .bluetoothUnavailable(let state):
            "Bluetooth is not available: \(state)"
        case .multipleScanNotSupported:
            "a scan is running or waiting; call stopScanning() before another one"
        case .multipleConnectNotSupported:
            "a peripheral is connected or being connected; call disconnect() before another connect"
        case .multipleDisconnectNotSupported:
            "a disconnection is running or waiting; wait for its completion"
        case .connectionTimedOut:
            "the connection was not made in time; check that the peripheral is on and in range"
        case .notConnected:
            "no peripheral is connected; call connect() and wait for its completion"
        case .unexpectedDisconnect:
            "the connection was lost or refused; check that the peripheral is on and in range"
        case .unexpectedPeripheral(let peripheral):
            "peripheral \(peripheral) cannot be connected to; scan for it first"
        case .peripheralNotFound(let peripheral):
            "peripheral \(peripheral) is not known to BlueZ and was not seen; "
                + "check that it is on and in range"
        case .linkLost(let reason):
            "the connection ended \(reason)"
        case .pairingFailed(let text):
            "pairing failed (\(text)); remove the old keys on both sides, here with "
                + "`bluetoothctl remove`, and pair again"
        case .connectionFailed(let text):
            "the connection failed: \(text)"
        case .explicitDisconnect:
            "the operation was ended by a disconnection you asked for"
        case .disconnectQueued:
            "a disconnection is waiting; connect again before asking for more"
        case .cancelled:
            "the operation was cancelled"
        case .stopped:
            "the operation was ended because Bluejay was stopped"
        default: nil
        }
    }

    private var transferMessage: String? {
        switch self {
        case .missingService(let service):
            "the peripheral has no service \(service)"
        case .missingCharacteristic(let characteristic):
            "the peripheral has no characteristic \(characteristic)"
        case .listenTimedOut:
            "the listen ended because its time was over"
        case .readFailed:
            "the value could not be read"
        case .writeFailed:
            "the value could not be written"
        case .missingData:
            "a notification came without a value"
        case .multipleListenTrapped:
            "another listen is installed on the characteristic; end it first, or install it with "
                + ".replaceable"
        case .multipleListenReplaced:
            "the listen was replaced by a later one on the same characteristic"
        case .operationTimedOut(let operation):
            "\(operation) did not end in time"
        case .attribute(let error, let message):
            "\(message): \(error)"
        case .notPaired:
            "the peripheral wants an encrypted link; pair with it, such as with "
                + "`bluetoothctl pair`"
        case .notSupported(let text):
            "not supported: \(text)"
        case .daemon(let name, let message):
            "\(name): \(message)"
        default: nil
        }
    }

    private var taskMessage: String? {
        switch self {
        case .allowDuplicatesInBackgroundNotSupported:
            "a scan with duplicates is not possible in the background"
        case .missingServiceIdentifiersInBackground:
            "a scan for all services is not possible in the background"
        case .backgroundTaskRunning:
            "a background task is running; use its SynchronizedPeripheral, or wait for its end"
        case .blockedMainLoop:
            "a call that blocks was made on the main loop, where its result would come; make it "
                + "inside run(backgroundTask:)"
        case .multipleBackgroundTaskNotSupported:
            "another background task is running; wait for its end"
        case .indefiniteFlush:
            "a flush needs a time limit above zero, such as .seconds(3)"
        case .backgroundRestorationInProgress:
            "the state before the restart is being restored; wait for the background restorer"
        case .startupBackgroundTaskExpired:
            "the state before the restart could not be restored in time"
        default: nil
        }
    }

    private var valueMessage: String? {
        switch self {
        case .dataOutOfBounds(let start, let length, let count):
            "\(length) bytes from byte \(start) cannot be taken from data of \(count) bytes"
        case .tooMuchData(let expected, let received):
            "\(received.count) bytes were received where \(expected) were expected"
        case .valueTooLong(let length, let limit):
            "the value has \(length) bytes and at most \(limit) can be written"
        case .malformedUUID(let text):
            "\"\(text)\" is no UUID; write 4, 8 or 36 characters, such as 180D"
        case .malformedAddress(let text):
            "\"\(text)\" is no Bluetooth address; write six pairs of hexadecimal digits, such as "
                + "C4:7C:8D:6A:1F:02"
        case .malformedText:
            "the bytes are not UTF-8 text; read them as Data"
        default: nil
        }
    }
}
