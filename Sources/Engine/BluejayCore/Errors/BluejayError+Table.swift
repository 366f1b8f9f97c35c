extension BluejayError {
    /// One row of the table of errors.
    struct Facts {
        let code: Code
        // Evaluated on access: the code is read more often.
        private let text: () -> String
        /// Whether the kind has no value, and is the pattern for every error with its code.
        let isPattern: Bool
        /// Whether the same call may succeed later.
        let isWorthRetrying: Bool
        /// Whether the sentence names its object, so that the message does not name it again.
        let namesItsObject: Bool

        init(
            _ code: Code,
            isPattern: Bool = true,
            retry: Bool = false,
            namesItsObject: Bool = false,
            sentence: @escaping () -> String
        ) {
            self.code = code
            text = sentence
            self.isPattern = isPattern
            isWorthRetrying = retry
            self.namesItsObject = namesItsObject
        }

        /// The failure and its remedy.
        var sentence: String { text() }
    }
}

extension BluejayError.Kind {
    /// Returns the row of this kind; some sentences and retries depend on `context`.
    func facts(in context: BluejayError.Context) -> BluejayError.Facts {
        typealias Row = BluejayError.Facts
        return switch self {
        case .bluetoothUnavailable(let state):
            Row(.bluetoothUnavailable, isPattern: state == .unknown, retry: state.isTransient) {
                // Bluetooth is on again by the time the error is read.
                state == .poweredOn
                    ? "Bluetooth was not available for a moment; try again"
                    : "Bluetooth is not available: \(state)"
            }
        case .multipleScanNotSupported:
            Row(.multipleScanNotSupported, retry: true) {
                "a scan is running or waiting; call stopScanning() before another one"
            }
        case .multipleConnectNotSupported:
            Row(.multipleConnectNotSupported) {
                context.conflict?.sentence
                    ?? "a peripheral is connected or being connected; call cancelEverything() "
                    + "before another connect"
            }
        case .multipleDisconnectNotSupported:
            Row(.multipleDisconnectNotSupported, retry: true) {
                "a disconnection is running or waiting; wait for its completion"
            }
        case .connectionTimedOut:
            Row(.connectionTimedOut, retry: true) {
                "the connection was not made in time"
                    + (context.reason.map { ": \($0)" }
                        ?? "; check that the peripheral is on and in range")
            }
        case .notConnected:
            Row(.notConnected, retry: true) {
                "no peripheral is connected; wait for the completion of connect()"
            }
        case .missingService(let service):
            Row(.missingService, isPattern: service == nil) {
                "the peripheral has no \(service.text("service")); `services` lists what it has"
            }
        case .missingCharacteristic(let characteristic):
            Row(.missingCharacteristic, isPattern: characteristic == nil) {
                "the peripheral has no \(characteristic.text("characteristic")); `services` lists "
                    + "what it has"
            }
        case .cancelled:
            Row(.cancelled) { "it was cancelled" }
        case .explicitDisconnect:
            Row(.explicitDisconnect) { "it was ended by a disconnection you asked for" }
        case .unexpectedDisconnect:
            Row(
                .unexpectedDisconnect,
                retry: context.blueZName.map {
                    !BlueZAnswer.isPermanent($0, context.blueZText ?? "")
                } ?? true
            ) {
                BlueZAnswer.failedConnection("the connection was lost or refused", context.answer)
            }
        case .disconnectQueued:
            Row(.disconnectQueued, retry: true) {
                "a disconnection is waiting; connect again before asking for more"
            }
        case .listenTimedOut:
            Row(.listenTimedOut, retry: true) { "no value came in time" }
        case .readFailed:
            Row(.readFailed) { "the value could not be read" }
        case .writeFailed:
            Row(.writeFailed) { "the value could not be written" }
        case .missingData:
            Row(.missingData, retry: true) { "a notification came without a value" }
        case .dataOutOfBounds(let range):
            Row(.dataOutOfBounds, isPattern: range == nil) {
                range?.sentence ?? "the data has not the part that is asked for"
            }
        case .unexpectedPeripheral(let peripheral):
            Row(.unexpectedPeripheral, isPattern: peripheral == nil, namesItsObject: true) {
                "\(peripheral.text("peripheral")) cannot be connected to; scan for it first"
            }
        case .allowDuplicatesInBackgroundNotSupported:
            Row(.allowDuplicatesInBackgroundNotSupported) {
                "a scan with duplicates is not possible in the background"
            }
        case .missingServiceIdentifiersInBackground:
            Row(.missingServiceIdentifiersInBackground) {
                "a scan for all services is not possible in the background"
            }
        case .backgroundTaskRunning:
            Row(.backgroundTaskRunning, retry: true) {
                "a background task is running; use its SynchronizedPeripheral, or wait for its end"
            }
        case .multipleBackgroundTaskNotSupported:
            Row(.multipleBackgroundTaskNotSupported, retry: true) {
                "another background task is running; wait for its end"
            }
        case .indefiniteFlush:
            Row(.indefiniteFlush) { "a flush needs a time limit above zero, such as .seconds(3)" }
        case .stopped:
            Row(.stopped) { "it was ended because Bluejay was stopped" }
        case .backgroundRestorationInProgress:
            Row(.backgroundRestorationInProgress, retry: true) {
                "the state before the restart is being restored; wait for the background restorer"
            }
        case .startupBackgroundTaskExpired:
            Row(.startupBackgroundTaskExpired, retry: true) {
                "the state before the restart could not be restored in time"
            }
        case .multipleListenTrapped:
            Row(.multipleListenTrapped) {
                "another listen is installed on the characteristic; call endListen() first, or "
                    + "install that one with .replaceable"
            }
        case .multipleListenReplaced:
            Row(.multipleListenReplaced) { "a later listen on the same characteristic took over" }
        case .tooMuchData(let data):
            Row(.tooMuchData, isPattern: data == nil) {
                data.map {
                    "\($0.received.count) bytes were received where \($0.expected) were expected"
                }
                    ?? "more bytes were received than were expected"
            }
        case .malformedUUID(let text):
            Row(.malformedUUID, isPattern: text == nil, namesItsObject: true) {
                "\(text.quoted) is no UUID; write 4, 8 or 36 characters, such as 180D"
            }
        case .malformedAddress(let text):
            Row(.malformedAddress, isPattern: text == nil, namesItsObject: true) {
                "\(text.quoted) is no Bluetooth address; write six pairs of hexadecimal digits, "
                    + "such as C4:7C:8D:6A:1F:02"
            }
        case .malformedText:
            Row(.malformedText) { "the bytes are not UTF-8 text; read them as Data" }
        case .operationTimedOut:
            Row(.operationTimedOut, retry: true) {
                "it did not end in time; try again, or give it longer"
            }
        case .attribute(let error):
            Row(.attribute, isPattern: error == nil, retry: error?.isTransient ?? false) {
                "the peripheral refused" + (error.map { " with \($0)" } ?? "")
                    + (error?.advice.map { "; \($0)" } ?? "")
            }
        case .notPaired:
            Row(.notPaired) { "the peripheral wants an encrypted link; call pair()" }
        case .notSupported(let text):
            Row(.notSupported, isPattern: text == nil) {
                "not supported"
                    + (text.map { ": \($0)" } ?? " by the peripheral or by this version of BlueZ")
            }
        case .connectionFailed(let text):
            Row(
                .connectionFailed,
                isPattern: text == nil,
                retry: text.map { !BlueZAnswer.isPermanent($0) } ?? true
            ) {
                BlueZAnswer.failedConnection("the connection failed", text)
            }
        case .peripheralNotFound(let peripheral):
            Row(
                .peripheralNotFound,
                isPattern: peripheral == nil,
                retry: true,
                namesItsObject: true
            ) {
                "\(peripheral.text("peripheral")) is not known to BlueZ and was not seen; check "
                    + "that it is on and in range"
            }
        case .valueTooLong(let excess):
            Row(.valueTooLong, isPattern: excess == nil) {
                (excess.map {
                    "the value has \($0.length) bytes and at most \($0.limit) can be written"
                }
                    ?? "the value is longer than can be written") + "; send it in parts"
            }
        case .daemon(let reply):
            Row(.daemon, isPattern: reply == nil, retry: reply?.isTransient ?? false) {
                reply?.sentence ?? "BlueZ answered with an error"
            }
        case .linkLost(let reason):
            Row(
                .linkLost,
                isPattern: reason == nil,
                retry: reason.map { $0 != .authentication } ?? false
            ) {
                "the connection ended \(reason?.description ?? "by itself"); Bluejay reconnects if "
                    + "`shouldAutoReconnect` is true, else call connect()"
            }
        case .pairingFailed(let text):
            Row(.pairingFailed, isPattern: text == nil) { BlueZAnswer.failedPairing(text) }
        case .blockedMainLoop:
            Row(.blockedMainLoop) {
                "the call waits for the main loop, and that waits for the call or does not run; "
                    + "make a call that blocks inside run(backgroundTask:), and let no callback "
                    + "wait for a thread"
            }
        case .reservedUUID(let uuid):
            Row(.reservedUUID, isPattern: uuid == nil, namesItsObject: true) {
                "\(uuid.text) is provided by BlueZ itself; leave it away"
            }
        case .invalidProperties(let properties):
            Row(.invalidProperties, isPattern: properties == nil, namesItsObject: true) {
                properties.map { "the properties of \($0.uuid) cannot be used: \($0.reason)" }
                    ?? "the properties cannot be used"
            }
        case .alreadyAdded(let uuid):
            Row(.alreadyAdded, isPattern: uuid == nil, namesItsObject: true) {
                "\(uuid.text) is published already; remove its service first"
            }
        case .notAdded(let uuid):
            Row(.notAdded, isPattern: uuid == nil, namesItsObject: true) {
                "\(uuid.text) is not published; add its service first"
            }
        case .notSubscribable(let uuid):
            Row(.notSubscribable, isPattern: uuid == nil, namesItsObject: true) {
                "nobody can subscribe to \(uuid.text); give it the property notify or indicate"
            }
        case .advertisementTooLong(let excess):
            Row(.advertisementTooLong, isPattern: excess == nil) {
                (excess.map { "the advertisement has \($0.length) bytes and \($0.limit) fit" }
                    ?? "the advertisement does not fit")
                    + "; advertise fewer services or less data"
            }
        case .nameTooLong(let excess):
            Row(.nameTooLong, isPattern: excess == nil) {
                (excess.map { "the name has \($0.length) bytes of UTF-8 and \($0.limit) fit" }
                    ?? "the name does not fit") + "; shorten it"
            }
        case .invalidAdvertisement(let reason):
            Row(.invalidAdvertisement, isPattern: reason == nil) {
                "the advertisement cannot be sent" + (reason.map { ": \($0)" } ?? "")
            }
        case .alreadyAdvertising:
            Row(.alreadyAdvertising) {
                "an advertisement is on the air; call stopAdvertising() first"
            }
        case .tooManyAdvertisements:
            Row(.tooManyAdvertisements, retry: true) {
                "the adapter sends no more advertisements at the same time; end another program's"
            }
        case .missingDescriptor(let descriptor):
            Row(.missingDescriptor, isPattern: descriptor == nil) {
                "the peripheral has no \(descriptor.text("descriptor")); `services` lists what it has"
            }
        case .noPeripheralFound(let filter):
            Row(.noPeripheralFound, isPattern: filter == nil, retry: true) {
                "no peripheral\(filter.flatMap { $0.isEmpty ? nil : " with \($0)" } ?? "") was "
                    + "found in time; check that it is on, in range and advertising"
            }
        case .inUse(let object):
            Row(.inUse, isPattern: object == nil, retry: true, namesItsObject: true) {
                ["the channel", "the listener"].contains(object)
                    ? "it was opened before; make another one"
                    : "\(object ?? "it") is in use here; disconnect, stop scanning, and try again "
                        + "when that is done"
            }
        case .pairingRefused:
            Row(.pairingRefused) {
                "pairing was refused here; answer what the pairing handler is asked, within 25 s"
            }
        case .notSubscribed(let central):
            Row(.notSubscribed, isPattern: central == nil, namesItsObject: true) {
                "\(central.text("central")) is not subscribed; `subscribers` lists who is"
            }
        case .notAddressable(let central):
            Row(.notAddressable, isPattern: central == nil, namesItsObject: true) {
                "this BlueZ cannot send to \(central.text("central")) alone while others are "
                    + "connected; `addressing` says whether it can, from 5.76 on"
            }
        case .tooManyValues(let limit):
            Row(.tooManyValues, isPattern: limit == nil, retry: true) {
                "\(limit.text) values wait to be sent; await each, or send less"
            }
        case .invalidPSM(let psm):
            Row(.invalidPSM, isPattern: psm == nil, namesItsObject: true) {
                "\(psm.text) is no PSM of a channel; they are 1 to 255, and 128 to 255 for programs"
            }
        case .channelRefused:
            Row(.channelRefused, retry: true) {
                "nobody listens for channels there; ask the peer for its PSM"
            }
        case .psmInUse(let psm):
            Row(.psmInUse, isPattern: psm == nil, retry: true, namesItsObject: true) {
                "somebody listens on \(psm.text("PSM")) already; take another one, or 0"
            }
        case .psmNotPermitted(let psm):
            Row(.psmNotPermitted, isPattern: psm == nil, namesItsObject: true) {
                "a listener on \(psm.text("PSM")) needs CAP_NET_BIND_SERVICE; take 128 to 255, or 0"
            }
        case .channelClosed:
            Row(.channelClosed) { "the channel is closed; open another one" }
        case .channelFull(let limit):
            Row(.channelFull, isPattern: limit == nil, retry: true) {
                "\(limit.text) bytes may wait to be sent; wait for the completion of what was sent "
                    + "before"
            }
        case .systemError(let number):
            Row(.systemError, isPattern: number == nil) {
                "the kernel refused" + (number.map { " with error \($0)" } ?? "")
            }
        }
    }
}

