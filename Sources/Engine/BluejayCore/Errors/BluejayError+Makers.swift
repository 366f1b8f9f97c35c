public import FoundationEssentials

/// The errors that the iOS library has.
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
    public static let missingService = BluejayError(.missingService(nil))

    /// The service has no such characteristic.
    public static func missingCharacteristic(_ characteristic: CharacteristicIdentifier)
        -> BluejayError
    {
        BluejayError(.missingCharacteristic(characteristic))
    }

    /// As a pattern: the same with any value.
    public static let missingCharacteristic = BluejayError(.missingCharacteristic(nil))

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
        BluejayError(.dataOutOfBounds(DataRange(start: start, length: length, count: count)))
    }

    /// As a pattern: the same with any value.
    public static let dataOutOfBounds = BluejayError(.dataOutOfBounds(nil))

    /// The peripheral is not one that can be connected to.
    public static func unexpectedPeripheral(_ peripheral: PeripheralIdentifier) -> BluejayError {
        BluejayError(.unexpectedPeripheral(peripheral))
    }

    /// As a pattern: the same with any value.
    public static let unexpectedPeripheral = BluejayError(.unexpectedPeripheral(nil))

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
        BluejayError(.tooMuchData(UnexpectedData(expected: expected, received: received)))
    }

    /// As a pattern: the same with any value.
    public static let tooMuchData = BluejayError(.tooMuchData(nil))
}

/// The errors of a central on Linux.
extension BluejayError {
    /// The text is no UUID.
    public static func malformedUUID(_ text: String) -> BluejayError {
        BluejayError(.malformedUUID(text))
    }

    /// As a pattern: the same with any value.
    public static let malformedUUID = BluejayError(.malformedUUID(nil))

    /// The text is no Bluetooth address.
    public static func malformedAddress(_ text: String) -> BluejayError {
        BluejayError(.malformedAddress(text))
    }

    /// As a pattern: the same with any value.
    public static let malformedAddress = BluejayError(.malformedAddress(nil))

    /// The bytes are not UTF-8.
    public static let malformedText = BluejayError(.malformedText)

    /// The call did not end in its time.
    public static let operationTimedOut = BluejayError(.operationTimedOut)

    /// The peripheral refused a request, with this code.
    public static func attribute(_ error: ATTError) -> BluejayError {
        BluejayError(.attribute(error))
    }

    /// As a pattern: the same with any value.
    public static let attribute = BluejayError(.attribute(nil))

    /// The request needs an encrypted link, and the peripheral is not paired.
    public static let notPaired = BluejayError(.notPaired)

    /// The peripheral or this version of BlueZ cannot do what was asked; with what that is.
    public static func notSupported(_ text: String) -> BluejayError {
        BluejayError(.notSupported(text))
    }

    /// As a pattern: the same with any value.
    public static let notSupported = BluejayError(.notSupported(nil))

    /// The connection could not be made, with what BlueZ says; what a disconnect handler is told.
    public static func connectionFailed(_ text: String) -> BluejayError {
        BluejayError(.connectionFailed(text))
    }

    /// As a pattern: the same with any value.
    public static let connectionFailed = BluejayError(.connectionFailed(nil))

    /// BlueZ does not know the peripheral, and it was not seen in time.
    public static func peripheralNotFound(_ peripheral: PeripheralIdentifier) -> BluejayError {
        BluejayError(.peripheralNotFound(peripheral))
    }

    /// As a pattern: the same with any value.
    public static let peripheralNotFound = BluejayError(.peripheralNotFound(nil))

    /// The value is longer than can be written or published; both are numbers of bytes.
    public static func valueTooLong(length: Int, limit: Int) -> BluejayError {
        BluejayError(.valueTooLong(Excess(length: length, limit: limit)))
    }

    /// As a pattern: the same with any value.
    public static let valueTooLong = BluejayError(.valueTooLong(nil))

