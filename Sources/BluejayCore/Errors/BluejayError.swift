public import Foundation

/// Why a call of Bluejay failed.
///
/// The codes of the first 29 cases are those of the iOS library.
public enum BluejayError: Error, Hashable, Swift.Sendable {
    /// Bluetooth cannot be used; the state says why and what to do.
    ///
    /// The pattern `.bluetoothUnavailable` without a value matches every state.
    case bluetoothUnavailable(BluetoothState)
    /// A scan is running or waiting.
    case multipleScanNotSupported
    /// A peripheral is connected, or is being connected.
    case multipleConnectNotSupported
    /// A disconnection is running or waiting.
    case multipleDisconnectNotSupported
    /// The connection was not made in time.
    case connectionTimedOut
    /// No peripheral is connected.
    case notConnected
    /// The peripheral has no such service.
    case missingService(ServiceIdentifier)
    /// The service has no such characteristic.
    case missingCharacteristic(CharacteristicIdentifier)
    /// The operation was cancelled.
    case cancelled
    /// You disconnected while the operation was waiting or running.
    case explicitDisconnect
    /// The peripheral refused the connection, or was lost while connecting.
    case unexpectedDisconnect
    /// A disconnection is waiting, and nothing can be added behind it.
    case disconnectQueued
    /// No value came in time.
    case listenTimedOut
    /// The value could not be read.
    case readFailed
    /// The value could not be written.
    case writeFailed
    /// A notification came without a value.
    case missingData
    /// A part was asked for that the data does not have, or that does not fit the type.
    case dataOutOfBounds(start: Int, length: Int, count: Int)
    /// The peripheral is not one that can be connected to.
    case unexpectedPeripheral(PeripheralIdentifier)
    /// Never happens on Linux: a scan with duplicates in the background.
    case allowDuplicatesInBackgroundNotSupported
    /// Never happens on Linux: a scan for all services in the background.
    case missingServiceIdentifiersInBackground
    /// A background task is running.
    case backgroundTaskRunning
    /// Another background task is running.
    case multipleBackgroundTaskNotSupported
    /// A flush needs a limit above zero.
    case indefiniteFlush
    /// Bluejay was stopped.
    case stopped
    /// The state before the restart is being restored.
    case backgroundRestorationInProgress
    /// The restoration took too long.
    case startupBackgroundTaskExpired
    /// Another listen is installed and does not let itself be replaced.
    case multipleListenTrapped
    /// Another listen took over.
    case multipleListenReplaced
    /// More data came than was expected.
    case tooMuchData(expected: Int, received: Data)

    // The cases below are those of this library.

    /// The text is no UUID.
    case malformedUUID(String)
    /// The text is no Bluetooth address.
    case malformedAddress(String)
    /// The bytes are not UTF-8.
    case malformedText
    /// The named operation did not end in time.
    case operationTimedOut(String)
    /// The peripheral refused a request; `message` says which, and what came back.
    case attribute(ATTError, message: String)
    /// The request needs an encrypted link, and the peripheral is not paired.
    case notPaired
    /// The peripheral or this version of BlueZ cannot do what was asked.
    case notSupported(String)
    /// The connection could not be made, with what BlueZ says; what a ``DisconnectHandler`` is told.
    case connectionFailed(String)
    /// BlueZ does not know the peripheral, and it was not seen in time; what a ``DisconnectHandler``
    /// is told.
    case peripheralNotFound(PeripheralIdentifier)
    /// The value is longer than can be written.
    case valueTooLong(length: Int, limit: Int)
    /// BlueZ or the bus answered with an error that has no case of its own.
    case daemon(name: String, message: String)
    /// The connection ended by itself; what a ``DisconnectHandler`` is told.
    case linkLost(DisconnectReason)
    /// Pairing with the peripheral failed, or its keys do not fit any more; with what BlueZ says.
    case pairingFailed(String)
    /// A call that blocks was made on the thread that its result would come on.
    case blockedMainLoop

    /// Bluetooth cannot be used, for a reason that is not known.
    public static var bluetoothUnavailable: BluejayError { .bluetoothUnavailable(.unknown) }
}

extension BluejayError: CustomNSError {
    /// The text `Bluejay`.
    public static var errorDomain: String { "Bluejay" }

    /// The number of the case, which never changes.
    public var errorCode: Int {
        switch self {
        case .bluetoothUnavailable: 1
        case .multipleScanNotSupported: 2
        case .multipleConnectNotSupported: 3
        case .multipleDisconnectNotSupported: 4
        case .connectionTimedOut: 5
        case .notConnected: 6
        case .missingService: 7
        case .missingCharacteristic: 8
        case .cancelled: 9
        case .explicitDisconnect: 10
        case .unexpectedDisconnect: 11
        case .disconnectQueued: 12
        case .listenTimedOut: 13
        case .readFailed: 14
        case .writeFailed: 15
        case .missingData: 16
        case .dataOutOfBounds: 17
        case .unexpectedPeripheral: 18
        case .allowDuplicatesInBackgroundNotSupported: 19
        case .missingServiceIdentifiersInBackground: 20
        case .backgroundTaskRunning: 21
        case .multipleBackgroundTaskNotSupported: 22
        case .indefiniteFlush: 23
        case .stopped: 24
        case .backgroundRestorationInProgress: 25
        case .startupBackgroundTaskExpired: 26
        case .multipleListenTrapped: 27
        case .multipleListenReplaced: 28
        case .tooMuchData: 29
        default: codeOfLinux
        }
    }

    /// The number of a case the iOS library does not have.
    private var codeOfLinux: Int {
        switch self {
        case .malformedUUID: 30
        case .malformedAddress: 31
        case .malformedText: 32
        case .operationTimedOut: 33
        case .attribute: 34
        case .notPaired: 35
        case .notSupported: 36
        case .connectionFailed: 37
        case .peripheralNotFound: 38
        case .valueTooLong: 39
        case .daemon: 40
        case .linkLost: 41
        case .pairingFailed: 42
        case .blockedMainLoop: 43
        default: 0
        }
    }
}