extension Optional where Wrapped: CustomStringConvertible {
    fileprivate func text(_ noun: String) -> String { map { "\(noun) \($0)" } ?? "such a \(noun)" }

    fileprivate var text: String { map(\.description) ?? "it" }

    fileprivate var quoted: String { map { "\"\($0)\"" } ?? "the text" }
}

extension BluejayError.DataRange {
    fileprivate var sentence: String {
        "\(length) bytes from byte \(start) cannot be taken from data of \(count) bytes; the "
            + "peripheral sends another format than the one that is decoded"
    }
}

extension BluejayError.Reply {
    fileprivate var sentence: String {
        "BlueZ answered \(text.isEmpty ? name : "\(name): \(text)")"
            + (BlueZAnswer.other(name, text).map { "; \($0.cause): \($0.remedy)" } ?? "")
    }

    fileprivate var isTransient: Bool { name.hasSuffix(".InProgress") || name.hasSuffix(".Busy") }
}

extension BluejayError.Conflict {
    fileprivate var sentence: String {
        switch (isConnected, isWanted) {
        case (true, true): "it is connected already; call disconnect() first to connect anew"
        case (true, false): "\(name) is connected; call disconnect() first"
        case (false, true): "it is being connected already; wait until it is connected"
        case (false, false): "\(name) is being connected; call cancelEverything() first"
        }
    }

    private var name: String { peripheral?.description ?? "another peripheral" }
}

extension BlueZAnswer {
    fileprivate static func failedConnection(_ event: String, _ answer: String?) -> String {
        guard let answer else { return "\(event); check that the peripheral is on and in range" }
        if let known = connecting(answer) { return "\(event): \(known)" }
        return
            "\(event) (\(answer)); check that the peripheral is on and in range, and connected to "
            + "no other device"
    }

    fileprivate static func failedPairing(_ answer: String?) -> String {
        let advice = "check the number, or remove the old keys on both sides"
        guard let answer else { return "pairing failed; \(advice)" }
        if let known = pairing(answer) { return "pairing failed: \(known)" }
        return
            "pairing failed (\(answer)); \(advice), here with forget() while disconnected; then "
            + "connect and pair again"
    }
}
