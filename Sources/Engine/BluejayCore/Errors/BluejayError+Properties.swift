public import FoundationEssentials

extension BluejayError {
    /// The kind of error, without values.
    public var code: Code { details.code }

    var details: Details { kind.details(in: context) }

    /// The call that failed, or `nil` for an error outside of a call, such as one of a decoder.
    public var operation: Call? { context.operation }

    /// The peripheral that was connected or connecting at the time of the failure.
    public var peripheral: PeripheralIdentifier? {
        switch kind {
        case .unexpectedPeripheral(let peripheral?), .peripheralNotFound(let peripheral?),
            .notSubscribed(let peripheral?), .notAddressable(let peripheral?):
            peripheral
        default: context.peripheral
        }
    }

    /// The peripheral that is connected or connecting, for ``multipleConnectNotSupported``.
    ///
    /// It is `nil` during a search for the peripheral.
    public var conflictingPeripheral: PeripheralIdentifier? { context.conflict?.peripheral }

    /// The affected service, which is that of ``characteristic`` if that is set.
    public var service: ServiceIdentifier? {
        if case .missingService(let service?) = kind { return service }
        if let service = context.service { return service }
        return characteristic.flatMap { $0.service.isAny ? nil : $0.service }
    }

    /// The affected characteristic.
    public var characteristic: CharacteristicIdentifier? {
        if case .missingCharacteristic(let characteristic?) = kind { return characteristic }
        return context.characteristic ?? descriptor?.characteristic
    }

    /// The affected descriptor.
    public var descriptor: DescriptorIdentifier? {
        if case .missingDescriptor(let descriptor?) = kind { return descriptor }
        return context.descriptor
    }

    /// The code with which the peripheral refused the request.
    ///
    /// It is also set if BlueZ reports the refusal by an error name. ``notPaired`` has no code, because
    /// BlueZ uses one name for three codes.
    public var attError: ATTError? {
        if case .attribute(let error) = kind { return error }
        return nil
    }

    /// The name of the error reply from BlueZ or the bus, such as `org.bluez.Error.Failed`.
    public var blueZName: String? {
        if case .daemon(let reply?) = kind { return reply.name }
        return context.blueZName
    }

    /// The text of ``blueZName``; never contains the value of an attribute.
    public var blueZText: String? {
        if case .daemon(let reply?) = kind { return reply.text }
        return context.blueZText
    }

    /// The reason why Bluetooth is unavailable, for ``bluetoothUnavailable(_:)``.
    public var bluetoothState: BluetoothState? {
        if case .bluetoothUnavailable(let state) = kind { return state }
        return nil
    }

    /// The reason why the connection ended, for ``linkLost(_:)``.
    public var disconnectReason: DisconnectReason? {
        if case .linkLost(let reason) = kind { return reason }
        return nil
    }

    /// Whether the same call may succeed later without a change to the program, this computer's settings
    /// or the peripheral.
    ///
    /// True for failures caused by radio conditions and other calls: timeouts, lost links, a busy
    /// peripheral, an operation in progress. False if the call would be refused again.
    ///
    /// The program chooses the delay. After ``notConnected``, connect first; after
    /// ``bluetoothUnavailable(_:)``, wait for the observer's `bluetoothAvailable(true)`.
    public var isRetryable: Bool { details.isRetryable }
}

extension BluejayError: LocalizedError {
    /// The failure, its reason and its remedy; never contains the value of an attribute.
    public var errorDescription: String? { message }
}

extension BluejayError: CustomStringConvertible {
    /// The same text as `localizedDescription`.
    public var description: String { message }
}

extension BluejayError {
    private var message: String {
        let text = [subject, details.sentence].compactMap { $0 }.joined(separator: ": ")
        return text.displayText
    }

    /// The failed call and its object, such as `write to 2A39 of Sensor (C4:7C:8D:6A:1F:02)`.
    private var subject: String? {
        guard let operation else { return nil }
        guard !details.sentenceNamesSubject else { return operation.description }
        let attribute =
            context.descriptor?.text ?? context.characteristic?.text
            ?? context.service?.description
        let objects = [attribute, context.peripheral?.description].compactMap { $0 }
        guard !objects.isEmpty else { return operation.description }
        return operation.text(objects.joined(separator: " of "))
    }
}
