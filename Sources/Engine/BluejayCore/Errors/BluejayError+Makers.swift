public import FoundationEssentials

/// The errors that the iOS library also has.
extension BluejayError {
    /// Bluetooth is unavailable; the state gives the reason and the remedy.
    public static func bluetoothUnavailable(_ state: BluetoothState) -> BluejayError {
        BluejayError(.bluetoothUnavailable(state))
    }

    /// Bluetooth is unavailable for an unknown reason; as a pattern, it matches any reason.
    public static let bluetoothUnavailable = BluejayError(.bluetoothUnavailable(.unknown))

    /// A scan is running or queued.
    public static let multipleScanNotSupported = BluejayError(.multipleScanNotSupported)

    /// A peripheral is connected or connecting.
    public static let multipleConnectNotSupported = BluejayError(.multipleConnectNotSupported)

    /// A disconnection is running or queued.
    public static let multipleDisconnectNotSupported = BluejayError(.multipleDisconnectNotSupported)

    /// The connection attempt timed out.
    public static let connectionTimedOut = BluejayError(.connectionTimedOut)

    /// No peripheral is connected.
    public static let notConnected = BluejayError(.notConnected)

    /// The peripheral has no such service.
    public static func missingService(_ service: ServiceIdentifier) -> BluejayError {
        BluejayError(.missingService(service))
    }

    /// A pattern for any value.
    public static let missingService = BluejayError(.missingService(nil))

    /// The service has no such characteristic.
    public static func missingCharacteristic(_ characteristic: CharacteristicIdentifier)
        -> BluejayError
    {
        BluejayError(.missingCharacteristic(characteristic))
    }

    /// A pattern for any value.
    public static let missingCharacteristic = BluejayError(.missingCharacteristic(nil))

    /// Several characteristics of the peripheral have the UUID of an identifier without a service; the
    /// candidates are their identifiers.
    public static func ambiguousCharacteristic(_ candidates: [CharacteristicIdentifier])
        -> BluejayError
    {
        BluejayError(.ambiguousCharacteristic(candidates))
    }

    /// A pattern for any value.
    public static let ambiguousCharacteristic = BluejayError(.ambiguousCharacteristic(nil))

    /// The operation was cancelled.
    public static let cancelled = BluejayError(.cancelled)

    /// The program disconnected while the operation was queued or running.
    public static let explicitDisconnect = BluejayError(.explicitDisconnect)

    /// The peripheral refused the connection, or the link was lost while connecting.
    public static let unexpectedDisconnect = BluejayError(.unexpectedDisconnect)

    /// A disconnection is queued, and the queue accepts no further operations.
    public static let disconnectQueued = BluejayError(.disconnectQueued)

    /// No value arrived in time.
    public static let listenTimedOut = BluejayError(.listenTimedOut)

    /// The value could not be read.
    public static let readFailed = BluejayError(.readFailed)

    /// The value could not be written.
    public static let writeFailed = BluejayError(.writeFailed)

    /// A notification arrived without a value.
    public static let missingData = BluejayError(.missingData)

    /// The requested range exceeds the data or does not fit the type.
    public static func dataOutOfBounds(start: Int, length: Int, count: Int) -> BluejayError {
        BluejayError(.dataOutOfBounds(DataRange(start: start, length: length, count: count)))
    }

    /// A pattern for any value.
    public static let dataOutOfBounds = BluejayError(.dataOutOfBounds(nil))

    /// The peripheral cannot be connected to.
    public static func unexpectedPeripheral(_ peripheral: PeripheralIdentifier) -> BluejayError {
        BluejayError(.unexpectedPeripheral(peripheral))
    }

    /// A pattern for any value.
    public static let unexpectedPeripheral = BluejayError(.unexpectedPeripheral(nil))

    /// Never occurs on Linux: a scan with duplicates in the background.
    public static let allowDuplicatesInBackgroundNotSupported = BluejayError(
        .allowDuplicatesInBackgroundNotSupported
    )