    /// BlueZ or the bus answered with an error that has no kind of its own.
    public static func daemon(name: String, message: String) -> BluejayError {
        BluejayError(.daemon(Reply(name: name, text: message)))
    }

    /// As a pattern: the same with any value.
    public static let daemon = BluejayError(.daemon(nil))

    /// The connection ended by itself; what a disconnect handler is told.
    public static func linkLost(_ reason: DisconnectReason) -> BluejayError {
        BluejayError(.linkLost(reason))
    }

    /// As a pattern: the same with any value.
    public static let linkLost = BluejayError(.linkLost(nil))

    /// Pairing with the peripheral failed, or its keys do not fit any more; with what BlueZ says.
    public static func pairingFailed(_ text: String) -> BluejayError {
        BluejayError(.pairingFailed(text))
    }

    /// As a pattern: the same with any value.
    public static let pairingFailed = BluejayError(.pairingFailed(nil))

    /// Pairing was refused here: by the pairing handler, or because nobody answered in time.
    public static let pairingRefused = BluejayError(.pairingRefused)

    /// The named adapter or peripheral is in use here: it is connected, or something is under way.
    public static func inUse(_ what: String) -> BluejayError {
        BluejayError(.inUse(what))
    }

    /// As a pattern: the same with any value.
    public static let inUse = BluejayError(.inUse(nil))

    /// A call that blocks was made on the thread that its result would come on.
    public static let blockedMainLoop = BluejayError(.blockedMainLoop)

    /// The characteristic has no such descriptor.
    public static func missingDescriptor(_ descriptor: DescriptorIdentifier) -> BluejayError {
        BluejayError(.missingDescriptor(descriptor))
    }

    /// As a pattern: the same with any value.
    public static let missingDescriptor = BluejayError(.missingDescriptor(nil))

    /// Nobody who fits a filter was seen in time; with the filter in words, empty for everybody.
    public static func noPeripheralFound(_ filter: String) -> BluejayError {
        BluejayError(.noPeripheralFound(filter))
    }

    /// As a pattern: the same with any value.
    public static let noPeripheralFound = BluejayError(.noPeripheralFound(nil))
}

/// The errors of a GATT server.
extension BluejayError {
    /// BlueZ provides this service or descriptor itself.
    public static func reservedUUID(_ uuid: BluetoothUUID) -> BluejayError {
        BluejayError(.reservedUUID(uuid))
    }

    /// As a pattern: the same with any value.
    public static let reservedUUID = BluejayError(.reservedUUID(nil))

    /// The properties of a characteristic or descriptor cannot be registered; with the reason.
    public static func invalidProperties(_ uuid: BluetoothUUID, _ reason: String) -> BluejayError {
        BluejayError(.invalidProperties(RefusedProperties(uuid: uuid, reason: reason)))
    }

    /// As a pattern: the same with any value.
    public static let invalidProperties = BluejayError(.invalidProperties(nil))

    /// The service, or one of its characteristics, is published already.
    public static func alreadyAdded(_ uuid: BluetoothUUID) -> BluejayError {
        BluejayError(.alreadyAdded(uuid))
    }

    /// As a pattern: the same with any value.
    public static let alreadyAdded = BluejayError(.alreadyAdded(nil))

    /// The service, or the service of the characteristic, is not published.
    public static func notAdded(_ uuid: BluetoothUUID) -> BluejayError {
        BluejayError(.notAdded(uuid))
    }

    /// As a pattern: the same with any value.
    public static let notAdded = BluejayError(.notAdded(nil))

    /// The characteristic has neither `notify` nor `indicate`.
    public static func notSubscribable(_ uuid: BluetoothUUID) -> BluejayError {
        BluejayError(.notSubscribable(uuid))
    }

    /// As a pattern: the same with any value.
    public static let notSubscribable = BluejayError(.notSubscribable(nil))

