/// The kinds of this library, on the central's side.
extension BluejayError {
    /// The text is no UUID.
    public static func malformedUUID(_ text: String) -> BluejayError {
        BluejayError(.malformedUUID(text))
    }

    /// As a pattern: the same with any value.
    public static let malformedUUID = BluejayError(.any(.malformedUUID))

    /// The text is no Bluetooth address.
    public static func malformedAddress(_ text: String) -> BluejayError {
        BluejayError(.malformedAddress(text))
    }

    /// As a pattern: the same with any value.
    public static let malformedAddress = BluejayError(.any(.malformedAddress))

    /// The bytes are not UTF-8.
    public static let malformedText = BluejayError(.malformedText)

    /// The call did not end in its time.
    public static let operationTimedOut = BluejayError(.operationTimedOut)

    /// The peripheral refused a request, with this code.
    public static func attribute(_ error: ATTError) -> BluejayError {
        BluejayError(.attribute(error))
    }

    /// As a pattern: the same with any value.
    public static let attribute = BluejayError(.any(.attribute))

    /// The request needs an encrypted link, and the peripheral is not paired.
    public static let notPaired = BluejayError(.notPaired)

    /// The peripheral or this version of BlueZ cannot do what was asked; with what that is.
    public static func notSupported(_ text: String) -> BluejayError {
        BluejayError(.notSupported(text))
    }

    /// As a pattern: the same with any value.
    public static let notSupported = BluejayError(.any(.notSupported))

    /// The connection could not be made, with what BlueZ says; what a disconnect handler is told.
    public static func connectionFailed(_ text: String) -> BluejayError {
        BluejayError(.connectionFailed(text))
    }

    /// As a pattern: the same with any value.
    public static let connectionFailed = BluejayError(.any(.connectionFailed))

    /// BlueZ does not know the peripheral, and it was not seen in time.
    public static func peripheralNotFound(_ peripheral: PeripheralIdentifier) -> BluejayError {
        BluejayError(.peripheralNotFound(peripheral))
    }

    /// As a pattern: the same with any value.
    public static let peripheralNotFound = BluejayError(.any(.peripheralNotFound))

    /// The value is longer than can be written or published; both are numbers of bytes.
    public static func valueTooLong(length: Int, limit: Int) -> BluejayError {
        BluejayError(.valueTooLong(length: length, limit: limit))
    }

    /// As a pattern: the same with any value.
    public static let valueTooLong = BluejayError(.any(.valueTooLong))

    /// BlueZ or the bus answered with an error that has no kind of its own.
    public static func daemon(name: String, message: String) -> BluejayError {
        BluejayError(.daemon(name: name, message: message))
    }

    /// As a pattern: the same with any value.
    public static let daemon = BluejayError(.any(.daemon))

    /// The connection ended by itself; what a disconnect handler is told.
    public static func linkLost(_ reason: DisconnectReason) -> BluejayError {
        BluejayError(.linkLost(reason))
    }

    /// As a pattern: the same with any value.
    public static let linkLost = BluejayError(.any(.linkLost))

    /// Pairing with the peripheral failed, or its keys do not fit any more; with what BlueZ says.
    public static func pairingFailed(_ text: String) -> BluejayError {
        BluejayError(.pairingFailed(text))
    }

    /// As a pattern: the same with any value.
    public static let pairingFailed = BluejayError(.any(.pairingFailed))

    /// Pairing was refused here: by the pairing handler, or because nobody answered in time.
    public static let pairingRefused = BluejayError(.pairingRefused)

    /// The named adapter or peripheral is in use here: it is connected, or something is under way.
    public static func inUse(_ what: String) -> BluejayError {
        BluejayError(.inUse(what))
    }

    /// As a pattern: the same with any value.
    public static let inUse = BluejayError(.any(.inUse))

    /// A call that blocks was made on the thread that its result would come on.
    public static let blockedMainLoop = BluejayError(.blockedMainLoop)

    /// The characteristic has no such descriptor.
    public static func missingDescriptor(_ descriptor: DescriptorIdentifier) -> BluejayError {
        BluejayError(.missingDescriptor(descriptor))
    }

    /// As a pattern: the same with any value.
    public static let missingDescriptor = BluejayError(.any(.missingDescriptor))

    /// Nobody who fits a filter was seen in time; with the filter in words, empty for everybody.
    public static func noPeripheralFound(_ filter: String) -> BluejayError {
        BluejayError(.noPeripheralFound(filter))
    }

    /// As a pattern: the same with any value.
    public static let noPeripheralFound = BluejayError(.any(.noPeripheralFound))
}
