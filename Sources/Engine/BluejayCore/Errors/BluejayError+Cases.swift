public import FoundationEssentials

/// The kinds that the iOS library has.
extension BluejayError {
    /// Bluetooth cannot be used; the state says why and what to do.
    public static func bluetoothUnavailable(_ state: BluetoothState) -> BluejayError {
        BluejayError(.bluetoothUnavailable(state))
    }

    /// Bluetooth cannot be used, for a reason that is not known; as a pattern, for any reason.
    public static let bluetoothUnavailable = BluejayError(.bluetoothUnavailable(.unknown))

    /// A scan is running or waiting.
    public static let multipleScanNotSupported = BluejayError(.multipleScanNotSupported)

    /// A peripheral is connected, or is being connected.
    public static let multipleConnectNotSupported = BluejayError(.multipleConnectNotSupported)

    /// A disconnection is running or waiting.
    public static let multipleDisconnectNotSupported = BluejayError(.multipleDisconnectNotSupported)

    /// The connection was not made in time.
    public static let connectionTimedOut = BluejayError(.connectionTimedOut)

    /// No peripheral is connected.
    public static let notConnected = BluejayError(.notConnected)

    /// The peripheral has no such service.
    public static func missingService(_ service: ServiceIdentifier) -> BluejayError {
        BluejayError(.missingService(service))
    }

    /// As a pattern: the same with any value.
    public static let missingService = BluejayError(.any(.missingService))

    /// The service has no such characteristic.
    public static func missingCharacteristic(_ characteristic: CharacteristicIdentifier)
        -> BluejayError
    {
        BluejayError(.missingCharacteristic(characteristic))
    }

    /// As a pattern: the same with any value.
    public static let missingCharacteristic = BluejayError(.any(.missingCharacteristic))

    /// The operation was cancelled.
    public static let cancelled = BluejayError(.cancelled)

    /// You disconnected while the operation was waiting or running.
    public static let explicitDisconnect = BluejayError(.explicitDisconnect)

    /// The peripheral refused the connection, or was lost while connecting.
    public static let unexpectedDisconnect = BluejayError(.unexpectedDisconnect)

    /// A disconnection is waiting, and nothing can be added behind it.
    public static let disconnectQueued = BluejayError(.disconnectQueued)

    /// No value came in time.
    public static let listenTimedOut = BluejayError(.listenTimedOut)

    /// The value could not be read.
    public static let readFailed = BluejayError(.readFailed)

    /// The value could not be written.
    public static let writeFailed = BluejayError(.writeFailed)

    /// A notification came without a value.
    public static let missingData = BluejayError(.missingData)

    /// A part was asked for that the data does not have, or that does not fit the type.
    public static func dataOutOfBounds(start: Int, length: Int, count: Int) -> BluejayError {
        BluejayError(.dataOutOfBounds(start: start, length: length, count: count))
    }

    /// As a pattern: the same with any value.
    public static let dataOutOfBounds = BluejayError(.any(.dataOutOfBounds))

    /// The peripheral is not one that can be connected to.
    public static func unexpectedPeripheral(_ peripheral: PeripheralIdentifier) -> BluejayError {
        BluejayError(.unexpectedPeripheral(peripheral))
    }

    /// As a pattern: the same with any value.
    public static let unexpectedPeripheral = BluejayError(.any(.unexpectedPeripheral))

    /// Never happens on Linux: a scan with duplicates in the background.
    public static let allowDuplicatesInBackgroundNotSupported = BluejayError(
        .allowDuplicatesInBackgroundNotSupported
    )

    /// Never happens on Linux: a scan for all services in the background.
    public static let missingServiceIdentifiersInBackground = BluejayError(
        .missingServiceIdentifiersInBackground
    )

    /// A background task is running.
    public static let backgroundTaskRunning = BluejayError(.backgroundTaskRunning)

    /// Another background task is running.
    public static let multipleBackgroundTaskNotSupported = BluejayError(
        .multipleBackgroundTaskNotSupported
    )

    /// A flush needs a limit above zero.
    public static let indefiniteFlush = BluejayError(.indefiniteFlush)

    /// Bluejay was stopped.
    public static let stopped = BluejayError(.stopped)

    /// The state before the restart is being restored.
    public static let backgroundRestorationInProgress = BluejayError(
        .backgroundRestorationInProgress
    )

    /// The restoration took too long.
    public static let startupBackgroundTaskExpired = BluejayError(.startupBackgroundTaskExpired)

    /// Another listen is installed and does not let itself be replaced.
    public static let multipleListenTrapped = BluejayError(.multipleListenTrapped)

    /// Another listen took over.
    public static let multipleListenReplaced = BluejayError(.multipleListenReplaced)

    /// More data came than was expected.
    public static func tooMuchData(expected: Int, received: Data) -> BluejayError {
        BluejayError(.tooMuchData(expected: expected, received: received))
    }

    /// As a pattern: the same with any value.
    public static let tooMuchData = BluejayError(.any(.tooMuchData))
}