    /// Never occurs on Linux: a scan for all services in the background.
    public static let missingServiceIdentifiersInBackground = BluejayError(
        .missingServiceIdentifiersInBackground
    )

    /// A background task is running.
    public static let backgroundTaskRunning = BluejayError(.backgroundTaskRunning)

    /// Another background task is running.
    public static let multipleBackgroundTaskNotSupported = BluejayError(
        .multipleBackgroundTaskNotSupported
    )

    /// A flush requires a time limit above zero.
    public static let indefiniteFlush = BluejayError(.indefiniteFlush)

    /// Bluejay or its main loop was stopped.
    public static let stopped = BluejayError(.stopped)

    /// The state before the restart is still being restored.
    public static let backgroundRestorationInProgress = BluejayError(
        .backgroundRestorationInProgress
    )

    /// Never occurs on Linux: the restoration took too long.
    public static let startupBackgroundTaskExpired = BluejayError(.startupBackgroundTaskExpired)

    /// Another listen is installed and must not be replaced.
    public static let multipleListenTrapped = BluejayError(.multipleListenTrapped)

    /// Another listen replaced this one.
    public static let multipleListenReplaced = BluejayError(.multipleListenReplaced)

    /// More data arrived than expected.
    public static func tooMuchData(expected: Int, received: Data) -> BluejayError {
        BluejayError(.tooMuchData(UnexpectedData(expected: expected, received: received)))
    }

    /// A pattern for any value.
    public static let tooMuchData = BluejayError(.tooMuchData(nil))
}

/// The errors of a central on Linux.
extension BluejayError {
    /// The text is not a UUID.
    public static func malformedUUID(_ text: String) -> BluejayError {
        BluejayError(.malformedUUID(text))
    }

    /// A pattern for any value.
    public static let malformedUUID = BluejayError(.malformedUUID(nil))

    /// The text is not a Bluetooth address.
    public static func malformedAddress(_ text: String) -> BluejayError {
        BluejayError(.malformedAddress(text))
    }

    /// A pattern for any value.
    public static let malformedAddress = BluejayError(.malformedAddress(nil))

    /// The bytes are not UTF-8.
    public static let malformedText = BluejayError(.malformedText)

    /// The call timed out.
    public static let operationTimedOut = BluejayError(.operationTimedOut)

    /// The peripheral refused a request with this code.
    public static func attribute(_ error: ATTError) -> BluejayError {
        BluejayError(.attribute(error))
    }

    /// A pattern for any value.
    public static let attribute = BluejayError(.attribute(nil))

    /// The request requires an encrypted link, and the peripheral is not paired.
    public static let notPaired = BluejayError(.notPaired)

    /// The peripheral or this version of BlueZ does not support the request, which the text names.
    public static func notSupported(_ text: String) -> BluejayError {
        BluejayError(.notSupported(text))
    }

    /// A pattern for any value.
    public static let notSupported = BluejayError(.notSupported(nil))

    /// The connection failed, with BlueZ's reason; passed to disconnect handlers.
    public static func connectionFailed(_ text: String) -> BluejayError {
        BluejayError(.connectionFailed(text))
    }

    /// A pattern for any value.
    public static let connectionFailed = BluejayError(.connectionFailed(nil))

    /// BlueZ does not know the peripheral, and a scan did not find it in time.
    public static func peripheralNotFound(_ peripheral: PeripheralIdentifier) -> BluejayError {
        BluejayError(.peripheralNotFound(peripheral))
    }

    /// A pattern for any value.
    public static let peripheralNotFound = BluejayError(.peripheralNotFound(nil))

    /// The value is too long to be written or published; both numbers are in bytes.
    public static func valueTooLong(length: Int, limit: Int) -> BluejayError {
        BluejayError(.valueTooLong(Excess(length: length, limit: limit)))
    }

    /// A pattern for any value.
    public static let valueTooLong = BluejayError(.valueTooLong(nil))

