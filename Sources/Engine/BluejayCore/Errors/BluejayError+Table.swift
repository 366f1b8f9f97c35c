extension BluejayError {
    /// One row of the table of errors.
    struct Details {
        let code: Code
        // Evaluated on access: the code is read more often.
        private let text: () -> String
        /// Whether the kind has no value, and is the pattern for every error with its code.
        let isPattern: Bool
        /// Whether the same call may succeed later.
        let isRetryable: Bool
        /// Whether the sentence names its object, so that the message does not name it again.
        let sentenceNamesSubject: Bool

        init(
            _ code: Code,
            isPattern: Bool = true,
            isRetryable: Bool = false,
            sentenceNamesSubject: Bool = false,
            sentence: @escaping () -> String
        ) {
            self.code = code
            text = sentence
            self.isPattern = isPattern
            self.isRetryable = isRetryable
            self.sentenceNamesSubject = sentenceNamesSubject
        }

        /// The failure and its remedy.
        var sentence: String { text() }
    }
}

extension BluejayError.Kind {
    /// Returns the row of this kind; some sentences and retries depend on `context`.
    func details(in context: BluejayError.Context) -> BluejayError.Details {
        typealias Row = BluejayError.Details
        return switch self {
        case .bluetoothUnavailable(let state):
            Row(.bluetoothUnavailable, isPattern: state == .unknown, isRetryable: state.isTransient)
            {
                // Bluetooth is on again by the time the error is read.
                state == .poweredOn
                    ? "Bluetooth was briefly unavailable; try again"
                    : "Bluetooth is not available: \(state)"
            }
        case .multipleScanNotSupported:
            Row(.multipleScanNotSupported, isRetryable: true) {
                "a scan is active or queued; call stopScanning() first"
            }
        case .multipleConnectNotSupported:
            Row(.multipleConnectNotSupported) {
                context.conflict?.sentence
                    ?? "a peripheral is connected or connecting; call disconnect() or "
                    + "cancelEverything() first"
            }
        case .multipleDisconnectNotSupported:
            Row(.multipleDisconnectNotSupported, isRetryable: true) {
                "a disconnection is active or queued; wait for its completion"
            }
        case .connectionTimedOut:
            Row(.connectionTimedOut, isRetryable: true) {
                "the connection attempt timed out"
                    + (context.reason.map { ": \($0)" }
                        ?? "; check that the peripheral is on and in range")
            }
        case .notConnected:
            Row(.notConnected, isRetryable: true) {
                "not connected; call connect() and wait for its completion"
            }
        case .missingService(let service):
            Row(.missingService, isPattern: service == nil) {
                "the peripheral has no \(service.text("service")); see `services`"
            }
        case .missingCharacteristic(let characteristic):
            Row(.missingCharacteristic, isPattern: characteristic == nil) {
                context.reason
                    ?? "the peripheral has no \(characteristic.text("characteristic")); see `services`"
            }
        case .ambiguousCharacteristic(let candidates):
            Row(.ambiguousCharacteristic, isPattern: candidates == nil) {
                "several characteristics have the UUID"
                    + (candidates.map { ": " + $0.map(\.path).joined(separator: ", ") } ?? "")
                    + "; name the service, as in CharacteristicIdentifier(uuid:service:instance:)"
            }
        case .cancelled:
            Row(.cancelled) { "cancelled" }
        case .explicitDisconnect:
            Row(.explicitDisconnect) { "ended by a requested disconnection" }
        case .unexpectedDisconnect:
            Row(
                .unexpectedDisconnect,
                isRetryable: context.blueZName.map {
                    !BlueZAnswer.isPermanent($0, context.blueZText ?? "")
                } ?? true
            ) {
                BlueZAnswer.failedConnection(
                    "the connection was lost or refused",
                    context.connectionFailureCause,
                    isBonded: context.isBonded
                )
            }
        case .disconnectQueued:
            Row(.disconnectQueued, isRetryable: true) {
                "a disconnection is queued; connect again first"
            }
        case .listenTimedOut:
            Row(.listenTimedOut, isRetryable: true) {
                "no value received in time; try again, or use a longer timeout"
            }
        case .readFailed:
            Row(.readFailed) { "the read failed" }
        case .writeFailed:
            Row(.writeFailed) { "the write failed" }
        case .missingData:
            Row(.missingData, isRetryable: true) { "the notification has no value" }
        case .dataOutOfBounds(let range):
            Row(.dataOutOfBounds, isPattern: range == nil) {
                (range?.sentence ?? "the data is too short")
                    + "; decode another type, or read it as Data"
            }
        case .unexpectedPeripheral(let peripheral):
            Row(.unexpectedPeripheral, isPattern: peripheral == nil, sentenceNamesSubject: true) {
                "\(peripheral.text("peripheral")) has no Bluetooth address; scan for it first"
            }
        case .allowDuplicatesInBackgroundNotSupported:
            Row(.allowDuplicatesInBackgroundNotSupported) {
                "scans with duplicates are not supported in the background"
            }
        case .missingServiceIdentifiersInBackground:
            Row(.missingServiceIdentifiersInBackground) {
                "scans without services are not supported in the background"
            }
        case .backgroundTaskRunning:
            Row(.backgroundTaskRunning, isRetryable: true) {
                "a background task is running; use its SynchronizedPeripheral, or wait until it ends"
            }
        case .multipleBackgroundTaskNotSupported:
            Row(.multipleBackgroundTaskNotSupported, isRetryable: true) {
                "another background task is running; wait until it ends"
            }
        case .indefiniteFlush:
            Row(.indefiniteFlush) { "a flush requires a timeout above zero, such as .seconds(3)" }
        case .stopped:
            Row(.stopped) {
                "Bluejay or its main loop was stopped; call start() again, or create another "
                    + "instance if the loop has ended"
            }
        case .backgroundRestorationInProgress:
            Row(.backgroundRestorationInProgress, isRetryable: true) {
                "restoration is in progress; wait for the background restorer"
            }
        case .startupBackgroundTaskExpired:
            Row(.startupBackgroundTaskExpired, isRetryable: true) {
                "restoration timed out; call connect()"
            }
        case .multipleListenTrapped:
            Row(.multipleListenTrapped) {
                "another listen is installed on the characteristic; end it first, or install it "
                    + "with .replaceable"
            }
        case .multipleListenReplaced:
            Row(.multipleListenReplaced) { "replaced by a later listen on the same characteristic" }
        case .tooMuchData(let data):
            Row(.tooMuchData, isPattern: data == nil) {
                (data.map { "received \($0.received.count) bytes, expected \($0.expected)" }
                    ?? "more bytes received than expected")
                    + "; check the length of the messages"
            }
        case .malformedUUID(let text):
            Row(.malformedUUID, isPattern: text == nil, sentenceNamesSubject: true) {
                "invalid UUID \(text.quoted); use 4, 8 or 36 characters, such as 180D"
            }
        case .malformedAddress(let text):
            Row(.malformedAddress, isPattern: text == nil, sentenceNamesSubject: true) {
                "invalid Bluetooth address \(text.quoted); use six pairs of hexadecimal digits, "
                    + "such as C4:7C:8D:6A:1F:02"
            }
        case .malformedText:
            Row(.malformedText) { "the bytes are not valid UTF-8; read them as Data" }
        case .operationTimedOut:
            Row(.operationTimedOut, isRetryable: true) {
                "timed out; try again, or use a longer timeout"
            }
        case .attribute(let error):
            Row(.attribute, isPattern: error == nil, isRetryable: error?.isTransient ?? false) {
                context.reason
                    ?? "the peripheral rejected the request" + (error.map { " with \($0)" } ?? "")
                    + (error?.advice.map { "; \($0)" } ?? "")
            }
        case .notPaired:
            Row(.notPaired) { "the peripheral requires an encrypted link; call pair()" }
        case .notSupported(let text):
            Row(.notSupported, isPattern: text == nil) {
                "not supported"
                    + (text.map { ": \($0)" } ?? " by the peripheral or by this version of BlueZ")
                    + (text?.contains("; ") == true
                        ? "" : "; `services` and `adapters` show what is supported")
            }
        case .connectionFailed(let text):
            Row(
                .connectionFailed,
                isPattern: text == nil,
                isRetryable: text.map { !BlueZAnswer.isPermanent($0) } ?? true
            ) {
                BlueZAnswer.failedConnection(
                    "the connection failed",
                    text,
                    isBonded: context.isBonded
                )
            }
        case .peripheralNotFound(let peripheral):
            Row(
                .peripheralNotFound,
                isPattern: peripheral == nil,
                isRetryable: true,
                sentenceNamesSubject: true
            ) {
                context.reason.map { "\(peripheral.text("peripheral")) was not found: \($0)" }
                    ?? "\(peripheral.text("peripheral")) is unknown to BlueZ and was not found; "
                    + "check that it is on and in range"
            }
        case .valueTooLong(let excess):
            Row(.valueTooLong, isPattern: excess == nil) {
                (excess.map {
                    "the value has \($0.length) bytes, the limit is \($0.limit)"
                }
                    ?? "the value is too long") + "; send it in parts"
            }
        case .daemon(let reply):
            Row(.daemon, isPattern: reply == nil, isRetryable: reply?.isTransient ?? false) {
                reply?.sentence ?? "BlueZ returned an error"
            }
        case .linkLost(let reason):
            Row(
                .linkLost,
                isPattern: reason == nil,
                isRetryable: reason.map { $0 != .authentication } ?? false
            ) {
                "connection lost\(reason.map { " \($0)" } ?? ""); "
                    + (reason == .authentication
                        ? BlueZAnswer.lostKeysAdvice
                        : "wait for the reconnection, or call connect() if none follows")
            }
        case .pairingFailed(let text):
            Row(.pairingFailed, isPattern: text == nil) { BlueZAnswer.failedPairing(text) }
        case .blockedMainLoop:
            Row(.blockedMainLoop) {
                "the call blocks until the main loop iterates, and the main loop is blocked or not "
                    + "running; make blocking calls inside run(backgroundTask:)"
            }
        case .reservedUUID(let uuid):
            Row(.reservedUUID, isPattern: uuid == nil, sentenceNamesSubject: true) {
                "BlueZ provides \(uuid.text) itself; omit it"
            }
        case .invalidProperties(let properties):
            Row(.invalidProperties, isPattern: properties == nil, sentenceNamesSubject: true) {
                properties.map { "invalid properties for \($0.uuid): \($0.reason)" }
                    ?? "invalid properties"
            }
        case .alreadyAdded(let uuid):
            Row(.alreadyAdded, isPattern: uuid == nil, sentenceNamesSubject: true) {
                context.reason ?? "\(uuid.text) is already published; remove its service first"
            }
        case .notAdded(let uuid):
            Row(.notAdded, isPattern: uuid == nil, sentenceNamesSubject: true) {
                "\(uuid.text) is not published; add its service first"
            }
        case .notSubscribable(let uuid):
            Row(.notSubscribable, isPattern: uuid == nil, sentenceNamesSubject: true) {
                "\(uuid.text) does not support subscriptions; add the property notify or indicate"
            }
        case .advertisementTooLong(let excess):
            Row(.advertisementTooLong, isPattern: excess == nil) {
                (excess.map { "the advertisement has \($0.length) bytes, the limit is \($0.limit)" }
                    ?? "the advertisement is too long")
                    + "; advertise fewer services or less data"
            }
        case .nameTooLong(let excess):
            Row(.nameTooLong, isPattern: excess == nil) {
                (excess.map { "the name has \($0.length) bytes of UTF-8, the limit is \($0.limit)" }
                    ?? "the name is too long") + "; shorten it"
            }
        case .invalidAdvertisement(let reason):
            Row(.invalidAdvertisement, isPattern: reason == nil) {
                "invalid advertisement" + (reason.map { ": \($0)" } ?? "")
            }
        case .alreadyAdvertising:
            Row(.alreadyAdvertising) {
                "already advertising; call stopAdvertising() first"
            }
        case .tooManyAdvertisements:
            Row(.tooManyAdvertisements, isRetryable: true) {
                "the adapter has no free advertising instance; stop another program's advertisement"
            }
        case .missingDescriptor(let descriptor):
            Row(.missingDescriptor, isPattern: descriptor == nil) {
                "the peripheral has no \(descriptor.text("descriptor")); see `services`"
            }
        case .noPeripheralFound(let filter):
            Row(.noPeripheralFound, isPattern: filter == nil, isRetryable: true) {
                "no peripheral\(filter.flatMap { $0.isEmpty ? nil : " with \($0)" } ?? "") "
                    + "found in time"
                    + (context.reason.map { ": \($0)" }
                        ?? "; check that it is on, in range and advertising")
            }
        case .inUse(let object):
            Row(.inUse, isPattern: object == nil, isRetryable: true, sentenceNamesSubject: true) {
                ["the channel", "the listener"].contains(object)
                    ? "already opened; create another one"
                    : "\(object ?? "the peripheral") is in use by this process; disconnect, stop "
                        + "scanning, let pending calls finish and try again"
            }
        case .pairingRejected:
            Row(.pairingRejected) {
                "pairing was rejected on this computer; accept it in the pairing handler, within 25 s"
            }
        case .notSubscribed(let central):
            Row(.notSubscribed, isPattern: central == nil, sentenceNamesSubject: true) {
                "\(central.text("central")) is not subscribed; see `subscribers`"
            }
        case .notAddressable(let central):
            Row(.notAddressable, isPattern: central == nil, sentenceNamesSubject: true) {
                context.reason
                    ?? "BlueZ before 5.76 cannot notify \(central.text("central")) alone while "
                    + "others are connected; notify all subscribers, or wait until it is the only "
                    + "central"
            }
        case .tooManyValues(let limit):
            Row(.tooManyValues, isPattern: limit == nil, isRetryable: true) {
                "too many values wait\(limit.map { " (\($0))" } ?? ""); await each call, or handle "
                    + "values sooner"
            }
        case .invalidPSM(let psm):
            Row(.invalidPSM, isPattern: psm == nil, sentenceNamesSubject: true) {
                "invalid PSM\(psm.map { " \($0)" } ?? ""); valid values are 1 to 255, and 128 to 255 for "
                    + "listeners without privileges"
            }
        case .channelRefused:
            Row(.channelRefused, isRetryable: true) {
                "connection refused: no listener on this PSM; ask the peer for its PSM"
            }
        case .psmInUse(let psm):
            Row(.psmInUse, isPattern: psm == nil, isRetryable: true, sentenceNamesSubject: true) {
                "\(psm.text("PSM")) is already in use; use another one, or 0"
            }
        case .psmNotPermitted(let psm):
            Row(.psmNotPermitted, isPattern: psm == nil, sentenceNamesSubject: true) {
                "listening on \(psm.text("PSM")) requires CAP_NET_BIND_SERVICE; use 128 to 255, or 0"
            }
        case .channelClosed:
            Row(.channelClosed) { "the channel is closed; open another one" }
        case .channelFull(let limit):
            Row(.channelFull, isPattern: limit == nil, isRetryable: true) {
                "the send buffer is full\(limit.map { " (\($0) bytes)" } ?? ""); wait for the completion "
                    + "of an earlier send"
            }
        case .systemError(let number):
            Row(.systemError, isPattern: number == nil) {
                "the kernel returned "
                    + (number.map { "errno \($0); the command `errno \($0)` prints its name" }
                        ?? "an error; the command `errno` prints its name")
            }
        }
    }
}

