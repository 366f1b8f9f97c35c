package import FoundationEssentials

extension BluejayError {
    /// What has happened, with its values; layers of this package switch on it.
    package enum Kind: Hashable, Swift.Sendable {
        /// Any of a code: a pattern, or an error whose values are not known.
        case any(Code)
        case bluetoothUnavailable(BluetoothState)
        case multipleScanNotSupported
        case multipleConnectNotSupported
        case multipleDisconnectNotSupported
        case connectionTimedOut
        case notConnected
        case missingService(ServiceIdentifier)
        case missingCharacteristic(CharacteristicIdentifier)
        case cancelled
        case explicitDisconnect
        case unexpectedDisconnect
        case disconnectQueued
        case listenTimedOut
        case readFailed
        case writeFailed
        case missingData
        case dataOutOfBounds(start: Int, length: Int, count: Int)
        case unexpectedPeripheral(PeripheralIdentifier)
        case allowDuplicatesInBackgroundNotSupported
        case missingServiceIdentifiersInBackground
        case backgroundTaskRunning
        case multipleBackgroundTaskNotSupported
        case indefiniteFlush
        case stopped
        case backgroundRestorationInProgress
        case startupBackgroundTaskExpired
        case multipleListenTrapped
        case multipleListenReplaced
        case tooMuchData(expected: Int, received: Data)
        case malformedUUID(String)
        case malformedAddress(String)
        case malformedText
        case operationTimedOut
        case attribute(ATTError)
        case notPaired
        case notSupported(String)
        case connectionFailed(String)
        case peripheralNotFound(PeripheralIdentifier)
        case valueTooLong(length: Int, limit: Int)
        case daemon(name: String, message: String)
        case linkLost(DisconnectReason)
        case pairingFailed(String)
        case pairingRefused
        case blockedMainLoop
        case reservedUUID(BluetoothUUID)
        case invalidProperties(BluetoothUUID, String)
        case alreadyAdded(BluetoothUUID)
        case notAdded(BluetoothUUID)
        case notSubscribable(BluetoothUUID)
        case advertisementTooLong(length: Int, limit: Int)
        case nameTooLong(length: Int, limit: Int)
        case invalidAdvertisement(String)
        case alreadyAdvertising
        case tooManyAdvertisements
        case missingDescriptor(DescriptorIdentifier)
        case noPeripheralFound(String)
        case inUse(String)
        case notSubscribed(PeripheralIdentifier)
        case notAddressable(PeripheralIdentifier)
        case tooManyValues(limit: Int)
        case invalidPSM(UInt16)
        case channelRefused
        case psmInUse(UInt16)
        case psmNotPermitted(UInt16)
        case channelClosed
        case channelFull(limit: Int)
        case systemError(Int32)
    }
}

extension BluejayError.Kind {
    var code: BluejayError.Code {
        switch self {
        case .any(let code): code
        case .bluetoothUnavailable: .bluetoothUnavailable
        case .multipleScanNotSupported: .multipleScanNotSupported
        case .multipleConnectNotSupported: .multipleConnectNotSupported
        case .multipleDisconnectNotSupported: .multipleDisconnectNotSupported
        case .connectionTimedOut: .connectionTimedOut
        case .notConnected: .notConnected
        case .missingService: .missingService
        case .missingCharacteristic: .missingCharacteristic
        case .cancelled: .cancelled
        case .explicitDisconnect: .explicitDisconnect
        case .unexpectedDisconnect: .unexpectedDisconnect
        case .disconnectQueued: .disconnectQueued
        case .listenTimedOut: .listenTimedOut
        case .readFailed: .readFailed
        case .writeFailed: .writeFailed
        case .missingData: .missingData
        case .dataOutOfBounds: .dataOutOfBounds
        case .unexpectedPeripheral: .unexpectedPeripheral
        case .allowDuplicatesInBackgroundNotSupported: .allowDuplicatesInBackgroundNotSupported
        case .missingServiceIdentifiersInBackground: .missingServiceIdentifiersInBackground
        case .backgroundTaskRunning: .backgroundTaskRunning
        case .multipleBackgroundTaskNotSupported: .multipleBackgroundTaskNotSupported
        case .indefiniteFlush: .indefiniteFlush
        case .stopped: .stopped
        case .backgroundRestorationInProgress: .backgroundRestorationInProgress
        case .startupBackgroundTaskExpired: .startupBackgroundTaskExpired
        case .multipleListenTrapped: .multipleListenTrapped
        case .multipleListenReplaced: .multipleListenReplaced
        case .tooMuchData: .tooMuchData
        default: codeOfLinux
        }
    }

    /// The code of a kind that the iOS library does not have.
    private var codeOfLinux: BluejayError.Code {
        switch self {
        case .malformedUUID: .malformedUUID
        case .malformedAddress: .malformedAddress
        case .malformedText: .malformedText
        case .operationTimedOut: .operationTimedOut
        case .attribute: .attribute
        case .notPaired: .notPaired
        case .notSupported: .notSupported
        case .connectionFailed: .connectionFailed
        case .peripheralNotFound: .peripheralNotFound
        case .valueTooLong: .valueTooLong
        case .daemon: .daemon
        case .linkLost: .linkLost
        case .pairingFailed: .pairingFailed
        case .pairingRefused: .pairingRefused
        case .blockedMainLoop: .blockedMainLoop
        case .reservedUUID: .reservedUUID
        case .invalidProperties: .invalidProperties
        case .alreadyAdded: .alreadyAdded
        case .notAdded: .notAdded
        case .notSubscribable: .notSubscribable
        case .advertisementTooLong: .advertisementTooLong
        case .nameTooLong: .nameTooLong
        case .invalidAdvertisement: .invalidAdvertisement
        case .alreadyAdvertising: .alreadyAdvertising
        case .tooManyAdvertisements: .tooManyAdvertisements
        case .missingDescriptor: .missingDescriptor
        case .noPeripheralFound: .noPeripheralFound
        case .inUse: .inUse
        default: codeOfLaterOnes
        }
    }

    /// The code of a kind that came behind the others.
    private var codeOfLaterOnes: BluejayError.Code {
        switch self {
        case .notSubscribed: .notSubscribed
        case .notAddressable: .notAddressable
        case .tooManyValues: .tooManyValues
        case .invalidPSM: .invalidPSM
        case .channelRefused: .channelRefused
        case .psmInUse: .psmInUse
        case .psmNotPermitted: .psmNotPermitted
        case .channelClosed: .channelClosed
        case .channelFull: .channelFull
        default: .systemError
        }
    }
}
