public import FoundationEssentials

extension BluejayError: LocalizedError {
    /// What failed, why, and what to do; never the value of an attribute.
    public var errorDescription: String? { message }
}

extension BluejayError: CustomStringConvertible {
    /// The same text as `localizedDescription`.
    public var description: String { message }
}

extension BluejayError {
    private var message: String {
        let text = [subject, sentence].compactMap { $0 }.joined(separator: ": ")
        return text.displayText
    }

    /// What it happened to, such as `write to 2A39 of Sensor (C4:7C:8D:6A:1F:02)`.
    private var subject: String? {
        guard let operation else { return nil }
        guard !namesItsObject else { return operation.description }
        let attribute =
            context.descriptor?.text ?? context.characteristic?.text
            ?? context.service?.description
        let objects = [attribute, context.peripheral?.description].compactMap { $0 }
        guard !objects.isEmpty else { return operation.description }
        return operation.text(objects.joined(separator: " of "))
    }

    /// Whether the sentence says what it is about.
    private var namesItsObject: Bool {
        switch code {
        case .peripheralNotFound, .unexpectedPeripheral, .reservedUUID, .invalidProperties,
            .alreadyAdded, .notAdded, .notSubscribable, .malformedUUID, .malformedAddress, .inUse,
            .notSubscribed, .notAddressable, .invalidPSM, .psmInUse, .psmNotPermitted:
            true
        default: false
        }
    }

    /// What has happened and what to do, without what it happened to.
    private var sentence: String {
        switch kind {
        case .any(let code): code.sentence
        default:
            connectionSentence ?? transferSentence ?? valueSentence ?? subscriberSentence
                ?? serverSentence
        }
    }

    private var connectionSentence: String? {
        switch kind {
        // It is on again by the time the error is read.
        case .bluetoothUnavailable(.poweredOn):
            "Bluetooth was not available for a moment; try again"
        case .bluetoothUnavailable(let state):
            "Bluetooth is not available: \(state)"
        case .unexpectedPeripheral(let peripheral):
            "peripheral \(peripheral) cannot be connected to; scan for it first"
        case .peripheralNotFound(let peripheral):
            "peripheral \(peripheral) is not known to BlueZ and was not seen; "
                + "check that it is on and in range"
        case .noPeripheralFound(let filter):
            "no peripheral\(filter.isEmpty ? "" : " with \(filter)") was found in time; "
                + "check that it is on, in range and advertising"
        case .inUse("the channel"), .inUse("the listener"): "it was opened before; make another one"
        case .inUse(let what):
            "\(what) is in use here; disconnect, stop scanning, and try again when that is done"
        case .linkLost(let reason):
            "the connection ended \(reason); Bluejay reconnects if `shouldAutoReconnect` is true, else "
                + "call connect()"
        case .multipleConnectNotSupported: context.conflict?.sentence ?? code.sentence
        case .pairingFailed(let text): pairingSentence(text)
        case .connectionFailed(let text): connectingSentence("the connection failed", text)
        case .connectionTimedOut where context.reason != nil:
            "the connection was not made in time: \(context.reason ?? "")"
        case .unexpectedDisconnect:
            context.answer.map { connectingSentence("the connection was lost or refused", $0) }
                ?? code.sentence
        default: nil
        }
    }

    private func connectingSentence(_ event: String, _ answer: String) -> String {
        if let known = BlueZAnswer.connecting(answer) { return "\(event): \(known)" }
        return
            "\(event) (\(answer)); check that the peripheral is on and in range, and connected to "
            + "no other device"
    }

    private func pairingSentence(_ answer: String) -> String {
        if let known = BlueZAnswer.pairing(answer) { return "pairing failed: \(known)" }
        return
            "pairing failed (\(answer)); check the number, or remove the old keys on both sides, "
            + "here with forget() while disconnected; then connect and pair again"
    }

    private var transferSentence: String? {
        switch kind {
        case .missingService(let service):
            "the peripheral has no service \(service); `services` lists what it has"
        case .missingCharacteristic(let characteristic):
            "the peripheral has no characteristic \(characteristic); `services` lists what it has"
        case .missingDescriptor(let descriptor):
            "the peripheral has no descriptor \(descriptor); `services` lists what it has"
        case .attribute(let error):
            "the peripheral refused with \(error)" + (error.advice.map { "; \($0)" } ?? "")
        case .notSupported(let text):
            "not supported: \(text)"
        case .daemon(let name, let text):
            "BlueZ answered \(text.isEmpty ? name : "\(name): \(text)")"
                + (BlueZAnswer.other(name, text).map { "; \($0.cause): \($0.remedy)" } ?? "")
        default: nil
        }
    }

    private var valueSentence: String? {
        switch kind {
        case .dataOutOfBounds(let start, let length, let count):
            "\(length) bytes from byte \(start) cannot be taken from data of \(count) bytes; the "
                + "peripheral sends another format than the one that is decoded"
        case .tooMuchData(let expected, let received):
            "\(received.count) bytes were received where \(expected) were expected"
        case .valueTooLong(let length, let limit):
            "the value has \(length) bytes and at most \(limit) can be written; send it in parts"
        case .malformedUUID(let text):
            "\"\(text)\" is no UUID; write 4, 8 or 36 characters, such as 180D"
        case .malformedAddress(let text):
            "\"\(text)\" is no Bluetooth address; write six pairs of hexadecimal digits, such as "
                + "C4:7C:8D:6A:1F:02"
        default: nil
        }
    }

    private var subscriberSentence: String? {
        switch kind {
        case .notSubscribed(let central):
            "central \(central) is not subscribed; `subscribers` lists who is"
        case .notAddressable(let central):
            "this BlueZ cannot send to central \(central) alone while others are connected; "
                + "`addressing` says whether it can, from 5.76 on"
        case .tooManyValues(let limit):
            "\(limit) values wait to be sent; await each, or send less"
        default: nil
        }
    }

    private var serverSentence: String {
        switch kind {
        case .reservedUUID(let uuid):
            "\(uuid) is provided by BlueZ itself; leave it away"
        case .invalidProperties(let uuid, let reason):
            "the properties of \(uuid) cannot be used: \(reason)"
        case .alreadyAdded(let uuid):
            "\(uuid) is published already; remove its service first"
        case .notAdded(let uuid):
            "\(uuid) is not published; add its service first"
        case .notSubscribable(let uuid):
            "nobody can subscribe to \(uuid); give it the property notify or indicate"
        case .advertisementTooLong(let length, let limit):
            "the advertisement has \(length) bytes and \(limit) fit; advertise fewer services or "
                + "less data"
        case .nameTooLong(let length, let limit):
            "the name has \(length) bytes of UTF-8 and \(limit) fit; shorten it"
        case .invalidAdvertisement(let reason):
            "the advertisement cannot be sent: \(reason)"
        default: channelSentence
        }
    }

    private var channelSentence: String {
        switch kind {
        case .invalidPSM(let psm):
            "\(psm) is no PSM of a channel; they are 1 to 255, and 128 to 255 for programs"
        case .psmInUse(let psm): "somebody listens on PSM \(psm) already; take another one, or 0"
        case .psmNotPermitted(let psm):
            "a listener on PSM \(psm) needs CAP_NET_BIND_SERVICE; take 128 to 255, or 0"
        case .channelFull(let limit):
            "\(limit) bytes may wait to be sent; wait for the completion of what was sent before"
        case .systemError(let number): "the kernel refused with error \(number)"
        default: code.sentence
        }
    }
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
