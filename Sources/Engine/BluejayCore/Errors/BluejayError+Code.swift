extension BluejayError {
    /// What has happened, without values: to switch on, to count, to write down.
    ///
    /// The numbers never change; the first 29 are those of the iOS library. New ones come with new
    /// versions.
    public struct Code: RawRepresentable, Hashable, Swift.Sendable {
        /// The number.
        public let rawValue: Int

        /// A code from its number, which need not be one of those below.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Bluetooth cannot be used; the state says why and what to do.
        public static let bluetoothUnavailable = Code(rawValue: 1)
        /// A scan is running or waiting.
        public static let multipleScanNotSupported = Code(rawValue: 2)
        /// A peripheral is connected, or is being connected.
        public static let multipleConnectNotSupported = Code(rawValue: 3)
        /// A disconnection is running or waiting.
        public static let multipleDisconnectNotSupported = Code(rawValue: 4)
        /// The connection was not made in time.
        public static let connectionTimedOut = Code(rawValue: 5)
        /// No peripheral is connected.
        public static let notConnected = Code(rawValue: 6)
        /// The peripheral has no such service.
        public static let missingService = Code(rawValue: 7)
        /// The service has no such characteristic.
        public static let missingCharacteristic = Code(rawValue: 8)
        /// The operation was cancelled.
        public static let cancelled = Code(rawValue: 9)
        /// You disconnected while the operation was waiting or running.
        public static let explicitDisconnect = Code(rawValue: 10)
        /// The peripheral refused the connection, or was lost while connecting.
        public static let unexpectedDisconnect = Code(rawValue: 11)
        /// A disconnection is waiting, and nothing can be added behind it.
        public static let disconnectQueued = Code(rawValue: 12)
        /// No value came in time.
        public static let listenTimedOut = Code(rawValue: 13)
        /// The value could not be read.
        public static let readFailed = Code(rawValue: 14)
        /// The value could not be written.
        public static let writeFailed = Code(rawValue: 15)
        /// A notification came without a value.
        public static let missingData = Code(rawValue: 16)
        /// A part was asked for that the data does not have, or that does not fit the type.
        public static let dataOutOfBounds = Code(rawValue: 17)
        /// The peripheral is not one that can be connected to.
        public static let unexpectedPeripheral = Code(rawValue: 18)
        /// Never happens on Linux: a scan with duplicates in the background.
        public static let allowDuplicatesInBackgroundNotSupported = Code(rawValue: 19)
        /// Never happens on Linux: a scan for all services in the background.
        public static let missingServiceIdentifiersInBackground = Code(rawValue: 20)
        /// A background task is running.
        public static let backgroundTaskRunning = Code(rawValue: 21)
        /// Another background task is running.
        public static let multipleBackgroundTaskNotSupported = Code(rawValue: 22)
        /// A flush needs a limit above zero.
        public static let indefiniteFlush = Code(rawValue: 23)
        /// Bluejay was stopped.
        public static let stopped = Code(rawValue: 24)
        /// The state before the restart is being restored.
        public static let backgroundRestorationInProgress = Code(rawValue: 25)
        /// The restoration took too long.
        public static let startupBackgroundTaskExpired = Code(rawValue: 26)
        /// Another listen is installed and does not let itself be replaced.
        public static let multipleListenTrapped = Code(rawValue: 27)
        /// Another listen took over.
        public static let multipleListenReplaced = Code(rawValue: 28)
        /// More data came than was expected.
        public static let tooMuchData = Code(rawValue: 29)
        /// The text is no UUID.
        public static let malformedUUID = Code(rawValue: 30)
        /// The text is no Bluetooth address.
        public static let malformedAddress = Code(rawValue: 31)
        /// The bytes are not UTF-8.
        public static let malformedText = Code(rawValue: 32)
        /// The call did not end in its time.
        public static let operationTimedOut = Code(rawValue: 33)
        /// The peripheral refused a request, with this code.
        public static let attribute = Code(rawValue: 34)
        /// The request needs an encrypted link, and the peripheral is not paired.
        public static let notPaired = Code(rawValue: 35)
        /// The peripheral or this version of BlueZ cannot do what was asked; with what that is.
        public static let notSupported = Code(rawValue: 36)
        /// The connection could not be made, with what BlueZ says; what a disconnect handler is told.
        public static let connectionFailed = Code(rawValue: 37)
        /// BlueZ does not know the peripheral, and it was not seen in time.
        public static let peripheralNotFound = Code(rawValue: 38)
        /// The value is longer than can be written or published; both are numbers of bytes.
        public static let valueTooLong = Code(rawValue: 39)
        /// BlueZ or the bus answered with an error that has no kind of its own.
        public static let daemon = Code(rawValue: 40)
        /// The connection ended by itself; what a disconnect handler is told.
        public static let linkLost = Code(rawValue: 41)
        /// Pairing with the peripheral failed, or its keys do not fit any more; with what BlueZ says.
        public static let pairingFailed = Code(rawValue: 42)
        /// A call that blocks was made on the thread that its result would come on.
        public static let blockedMainLoop = Code(rawValue: 43)
        /// BlueZ provides this service or descriptor itself.
        public static let reservedUUID = Code(rawValue: 44)
        /// The properties of a characteristic or descriptor cannot be registered; with the reason.
        public static let invalidProperties = Code(rawValue: 45)
        /// The service, or one of its characteristics, is published already.
        public static let alreadyAdded = Code(rawValue: 46)
        /// The service, or the service of the characteristic, is not published.
        public static let notAdded = Code(rawValue: 47)
        /// The characteristic has neither `notify` nor `indicate`.
        public static let notSubscribable = Code(rawValue: 48)
        /// The advertisement does not fit its packet; both are numbers of bytes.
        public static let advertisementTooLong = Code(rawValue: 49)
        /// The name does not fit the scan response; both are lengths of its UTF-8 form.
        public static let nameTooLong = Code(rawValue: 50)
        /// A part of the advertisement is outside of what Bluetooth or BlueZ allows; with the reason.
        public static let invalidAdvertisement = Code(rawValue: 51)
        /// An advertisement is on the air already.
        public static let alreadyAdvertising = Code(rawValue: 52)
        /// The adapter sends no more advertisements at the same time.
        public static let tooManyAdvertisements = Code(rawValue: 53)
        /// The characteristic has no such descriptor.
        public static let missingDescriptor = Code(rawValue: 54)
        /// Nobody who fits a filter was seen in time; with the filter in words.
        public static let noPeripheralFound = Code(rawValue: 55)
        /// The named adapter or peripheral is in use here: connected, or something is under way.
        public static let inUse = Code(rawValue: 56)
        /// Pairing was refused here: by whoever is asked, or because nobody answered in time.
        public static let pairingRefused = Code(rawValue: 57)
        /// The central is not subscribed, or not any more.
        public static let notSubscribed = Code(rawValue: 58)
        /// This BlueZ would send the value to other centrals too.
        public static let notAddressable = Code(rawValue: 59)
        /// As many values wait for the subscribers as may; with how many that is.
        public static let tooManyValues = Code(rawValue: 60)
        /// The number is none of an L2CAP channel of Bluetooth Low Energy.
        public static let invalidPSM = Code(rawValue: 61)
        /// Nobody listens for channels on the number.
        public static let channelRefused = Code(rawValue: 62)
        /// Another program, or another listener of this one, listens on the number.
        public static let psmInUse = Code(rawValue: 63)
        /// A listener on the number needs a privilege that the program has not.
        public static let psmNotPermitted = Code(rawValue: 64)
        /// The channel is not open, or was closed here or by the peer.
        public static let channelClosed = Code(rawValue: 65)
        /// Too much waits to be sent already; with the number of bytes that may wait.
        public static let channelFull = Code(rawValue: 66)
        /// The kernel refused with an error that has no kind of its own; with the number of errno.
        public static let systemError = Code(rawValue: 67)
    }
}

extension BluejayError {
    /// The text `Bluejay`.
    public static var errorDomain: String { "Bluejay" }

    /// The number of ``code``.
    public var errorCode: Int { code.rawValue }
}
