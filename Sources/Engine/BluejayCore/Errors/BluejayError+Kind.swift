internal import FoundationEssentials

extension BluejayError {
    /// The kind of error with its values; a kind whose value is `nil` is the pattern for all values.
    ///
    /// A new error requires a case here, a row in `details(in:)`, a `Code` and a maker.
    package enum Kind: Hashable, Swift.Sendable {
        case bluetoothUnavailable(BluetoothState)
        case multipleScanNotSupported
        case multipleConnectNotSupported
        case multipleDisconnectNotSupported
        case connectionTimedOut
        case notConnected
        case missingService(ServiceIdentifier?)
        case missingCharacteristic(CharacteristicIdentifier?)
        case cancelled
        case explicitDisconnect
        case unexpectedDisconnect
        case disconnectQueued
        case listenTimedOut
        case readFailed
        case writeFailed
        case missingData
        case dataOutOfBounds(DataRange?)
        case unexpectedPeripheral(PeripheralIdentifier?)
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
        case tooMuchData(UnexpectedData?)
        case malformedUUID(String?)
        case malformedAddress(String?)
        case malformedText
        case operationTimedOut
        case attribute(ATTError?)
        case notPaired
        case notSupported(String?)
        case connectionFailed(String?)
        case peripheralNotFound(PeripheralIdentifier?)
        case valueTooLong(Excess?)
        case daemon(Reply?)
        case linkLost(DisconnectReason?)
        case pairingFailed(String?)
        case blockedMainLoop
        case reservedUUID(BluetoothUUID?)
        case invalidProperties(InvalidProperties?)
        case alreadyAdded(BluetoothUUID?)
        case notAdded(BluetoothUUID?)
        case notSubscribable(BluetoothUUID?)
        case advertisementTooLong(Excess?)
        case nameTooLong(Excess?)
        case invalidAdvertisement(String?)
        case alreadyAdvertising
        case tooManyAdvertisements
        case missingDescriptor(DescriptorIdentifier?)
        case noPeripheralFound(String?)
        case inUse(String?)
        case pairingRejected
        case notSubscribed(PeripheralIdentifier?)
        case notAddressable(PeripheralIdentifier?)
        case tooManyValues(limit: Int?)
        case invalidPSM(UInt16?)
        case channelRefused
        case psmInUse(UInt16?)
        case psmNotPermitted(UInt16?)
        case channelClosed
        case channelFull(limit: Int?)
        case systemError(Int32?)
        case ambiguousCharacteristic([CharacteristicIdentifier]?)
    }

    /// A length that exceeds its limit, in bytes.
    package struct Excess: Hashable, Swift.Sendable {
        package let length: Int
        package let limit: Int
    }

    /// A range that exceeds the data.
    package struct DataRange: Hashable, Swift.Sendable {
        let start: Int
        let length: Int
        let count: Int
    }

    /// More data than expected.
    package struct UnexpectedData: Hashable, Swift.Sendable {
        let expected: Int
        let received: Data
    }

    /// An error reply of BlueZ or the bus.
    package struct Reply: Hashable, Swift.Sendable {
        package let name: String
        package let text: String
    }

    /// Properties that cannot be registered.
    package struct InvalidProperties: Hashable, Swift.Sendable {
        let uuid: BluetoothUUID
        let reason: String
    }
}