extension CharacteristicIdentifier {
    /// The service and the characteristic, such as `FFE0/FFE1`, or `FFE0#1/FFE1#2` with instances.
    fileprivate var path: String {
        func text(_ uuid: BluetoothUUID, _ instance: Int) -> String {
            instance == 0 ? uuid.uuidString : "\(uuid.uuidString)#\(instance)"
        }
        return text(service.uuid, service.instance) + "/" + text(uuid, instance)
    }
}

extension Optional where Wrapped: CustomStringConvertible {
    fileprivate func text(_ noun: String) -> String { map { "\(noun) \($0)" } ?? "such a \(noun)" }

    fileprivate var text: String { map(\.description) ?? "it" }

    fileprivate var quoted: String { map { "\"\($0)\"" } ?? "the text" }
}

extension BluejayError.DataRange {
    fileprivate var sentence: String {
        "\(length) bytes at offset \(start) requested, \(count) available, as the peripheral "
            + "uses another format"
    }
}

extension BluejayError.Reply {
    fileprivate var sentence: String {
        "BlueZ returned \(text.isEmpty ? name : "\(name): \(text)")"
            + (BlueZAnswer.other(name, text).map { "; \($0.cause): \($0.remedy)" } ?? "")
    }

    fileprivate var isTransient: Bool { name.hasSuffix(".InProgress") || name.hasSuffix(".Busy") }
}

