extension BluejayError {
    /// The kind of error without values, to switch on, to count or to store.
    ///
    /// The numbers never change; the first 29 are those of the iOS library. New versions add new
    /// numbers.
    public struct Code: RawRepresentable, Hashable, Swift.Sendable {
        /// The number.
        public let rawValue: Int

        /// Creates a code from its number, which may be unknown to this version.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Bluetooth is unavailable; the state gives the reason and the remedy.
        public static let bluetoothUnavailable = Code(rawValue: 1)
        /// A scan is running or queued.
        public static let multipleScanNotSupported = Code(rawValue: 2)
        /// A peripheral is connected or connecting.
        public static let multipleConnectNotSupported = Code(rawValue: 3)
        /// A disconnection is running or queued.
        public static let multipleDisconnectNotSupported = Code(rawValue: 4)
        /// The connection attempt timed out.
        public static let connectionTimedOut = Code(rawValue: 5)
        /// No peripheral is connected.
        public static let notConnected = Code(rawValue: 6)
        /// The peripheral has no such service.
        public static let missingService = Code(rawValue: 7)
        /// The service has no such characteristic.
        public static let missingCharacteristic = Code(rawValue: 8)
        /// The operation was cancelled.
        public static let cancelled = Code(rawValue: 9)
        /// The program disconnected while the operation was queued or running.
        public static let explicitDisconnect = Code(rawValue: 10)
        /// The peripheral refused the connection, or the link was lost while connecting.
        public static let unexpectedDisconnect = Code(rawValue: 11)
        /// A disconnection is queued, and the queue accepts no further operations.
        public static let disconnectQueued = Code(rawValue: 12)
        /// No value arrived in time.
        public static let listenTimedOut = Code(rawValue: 13)
        /// The value could not be read.
        public static let readFailed = Code(rawValue: 14)
        /// The value could not be written.
        public static let writeFailed = Code(rawValue: 15)
        /// A notification arrived without a value.
        public static let missingData = Code(rawValue: 16)
        /// The requested range exceeds the data or does not fit the type.
        public static let dataOutOfBounds = Code(rawValue: 17)
        /// The peripheral cannot be connected to.
        public static let unexpectedPeripheral = Code(rawValue: 18)
        /// Never occurs on Linux: a scan with duplicates in the background.
        public static let allowDuplicatesInBackgroundNotSupported = Code(rawValue: 19)
        /// Never occurs on Linux: a scan for all services in the background.
        public static let missingServiceIdentifiersInBackground = Code(rawValue: 20)
        /// A background task is running.
        public static let backgroundTaskRunning = Code(rawValue: 21)
        /// Another background task is running.
        public static let multipleBackgroundTaskNotSupported = Code(rawValue: 22)
        /// A flush requires a time limit above zero.
        public static let indefiniteFlush = Code(rawValue: 23)
        /// Bluejay or its main loop was stopped.
        public static let stopped = Code(rawValue: 24)
        /// The state before the restart is still being restored.
        public static let backgroundRestorationInProgress = Code(rawValue: 25)
        /// Never occurs on Linux: the restoration took too long.
        public static let startupBackgroundTaskExpired = Code(rawValue: 26)
        /// Another listen is installed and must not be replaced.
        public static let multipleListenTrapped = Code(rawValue: 27)
        /// Another listen replaced this one.
        public static let multipleListenReplaced = Code(rawValue: 28)
        /// More data arrived than expected.
        public static let tooMuchData = Code(rawValue: 29)
        /// The text is not a UUID.
        public static let malformedUUID = Code(rawValue: 30)
        /// The text is not a Bluetooth address.
        public static let malformedAddress = Code(rawValue: 31)
        /// The bytes are not UTF-8.
        public static let malformedText = Code(rawValue: 32)
        /// The call timed out.
        public static let operationTimedOut = Code(rawValue: 33)
        /// The peripheral refused a request with an ATT error.
        public static let attribute = Code(rawValue: 34)
        /// The request requires an encrypted link, and the peripheral is not paired.
        public static let notPaired = Code(rawValue: 35)
        /// The peripheral or this version of BlueZ does not support the request, which the text names.
        public static let notSupported = Code(rawValue: 36)
        /// The connection failed, with BlueZ's reason; passed to disconnect handlers.
        public static let connectionFailed = Code(rawValue: 37)
        /// BlueZ does not know the peripheral, and a scan did not find it in time.
        public static let peripheralNotFound = Code(rawValue: 38)
        /// The value is too long to be written or published; both numbers are in bytes.
        public static let valueTooLong = Code(rawValue: 39)
        /// BlueZ or the bus replied with an error that has no separate code.
        public static let daemon = Code(rawValue: 40)
        /// The connection ended unexpectedly; passed to disconnect handlers.
        public static let linkLost = Code(rawValue: 41)
        /// Pairing with the peripheral failed, or its keys no longer match; with BlueZ's reason.
        public static let pairingFailed = Code(rawValue: 42)
        /// A blocking call was made on the thread that must deliver its result.
        public static let blockedMainLoop = Code(rawValue: 43)
        /// BlueZ itself provides this service or descriptor.
        public static let reservedUUID = Code(rawValue: 44)
        /// BlueZ cannot register the properties of a characteristic or descriptor; with the reason.
        public static let invalidProperties = Code(rawValue: 45)
        /// The service, or one of its characteristics, is already published.
        public static let alreadyAdded = Code(rawValue: 46)
        /// The service, or the service of the characteristic, is not published.
        public static let notAdded = Code(rawValue: 47)
        /// The characteristic has neither `notify` nor `indicate`.
        public static let notSubscribable = Code(rawValue: 48)
        /// The advertisement does not fit its packet; both numbers are in bytes.
        public static let advertisementTooLong = Code(rawValue: 49)
        /// The name does not fit the scan response; both numbers are in bytes of UTF-8.
        public static let nameTooLong = Code(rawValue: 50)
        /// A part of the advertisement exceeds the limits of Bluetooth or BlueZ; with the reason.
        public static let invalidAdvertisement = Code(rawValue: 51)
        /// An advertisement is already on the air.
        public static let alreadyAdvertising = Code(rawValue: 52)
        /// The adapter cannot send another advertisement at the same time.
        public static let tooManyAdvertisements = Code(rawValue: 53)
        /// The characteristic has no such descriptor.
        public static let missingDescriptor = Code(rawValue: 54)
        /// No peripheral that matches a filter was found in time; with a description of the filter.
        public static let noPeripheralFound = Code(rawValue: 55)
        /// This program is using the named adapter or peripheral: it is connected, or an operation is in
        /// progress.
        public static let inUse = Code(rawValue: 56)
        /// Pairing was refused on this computer: by the pairing handler, or because it did not answer in
        /// time.
        public static let pairingRejected = Code(rawValue: 57)
        /// The central is not, or no longer, subscribed.
        public static let notSubscribed = Code(rawValue: 58)
        /// This version of BlueZ would send the value to other centrals as well.
        public static let notAddressable = Code(rawValue: 59)
        /// Too many values wait: for the subscribers, or for the slow actor of a listen.
        public static let tooManyValues = Code(rawValue: 60)
        /// The number is not a valid PSM of a Bluetooth Low Energy channel.
        public static let invalidPSM = Code(rawValue: 61)
        /// The peer does not listen for channels on the PSM.
        public static let channelRefused = Code(rawValue: 62)
        /// Another program, or another listener of this program, uses the PSM.
        public static let psmInUse = Code(rawValue: 63)
        /// A listener on the PSM requires a privilege that the program lacks.
        public static let psmNotPermitted = Code(rawValue: 64)
        /// The channel is not open, or either side has closed it.
        public static let channelClosed = Code(rawValue: 65)
        /// The send queue is full; with its limit in bytes.
        public static let channelFull = Code(rawValue: 66)
        /// The kernel refused with an error that has no separate code; with the number of `errno`.
        public static let systemError = Code(rawValue: 67)
        /// Several characteristics have the UUID; with their identifiers.
        public static let ambiguousCharacteristic = Code(rawValue: 68)
    }
}

extension BluejayError {
    /// The domain, `Bluejay`.
    public static var errorDomain: String { "Bluejay" }

    /// The number of ``code``.
    public var errorCode: Int { code.rawValue }
}
