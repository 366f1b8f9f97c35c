/// What is asked or shown while a device pairs with this computer.
///
/// Which of them comes, the two devices agree on by what each can show and take in (Core Specification,
/// Vol 3, Part H, 2.3.5.1). As text it says what is asked, and never a number.
public enum PairingRequest: Hashable, Swift.Sendable {
    /// The device wants to pair, and neither side can show or compare anything.
    case authorization
    /// Both sides show this number, 0 to 999,999: are they the same?
    case confirmation(passkey: UInt32)
    /// The device shows a number, 0 to 999,999, which is to be given.
    case passkey
    /// This number is to be typed on the device; `entered` digits of it have been.
    ///
    /// Comes again for each digit, of devices that tell.
    case displayPasskey(UInt32, entered: Int)
    /// The device wants to use a service of this computer.
    case service(ServiceIdentifier)
    /// A code of 1 to 16 characters is to be given, as old devices want it.
    case pinCode
    /// This code is to be typed on the device, an old one.
    case displayPinCode(String)

    /// Whether something is to be shown, and nothing answered.
    public var isDisplay: Bool {
        switch self {
        case .displayPasskey, .displayPinCode: true
        case .authorization, .confirmation, .passkey, .service, .pinCode: false
        }
    }

    /// What people compare or type: a number as six digits, a code as it is; nil where there is none.
    public var digits: String? {
        switch self {
        case .confirmation(let passkey), .displayPasskey(let passkey, _):
            Self.digits(of: passkey)
        case .displayPinCode(let code): code
        case .authorization, .passkey, .service, .pinCode: nil
        }
    }

    private static func digits(of passkey: UInt32) -> String {
        let text = String(passkey)
        return String(repeating: "0", count: max(0, 6 - text.count)) + text
    }
}

extension PairingRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What is asked, without numbers and codes.
    public var description: String {
        switch self {
        case .authorization: "authorization"
        case .confirmation: "confirmation"
        case .passkey: "passkey"
        case .displayPasskey(_, let entered): "display of a passkey, \(entered) entered"
        case .service(let service): "authorization of \(service)"
        case .pinCode: "PIN code"
        case .displayPinCode: "display of a PIN code"
        }
    }

    /// As ``description``.
    public var debugDescription: String { description }

    /// Shows nothing of the numbers and codes.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What is answered to a ``PairingRequest``.
///
/// As text it says which, and never a number.
public enum PairingDecision: Hashable, Swift.Sendable {
    /// Yes: to an authorization, a confirmation or a service.
    case accept
    /// The number that the device shows, 0 to 999,999.
    case passkey(UInt32)
    /// The code that the device wants, 1 to 16 bytes of UTF-8.
    case pinCode(String)
    /// No.
    case refuse
}

extension PairingDecision: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    /// Which it is, without numbers and codes.
    public var description: String {
        switch self {
        case .accept: "accepted"
        case .passkey: "a passkey"
        case .pinCode: "a PIN code"
        case .refuse: "refused"
        }
    }

    /// As ``description``.
    public var debugDescription: String { description }

    /// Shows nothing of the numbers and codes.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// The decision that a request gets: one that does not fit it refuses.
    package func fitted(to request: PairingRequest) -> PairingDecision {
        switch (self, request) {
        case (.accept, .authorization), (.accept, .confirmation), (.accept, .service): self
        case (.accept, .displayPasskey), (.accept, .displayPinCode): self
        case (.passkey(let number), .passkey) where number <= 999_999: self
        case (.pinCode(let code), .pinCode)
        where (1...16).contains(code.utf8.count) && !code.utf8.contains(0):
            self
        default: .refuse
        }
    }
}
