import BluejayCore

/// The errors in the order of their codes.
///
/// A new kind of error does not compile without a case here, and a case does not compile without a
/// rehearsal.
enum ListedError: Int, CaseIterable, Swift.Sendable {
    case bluetoothUnavailable = 1, multipleScanNotSupported, multipleConnectNotSupported,
        multipleDisconnectNotSupported, connectionTimedOut, notConnected, missingService,
        missingCharacteristic, cancelled, explicitDisconnect, unexpectedDisconnect,
        disconnectQueued, listenTimedOut, readFailed, writeFailed, missingData,
        dataOutOfBounds, unexpectedPeripheral, allowDuplicatesInBackgroundNotSupported,
        missingServiceIdentifiersInBackground, backgroundTaskRunning,
        multipleBackgroundTaskNotSupported, indefiniteFlush, stopped,
        backgroundRestorationInProgress, startupBackgroundTaskExpired,
        multipleListenTrapped, multipleListenReplaced, tooMuchData, malformedUUID,
        malformedAddress, malformedText, operationTimedOut, attribute, notPaired,
        notSupported, connectionFailed, peripheralNotFound, valueTooLong, daemon, linkLost,
        pairingFailed, blockedMainLoop, reservedUUID, invalidProperties, alreadyAdded,
        notAdded, notSubscribable, advertisementTooLong, nameTooLong, invalidAdvertisement,
        alreadyAdvertising, tooManyAdvertisements, missingDescriptor, noPeripheralFound,
        inUse, pairingRejected, notSubscribed, notAddressable, tooManyValues, invalidPSM,
        channelRefused, psmInUse, psmNotPermitted, channelClosed, channelFull, systemError,
        ambiguousCharacteristic

    init(_ kind: BluejayError.Kind) {
        self =
            switch kind {
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
            case .pairingRejected: .pairingRejected
            case .notSubscribed: .notSubscribed
            case .notAddressable: .notAddressable
            case .tooManyValues: .tooManyValues
            case .invalidPSM: .invalidPSM
            case .channelRefused: .channelRefused
            case .psmInUse: .psmInUse
            case .psmNotPermitted: .psmNotPermitted
            case .channelClosed: .channelClosed
            case .channelFull: .channelFull
            case .systemError: .systemError
            case .ambiguousCharacteristic: .ambiguousCharacteristic
            }
    }
}

extension ListedError {
    /// One rehearsal for each sentence of the error; none for an error that no call reports.
    var rehearsals: [Rehearsal] {
        switch self {
        case .bluetoothUnavailable: [.bluetoothUnavailable]
        case .multipleScanNotSupported: [.secondScan]
        case .multipleConnectNotSupported: [.secondConnect]
        case .multipleDisconnectNotSupported: [.secondDisconnect]
        case .connectionTimedOut: [.connectionTimedOut]
        case .notConnected: [.notConnected]
        case .missingService: [.missingService]
        case .missingCharacteristic: [.missingCharacteristic]
        case .cancelled: [.cancelled]
        case .explicitDisconnect: [.explicitDisconnect]
        case .unexpectedDisconnect: [.unexpectedDisconnect]
        case .disconnectQueued: [.disconnectQueued]
        case .listenTimedOut: [.listenTimedOut]
        case .dataOutOfBounds: [.dataOutOfBounds]
        case .unexpectedPeripheral: [.unexpectedPeripheral]
        case .backgroundTaskRunning: [.backgroundTaskRunning]
        case .multipleBackgroundTaskNotSupported: [.secondBackgroundTask]
        case .indefiniteFlush: [.indefiniteFlush]
        case .stopped: [.stopped, .loopEnded]
        case .backgroundRestorationInProgress: [.restorationInProgress]
        case .multipleListenTrapped: [.multipleListenTrapped]
        case .multipleListenReplaced: [.multipleListenReplaced]
        case .tooMuchData: [.tooMuchData]
        case .malformedUUID: [.malformedUUID]
        case .malformedAddress: [.malformedAddress]
        case .malformedText: [.malformedText]
        case .operationTimedOut: [.operationTimedOut]
        case .attribute: [.attribute, .unanswered]
        case .notPaired: [.notPaired]
        case .notSupported: [.notSupported]
        case .connectionFailed: [.connectionFailed]
        case .peripheralNotFound: [.peripheralNotFound]
        case .valueTooLong: [.valueTooLong]
        case .daemon: [.daemon]
        case .linkLost: [.linkLost]
        case .pairingFailed: [.pairingFailed]
        case .blockedMainLoop: [.blockedMainLoop]
        case .reservedUUID: [.reservedUUID]
        case .invalidProperties: [.invalidProperties, .sharedSubscription]
        case .alreadyAdded: [.alreadyAdded, .addedElsewhere, .addedTwice]
        case .notAdded: [.notAdded, .removedService]
        case .notSubscribable: [.notSubscribable]
        case .advertisementTooLong: [.advertisementTooLong]
        case .nameTooLong: [.nameTooLong]
        case .invalidAdvertisement: [.invalidAdvertisement]
        case .alreadyAdvertising: [.alreadyAdvertising]
        case .tooManyAdvertisements: [.tooManyAdvertisements]
        case .missingDescriptor: [.missingDescriptor]
        case .noPeripheralFound: [.noPeripheralFound]
        case .inUse: [.inUse, .channelReopened, .listenerRestarted]
        case .pairingRejected: [.pairingRejected, .pairingUnanswered]
        case .notSubscribed: [.notSubscribed]
        case .notAddressable: [.notAddressable]
        case .tooManyValues: [.tooManyValues]
        case .invalidPSM: [.invalidPSM, .invalidListenerPSM]
        case .channelRefused: [.channelRefused]
        case .psmInUse: [.psmInUse]
        case .psmNotPermitted: [.psmNotPermitted]
        case .channelClosed: [.channelClosed]
        case .channelFull: [.channelFull]
        case .systemError: [.systemError]
        case .ambiguousCharacteristic: [.ambiguousCharacteristic]
        // These exist for source compatibility with the iOS library.
        case .readFailed, .writeFailed, .missingData, .allowDuplicatesInBackgroundNotSupported,
            .missingServiceIdentifiersInBackground, .startupBackgroundTaskExpired:
            []
        }
    }
}