    /// The advertisement does not fit its packet; both are numbers of bytes.
    public static func advertisementTooLong(length: Int, limit: Int) -> BluejayError {
        BluejayError(.advertisementTooLong(Excess(length: length, limit: limit)))
    }

    /// As a pattern: the same with any value.
    public static let advertisementTooLong = BluejayError(.advertisementTooLong(nil))

    /// The name does not fit the scan response; both are lengths of its UTF-8 form.
    public static func nameTooLong(length: Int, limit: Int) -> BluejayError {
        BluejayError(.nameTooLong(Excess(length: length, limit: limit)))
    }

    /// As a pattern: the same with any value.
    public static let nameTooLong = BluejayError(.nameTooLong(nil))

    /// A part of the advertisement is outside of what Bluetooth or BlueZ allows; with the reason.
    public static func invalidAdvertisement(_ text: String) -> BluejayError {
        BluejayError(.invalidAdvertisement(text))
    }

    /// As a pattern: the same with any value.
    public static let invalidAdvertisement = BluejayError(.invalidAdvertisement(nil))

    /// An advertisement is on the air already.
    public static let alreadyAdvertising = BluejayError(.alreadyAdvertising)

    /// The adapter sends no more advertisements at the same time.
    public static let tooManyAdvertisements = BluejayError(.tooManyAdvertisements)

    /// The central is not subscribed, or not any more.
    public static func notSubscribed(_ central: PeripheralIdentifier) -> BluejayError {
        BluejayError(.notSubscribed(central))
    }

    /// As a pattern: the same with any value.
    public static let notSubscribed = BluejayError(.notSubscribed(nil))

    /// This BlueZ would send the value to other centrals too.
    public static func notAddressable(_ central: PeripheralIdentifier) -> BluejayError {
        BluejayError(.notAddressable(central))
    }

    /// As a pattern: the same with any value.
    public static let notAddressable = BluejayError(.notAddressable(nil))

    /// As many values wait for the subscribers as may; with how many that is.
    public static func tooManyValues(limit: Int) -> BluejayError {
        BluejayError(.tooManyValues(limit: limit))
    }

    /// As a pattern: the same with any value.
    public static let tooManyValues = BluejayError(.tooManyValues(limit: nil))
}

/// The errors of L2CAP channels.
extension BluejayError {
    /// The number is none of an L2CAP channel of Bluetooth Low Energy.
    public static func invalidPSM(_ psm: UInt16) -> BluejayError {
        BluejayError(.invalidPSM(psm))
    }

    /// As a pattern: the same with any value.
    public static let invalidPSM = BluejayError(.invalidPSM(nil))

    /// Nobody listens for channels on the number.
    public static let channelRefused = BluejayError(.channelRefused)

    /// Another program, or another listener of this one, listens on the number.
    public static func psmInUse(_ psm: UInt16) -> BluejayError {
        BluejayError(.psmInUse(psm))
    }

    /// As a pattern: the same with any value.
    public static let psmInUse = BluejayError(.psmInUse(nil))

    /// A listener on the number needs a privilege that the program has not.
    public static func psmNotPermitted(_ psm: UInt16) -> BluejayError {
        BluejayError(.psmNotPermitted(psm))
    }

    /// As a pattern: the same with any value.
    public static let psmNotPermitted = BluejayError(.psmNotPermitted(nil))

    /// The channel is not open, or was closed here or by the peer.
    public static let channelClosed = BluejayError(.channelClosed)

    /// Too much waits to be sent already; with the number of bytes that may wait.
    public static func channelFull(limit: Int) -> BluejayError {
        BluejayError(.channelFull(limit: limit))
    }

    /// As a pattern: the same with any value.
    public static let channelFull = BluejayError(.channelFull(limit: nil))

    /// The kernel refused with an error that has no kind of its own; with the number of errno.
    public static func systemError(_ number: Int32) -> BluejayError {
        BluejayError(.systemError(number))
    }

    /// As a pattern: the same with any value.
    public static let systemError = BluejayError(.systemError(nil))
}