extension BluejayError.Conflict {
    fileprivate var sentence: String {
        switch (isConnected, isSamePeripheral) {
        case (true, true): "already connected; to connect again, call disconnect() first"
        case (true, false): "\(name) is connected; call disconnect() first"
        case (false, true): "already connecting; wait for the completion of connect()"
        case (false, false): "\(name) is connecting; call cancelEverything() first"
        }
    }

    private var name: String { peripheral?.description ?? "another peripheral" }
}

extension BlueZAnswer {
    fileprivate static func failedConnection(
        _ event: String,
        _ cause: String?,
        isBonded: Bool
    ) -> String {
        guard let cause else { return "\(event); check that the peripheral is on and in range" }
        if let known = connecting(cause) {
            let (name, text) = parts(of: cause)
            let mayBeKeys = isBonded && connecting(name, text)?.mayBeLostKeys == true
            return "\(event): \(known)" + (mayBeKeys ? "; \(lostKeysAdvice)" : "")
        }
        return
            "\(event) (\(cause)); check that the peripheral is on, in range and not connected "
            + "elsewhere"
    }

    fileprivate static let lostKeysAdvice =
        "if the peripheral was reset or has lost the keys of the pairing, remove those here with "
        + "forget() while disconnected; then connect and pair again"

    fileprivate static func failedPairing(_ cause: String?) -> String {
        let advice = "check the passkey, or remove the old keys on both sides"
        guard let cause else { return "pairing failed; \(advice)" }
        if let known = pairing(cause) { return "pairing failed: \(known)" }
        return
            "pairing failed (\(cause)); \(advice), here with forget() while disconnected; then "
            + "connect and pair again"
    }
}
