/// An error code of the Attribute Protocol (Core Specification, Vol 3, Part F, 3.4.1.1).
struct ATTErrorCode: Error, Hashable {
    var code: UInt8
    /// Whether pairing cannot resolve the error.
    var isFinal = false
    /// Whether the object of the attribute was removed during the request.
    var isRemoved = false

    static let invalidHandle = ATTErrorCode(code: 0x01)
    static let readNotPermitted = ATTErrorCode(code: 0x02)
    static let writeNotPermitted = ATTErrorCode(code: 0x03)
    static let insufficientAuthentication = ATTErrorCode(code: 0x05)
    static let requestNotSupported = ATTErrorCode(code: 0x06)
    static let invalidOffset = ATTErrorCode(code: 0x07)
    static let prepareQueueFull = ATTErrorCode(code: 0x09)
    static let notLong = ATTErrorCode(code: 0x0B)
    static let invalidLength = ATTErrorCode(code: 0x0D)
    static let unlikely = ATTErrorCode(code: 0x0E)
    static let insufficientEncryption = ATTErrorCode(code: 0x0F)
    static let improperlyConfigured = ATTErrorCode(code: 0xFD)
    static let objectRemoved = ATTErrorCode(code: 0x0E, isRemoved: true)

    /// Whether bluetoothd encrypts the link and repeats the request.
    var requiresEncryption: Bool { (code == 0x05 || code == 0x0F) && !isFinal }
}