    /// BlueZ or the bus replied with an error that has no separate code.
    public static func daemon(name: String, message: String) -> BluejayError {
        BluejayError(.daemon(Reply(name: name, text: message)))
    }

    /// A pattern for any value.
    public static let daemon = BluejayError(.daemon(nil))

    /// The connection ended unexpectedly; passed to disconnect handlers.
    public static func linkLost(_ reason: DisconnectReason) -> BluejayError {
        BluejayError(.linkLost(reason))
    }

    /// A pattern for any value.
    public static let linkLost = BluejayError(.linkLost(nil))

    /// Pairing with the peripheral failed, or its keys no longer match; with BlueZ's reason.
    public static func pairingFailed(_ text: String) -> BluejayError {
        BluejayError(.pairingFailed(text))
    }

    /// A pattern for any value.
    public static let pairingFailed = BluejayError(.pairingFailed(nil))

    /// Pairing was refused on this computer: by the pairing handler, or because it did not answer in
    /// time.
    public static let pairingRejected = BluejayError(.pairingRejected)

    /// This program is using the named adapter or peripheral: it is connected, or an operation is in
    /// progress.
    public static func inUse(_ what: String) -> BluejayError {
        BluejayError(.inUse(what))
    }

    /// A pattern for any value.
    public static let inUse = BluejayError(.inUse(nil))

    /// A blocking call was made on the thread that must deliver its result.
    public static let blockedMainLoop = BluejayError(.blockedMainLoop)

    /// The characteristic has no such descriptor.
    public static func missingDescriptor(_ descriptor: DescriptorIdentifier) -> BluejayError {
        BluejayError(.missingDescriptor(descriptor))
    }

    /// A pattern for any value.
    public static let missingDescriptor = BluejayError(.missingDescriptor(nil))

    /// No peripheral that matches a filter was found in time; with a description of the filter, empty
    /// for any peripheral.
    public static func noPeripheralFound(_ filter: String) -> BluejayError {
        BluejayError(.noPeripheralFound(filter))
    }

    /// A pattern for any value.
    public static let noPeripheralFound = BluejayError(.noPeripheralFound(nil))
}

/// The errors of a GATT server.
extension BluejayError {
    /// BlueZ itself provides this service or descriptor.
    public static func reservedUUID(_ uuid: BluetoothUUID) -> BluejayError {
        BluejayError(.reservedUUID(uuid))
    }

    /// A pattern for any value.
    public static let reservedUUID = BluejayError(.reservedUUID(nil))

    /// BlueZ cannot register the properties of a characteristic or descriptor; with the reason.
    public static func invalidProperties(_ uuid: BluetoothUUID, _ reason: String) -> BluejayError {
        BluejayError(.invalidProperties(InvalidProperties(uuid: uuid, reason: reason)))
    }

    /// A pattern for any value.
    public static let invalidProperties = BluejayError(.invalidProperties(nil))

    /// The service, or one of its characteristics, is already published.
    public static func alreadyAdded(_ uuid: BluetoothUUID) -> BluejayError {
        BluejayError(.alreadyAdded(uuid))
    }

    /// A pattern for any value.
    public static let alreadyAdded = BluejayError(.alreadyAdded(nil))

    /// The service, or the service of the characteristic, is not published.
    public static func notAdded(_ uuid: BluetoothUUID) -> BluejayError {
        BluejayError(.notAdded(uuid))
    }

    /// A pattern for any value.
    public static let notAdded = BluejayError(.notAdded(nil))

    /// The characteristic has neither `notify` nor `indicate`.
    public static func notSubscribable(_ uuid: BluetoothUUID) -> BluejayError {
        BluejayError(.notSubscribable(uuid))
    }

    /// A pattern for any value.
    public static let notSubscribable = BluejayError(.notSubscribable(nil))

