extension BluejayError.Code {
    /// What has happened, for a kind without values, and what to do.
    var sentence: String { Self.sentences[self] ?? "error \(rawValue)" }

    private static let sentences = ofCalls.merging(ofValues) { first, _ in first }
        .merging(ofChannels) { first, _ in first }

    private static let ofChannels: [BluejayError.Code: String] = [
        .invalidPSM: "the number is no PSM of a channel; take one of 1 to 255",
        .channelRefused: "nobody listens for channels there; ask the peer for its PSM",
        .psmInUse: "somebody listens on the PSM already; take another one, or 0",
        .psmNotPermitted: "the PSM needs CAP_NET_BIND_SERVICE; take 128 to 255, or 0",
        .channelClosed: "the channel is closed; open another one",
        .channelFull: "too much waits to be sent; wait for a completion",
        .systemError: "the kernel refused",
    ]

    private static let ofCalls: [BluejayError.Code: String] = [
        .bluetoothUnavailable: "Bluetooth is not available; `bluetoothState` says why",
        .multipleScanNotSupported:
            "a scan is running or waiting; call stopScanning() before another one",
        .multipleConnectNotSupported:
            "a peripheral is connected or being connected; call cancelEverything() before another "
            + "connect",
        .multipleDisconnectNotSupported:
            "a disconnection is running or waiting; wait for its completion",
        .connectionTimedOut:
            "the connection was not made in time; check that the peripheral is on and in range",
        .notConnected: "no peripheral is connected; wait for the completion of connect()",
        .unexpectedDisconnect:
            "the connection was lost or refused; check that the peripheral is on and in range",
        .unexpectedPeripheral: "the peripheral cannot be connected to; scan for it first",
        .peripheralNotFound: "the peripheral was not found; check that it is on and in range",
        .noPeripheralFound:
            "nobody was found in time; check that the peripheral is on, in range and advertising",
        .linkLost:
            "the connection ended by itself; Bluejay reconnects if `shouldAutoReconnect` is true, else "
            + "call connect()",
        .pairingFailed: "pairing failed; check the number, or remove the old keys on both sides",
        .pairingRefused:
            "pairing was refused here; answer what the pairing handler is asked, within 25 s",
        .connectionFailed: "the connection failed; check that the peripheral is on and in range",
        .inUse: "it is in use here; disconnect, stop scanning, and try again when that is done",
        .explicitDisconnect: "it was ended by a disconnection you asked for",
        .disconnectQueued: "a disconnection is waiting; connect again before asking for more",
        .cancelled: "it was cancelled",
        .stopped: "it was ended because Bluejay was stopped",
        .backgroundTaskRunning:
            "a background task is running; use its SynchronizedPeripheral, or wait for its end",
        .blockedMainLoop:
            "the call waits for the main loop, and that waits for the call or does not run; make a call "
            + "that blocks inside run(backgroundTask:), and let no callback wait for a thread",
        .multipleBackgroundTaskNotSupported:
            "another background task is running; wait for its end",
        .indefiniteFlush: "a flush needs a time limit above zero, such as .seconds(3)",
        .backgroundRestorationInProgress:
            "the state before the restart is being restored; wait for the background restorer",
        .startupBackgroundTaskExpired:
            "the state before the restart could not be restored in time",
        .allowDuplicatesInBackgroundNotSupported:
            "a scan with duplicates is not possible in the background",
        .missingServiceIdentifiersInBackground:
            "a scan for all services is not possible in the background",
    ]

    private static let ofValues: [BluejayError.Code: String] = [
        .missingService: "the peripheral has no such service; `services` lists what it has",
        .missingCharacteristic:
            "the peripheral has no such characteristic; `services` lists what it has",
        .missingDescriptor:
            "the characteristic has no such descriptor; `services` lists what it has",
        .listenTimedOut: "no value came in time",
        .readFailed: "the value could not be read",
        .writeFailed: "the value could not be written",
        .missingData: "a notification came without a value",
        .multipleListenTrapped:
            "another listen is installed on the characteristic; call endListen() first, or install "
            + "that one with .replaceable",
        .multipleListenReplaced: "a later listen on the same characteristic took over",
        .operationTimedOut:
            "it did not end in time; try again, or give it longer",
        .attribute: "the peripheral refused",
        .notPaired:
            "the peripheral wants an encrypted link; call pair()",
        .notSupported: "not supported by the peripheral or by this version of BlueZ",
        .daemon: "BlueZ answered with an error",
        .dataOutOfBounds: "the data has not the part that is asked for",
        .tooMuchData: "more bytes were received than were expected",
        .valueTooLong: "the value is longer than can be written; send it in parts",
        .malformedUUID: "the text is no UUID; write 4, 8 or 36 characters, such as 180D",
        .malformedAddress: "the text is no Bluetooth address; write six pairs of digits",
        .malformedText: "the bytes are not UTF-8 text; read them as Data",
        .reservedUUID: "BlueZ provides this service or descriptor itself; leave it away",
        .invalidProperties: "the properties cannot be used",
        .alreadyAdded: "it is published already; remove its service first",
        .notAdded: "it is not published; add its service first",
        .notSubscribable: "nobody can subscribe to it; give it the property notify or indicate",
        .advertisementTooLong: "the advertisement does not fit; advertise less",
        .nameTooLong: "the name does not fit; shorten it",
        .invalidAdvertisement: "the advertisement cannot be sent",
        .alreadyAdvertising: "an advertisement is on the air; call stopAdvertising() first",
        .tooManyAdvertisements:
            "the adapter sends no more advertisements at the same time; end another program's",
        .notSubscribed: "the central is not subscribed; `subscribers` lists who is",
        .notAddressable:
            "this BlueZ cannot send to one central alone; `addressing` says whether it can",
        .tooManyValues: "too many values wait to be sent; await each, or send less",
    ]
}

extension ATTError {
    /// What to do about it; nil where the code alone does not tell.
    var advice: String? {
        switch self {
        case .readNotPermitted, .writeNotPermitted, .requestNotSupported:
            "its `properties` say what can be done with it"
        case .insufficientAuthentication, .insufficientEncryption, .encryptionKeySizeTooShort:
            "pair with it, such as with `bluetoothctl pair`"
        case .insufficientAuthorization: "somebody has to allow it on the peripheral"
        case .invalidAttributeValueLength, .valueNotAllowed, .outOfRange:
            "write a value that it takes"
        case .prepareQueueFull, .insufficientResources, .procedureAlreadyInProgress, .unlikelyError:
            "try again later"
        case .databaseOutOfSync: "its services have changed; try again"
        default:
            (0x80...0x9F).contains(code) ? "its documentation says what the code means" : nil
        }
    }
}
