public import FoundationEssentials

extension BluejayError {
    /// What has happened, without values.
    public var code: Code { facts.code }

    var facts: Facts { kind.facts(in: context) }

    /// The call that failed; nil for an error that was made by itself, such as one of a decoder.
    public var operation: Call? { context.operation }

    /// The peripheral that was connected, or being connected to, when it failed.
    public var peripheral: PeripheralIdentifier? {
        switch kind {
        case .unexpectedPeripheral(let peripheral?), .peripheralNotFound(let peripheral?),
            .notSubscribed(let peripheral?), .notAddressable(let peripheral?):
            peripheral
        default: context.peripheral
        }
    }

    /// The connected peripheral, or the one that is being connected, for ``multipleConnectNotSupported``.
    ///
    /// It is nil while a search for the peripheral runs.
    public var conflictingPeripheral: PeripheralIdentifier? { context.conflict?.peripheral }

    /// The service that was meant; that of ``characteristic``, where there is one.
    public var service: ServiceIdentifier? {
        if case .missingService(let service?) = kind { return service }
        return context.service ?? characteristic?.service
    }

    /// The characteristic that was meant.
    public var characteristic: CharacteristicIdentifier? {
        if case .missingCharacteristic(let characteristic?) = kind { return characteristic }
        return context.characteristic ?? descriptor?.characteristic
    }

    /// The descriptor that was meant.
    public var descriptor: DescriptorIdentifier? {
        if case .missingDescriptor(let descriptor?) = kind { return descriptor }
        return context.descriptor
    }

    /// The code with which the peripheral refused.
    ///
    /// Also where BlueZ says so in words: ``notPaired`` is one of three codes that it does not tell apart,
    /// and has none.
    public var attError: ATTError? {
        if case .attribute(let error) = kind { return error }
        return nil
    }

    /// The name of the error with which BlueZ or the bus answered, such as `org.bluez.Error.Failed`.
    public var blueZName: String? {
        if case .daemon(let reply?) = kind { return reply.name }
        return context.blueZName
    }

    /// The text that came with ``blueZName``; never the value of an attribute.
    public var blueZText: String? {
        if case .daemon(let reply?) = kind { return reply.text }
        return context.blueZText
    }

    /// Why Bluetooth cannot be used, for ``bluetoothUnavailable(_:)``.
    public var bluetoothState: BluetoothState? {
        if case .bluetoothUnavailable(let state) = kind { return state }
        return nil
    }

    /// Why the connection ended, for ``linkLost(_:)``.
    public var disconnectReason: DisconnectReason? {
        if case .linkLost(let reason) = kind { return reason }
        return nil
    }

    /// Whether the same call may succeed later although nobody changes the program, the settings of this
    /// computer or the peripheral.
    ///
    /// True for what the air and other calls cause: time limits, lost links, a peripheral that is busy,
    /// something that is under way. False for what will be refused again. How long to wait is the
    /// program's choice; ``notConnected`` wants a connection first, ``bluetoothUnavailable(_:)`` the
    /// observer's `bluetoothAvailable(true)`.
    public var isWorthRetrying: Bool { facts.isWorthRetrying }
}

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
        let text = [subject, facts.sentence].compactMap { $0 }.joined(separator: ": ")
        return text.displayText
    }

    /// What it happened to, such as `write to 2A39 of Sensor (C4:7C:8D:6A:1F:02)`.
    private var subject: String? {
        guard let operation else { return nil }
        guard !facts.namesItsObject else { return operation.description }
        let attribute =
            context.descriptor?.text ?? context.characteristic?.text
            ?? context.service?.description
        let objects = [attribute, context.peripheral?.description].compactMap { $0 }
        guard !objects.isEmpty else { return operation.description }
        return operation.text(objects.joined(separator: " of "))
    }
}
