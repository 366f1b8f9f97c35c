/// The code with which a peripheral refuses a request (Core Specification, Vol 3, Part F, 3.4.1.1).
public struct ATTError: Hashable, Swift.Sendable {
    /// The code as received over the air.
    public let code: UInt8

    /// Creates an error from its code.
    public init(code: UInt8) {
        self.code = code
    }

    /// The handle is not valid on this peripheral.
    public static let invalidHandle = ATTError(code: 0x01)
    /// The attribute cannot be read.
    public static let readNotPermitted = ATTError(code: 0x02)
    /// The attribute cannot be written.
    public static let writeNotPermitted = ATTError(code: 0x03)
    /// The request was malformed.
    public static let invalidPDU = ATTError(code: 0x04)
    /// The attribute requires an authenticated link: pair first.
    public static let insufficientAuthentication = ATTError(code: 0x05)
    /// The peripheral does not support the request.
    public static let requestNotSupported = ATTError(code: 0x06)
    /// The offset is beyond the end of the value.
    public static let invalidOffset = ATTError(code: 0x07)
    /// The client lacks the authorization for the attribute.
    public static let insufficientAuthorization = ATTError(code: 0x08)
    /// The queue of prepared writes is full.
    public static let prepareQueueFull = ATTError(code: 0x09)
    /// The range contains no such attribute.
    public static let attributeNotFound = ATTError(code: 0x0A)
    /// The attribute cannot be read or written in parts.
    public static let attributeNotLong = ATTError(code: 0x0B)
    /// The encryption key of the link is too short.
    public static let encryptionKeySizeTooShort = ATTError(code: 0x0C)
    /// The attribute does not accept values of this length.
    public static let invalidAttributeValueLength = ATTError(code: 0x0D)
    /// The peripheral encountered an unexpected error.
    public static let unlikelyError = ATTError(code: 0x0E)
    /// The attribute requires an encrypted link: pair first.
    public static let insufficientEncryption = ATTError(code: 0x0F)
    /// The attribute type is not a grouping type.
    public static let unsupportedGroupType = ATTError(code: 0x10)
    /// The peripheral lacks resources.
    public static let insufficientResources = ATTError(code: 0x11)
    /// The services changed, and the client has not rediscovered them.
    public static let databaseOutOfSync = ATTError(code: 0x12)
    /// The peripheral does not accept this value.
    public static let valueNotAllowed = ATTError(code: 0x13)
    /// The profile does not allow the write.
    public static let writeRequestRejected = ATTError(code: 0xFC)
    /// The client configuration of the characteristic does not meet the profile's requirements.
    public static let clientConfigurationImproper = ATTError(code: 0xFD)
    /// An earlier procedure is still running.
    public static let procedureAlreadyInProgress = ATTError(code: 0xFE)
    /// The value is out of range.
    public static let outOfRange = ATTError(code: 0xFF)

    private static let names: [ATTError: String] = [
        .invalidHandle: "invalid handle",
        .readNotPermitted: "read not permitted",
        .writeNotPermitted: "write not permitted",
        .invalidPDU: "invalid PDU",
        .insufficientAuthentication: "insufficient authentication",
        .requestNotSupported: "request not supported",
        .invalidOffset: "invalid offset",
        .insufficientAuthorization: "insufficient authorization",
        .prepareQueueFull: "prepare queue full",
        .attributeNotFound: "attribute not found",
        .attributeNotLong: "attribute not long",
        .encryptionKeySizeTooShort: "encryption key size too short",
        .invalidAttributeValueLength: "invalid attribute value length",
        .unlikelyError: "unlikely error",
        .insufficientEncryption: "insufficient encryption",
        .unsupportedGroupType: "unsupported group type",
        .insufficientResources: "insufficient resources",
        .databaseOutOfSync: "database out of sync",
        .valueNotAllowed: "value not allowed",
        .writeRequestRejected: "write request rejected",
        .clientConfigurationImproper: "client characteristic configuration improperly configured",
        .procedureAlreadyInProgress: "procedure already in progress",
        .outOfRange: "out of range",
    ]
}

extension ATTError: CustomStringConvertible {
    /// The code with its name, such as `ATT 0x05 (insufficient authentication)`.
    public var description: String {
        let digits = Hexadecimal.text(UInt64(code), digits: 2, isUppercase: true)
        return "ATT 0x\(digits) (\(name))"
    }

    private var name: String {
        if let name = Self.names[self] { return name }
        return switch code {
        case 0x80...0x9F: "defined by the peripheral"
        case 0xE0...0xFF: "common profile code"
        default: "reserved"
        }
    }
}

extension ATTError {
    /// The remedy, or `nil` if the code does not suggest one.
    var advice: String? {
        switch self {
        case .readNotPermitted, .writeNotPermitted, .requestNotSupported:
            "see `properties` for the supported operations"
        case .insufficientAuthentication, .insufficientEncryption, .encryptionKeySizeTooShort:
            "pair first, for example with pair()"
        case .insufficientAuthorization: "grant access on the peripheral"
        case .invalidAttributeValueLength, .valueNotAllowed, .outOfRange:
            "write a valid value"
        case .prepareQueueFull, .insufficientResources, .procedureAlreadyInProgress, .unlikelyError:
            "try again later"
        case .databaseOutOfSync: "the services changed; try again"
        default:
            (0x80...0x9F).contains(code) ? "see the documentation of the peripheral" : nil
        }
    }

    /// Whether the same request may succeed later.
    var isTransient: Bool {
        switch self {
        case .prepareQueueFull, .unlikelyError, .insufficientResources, .databaseOutOfSync,
            .procedureAlreadyInProgress:
            true
        default: false
        }
    }
}