    /// The advertisement does not fit its packet; both numbers are in bytes.
    public static func advertisementTooLong(length: Int, limit: Int) -> BluejayError {
        BluejayError(.advertisementTooLong(Excess(length: length, limit: limit)))
    }

    /// A pattern for any value.
    public static let advertisementTooLong = BluejayError(.advertisementTooLong(nil))

    /// The name does not fit the scan response; both numbers are in bytes of UTF-8.
    public static func nameTooLong(length: Int, limit: Int) -> BluejayError {
        BluejayError(.nameTooLong(Excess(length: length, limit: limit)))
    }

    /// A pattern for any value.
    public static let nameTooLong = BluejayError(.nameTooLong(nil))

    /// A part of the advertisement exceeds the limits of Bluetooth or BlueZ; with the reason.
    public static func invalidAdvertisement(_ text: String) -> BluejayError {
        BluejayError(.invalidAdvertisement(text))
    }

    /// A pattern for any value.
    public static let invalidAdvertisement = BluejayError(.invalidAdvertisement(nil))

    /// An advertisement is already on the air.
    public static let alreadyAdvertising = BluejayError(.alreadyAdvertising)

    /// The adapter cannot send another advertisement at the same time.
    public static let tooManyAdvertisements = BluejayError(.tooManyAdvertisements)

    /// The central is not, or no longer, subscribed.
    public static func notSubscribed(_ central: PeripheralIdentifier) -> BluejayError {
        BluejayError(.notSubscribed(central))
    }

    /// A pattern for any value.
    public static let notSubscribed = BluejayError(.notSubscribed(nil))

    /// This version of BlueZ would send the value to other centrals as well.
    public static func notAddressable(_ central: PeripheralIdentifier) -> BluejayError {
        BluejayError(.notAddressable(central))
    }

    /// A pattern for any value.
    public static let notAddressable = BluejayError(.notAddressable(nil))

    /// The queue of values for the subscribers is full, or values of a listen were discarded because its actor
    /// is slow; with the limit.
    public static func tooManyValues(limit: Int) -> BluejayError {
        BluejayError(.tooManyValues(limit: limit))
    }

    /// A pattern for any value.
    public static let tooManyValues = BluejayError(.tooManyValues(limit: nil))
}

/// The errors of L2CAP channels.
extension BluejayError {
    /// The number is not a valid PSM of a Bluetooth Low Energy channel.
    public static func invalidPSM(_ psm: UInt16) -> BluejayError {
        BluejayError(.invalidPSM(psm))
    }

    /// A pattern for any value.
    public static let invalidPSM = BluejayError(.invalidPSM(nil))

    /// The peer does not listen for channels on the PSM.
    public static let channelRefused = BluejayError(.channelRefused)

    /// Another program, or another listener of this program, uses the PSM.
    public static func psmInUse(_ psm: UInt16) -> BluejayError {
        BluejayError(.psmInUse(psm))
    }

    /// A pattern for any value.
    public static let psmInUse = BluejayError(.psmInUse(nil))

    /// A listener on the PSM requires a privilege that the program lacks.
    public static func psmNotPermitted(_ psm: UInt16) -> BluejayError {
        BluejayError(.psmNotPermitted(psm))
    }

    /// A pattern for any value.
    public static let psmNotPermitted = BluejayError(.psmNotPermitted(nil))

    /// The channel is not open, or either side has closed it.
    public static let channelClosed = BluejayError(.channelClosed)

    /// The send queue is full; with its limit in bytes.
    public static func channelFull(limit: Int) -> BluejayError {
        BluejayError(.channelFull(limit: limit))
    }

    /// A pattern for any value.
    public static let channelFull = BluejayError(.channelFull(limit: nil))

    /// The kernel refused with an error that has no separate code; with the number of `errno`.
    public static func systemError(_ number: Int32) -> BluejayError {
        BluejayError(.systemError(number))
    }

    /// A pattern for any value.
    public static let systemError = BluejayError(.systemError(nil))
}
