/// A question or a display during the pairing of a device with this computer.
///
/// The input and output capabilities of the two devices determine the kind of request (Core
/// Specification, Vol 3, Part H, 2.3.5.1). Its textual form never contains the number or code.
public enum PairingRequest: Hashable, Swift.Sendable {
    /// The device requests pairing, and neither side can display or compare anything.
    case authorization
    /// Both sides display this number, 0 to 999,999; confirm that the numbers are equal.
    case confirmation(passkey: UInt32)
    /// The device displays a number, 0 to 999,999; answer with it.
    case passkey
    /// Display this number, to be typed on the device; `entered` of its digits have been typed.
    ///
    /// The request repeats for each digit if the device reports progress.
    case displayPasskey(UInt32, entered: Int)
    /// The device requests the use of a service of this computer.
    case service(ServiceIdentifier)
    /// A legacy device expects a code of 1 to 16 characters.
    case pinCode
    /// Display this code, to be typed on a legacy device.
    case displayPinCode(String)

    /// Whether the request displays something and needs no answer.
    public var isDisplay: Bool {
        switch self {
        case .displayPasskey, .displayPinCode: true
        case .authorization, .confirmation, .passkey, .service, .pinCode: false
        }
    }

    /// The digits to compare or type: a number as six digits, a code as it is; `nil` for other requests.
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
    /// The kind of request, without numbers and codes.
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

    /// The same text as ``description``.
    public var debugDescription: String { description }

    /// A mirror without the numbers and codes.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// An answer to a ``PairingRequest``.
///
/// Its textual form never contains the number or code.
public enum PairingDecision: Hashable, Swift.Sendable {
    /// Accepts an authorization, a confirmation or a service.
    case accept
    /// The number that the device displays, 0 to 999,999.
    case passkey(UInt32)
    /// The code that the device expects, 1 to 16 bytes of UTF-8.
    case pinCode(String)
    /// Refuses the request.
    case reject
}

extension PairingDecision: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    /// The kind of decision, without numbers and codes.
    public var description: String {
        switch self {
        case .accept: "accepted"
        case .passkey: "a passkey"
        case .pinCode: "a PIN code"
        case .reject: "refused"
        }
    }

    /// The same text as ``description``.
    public var debugDescription: String { description }

    /// A mirror without the numbers and codes.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// The decision for a request; `reject` if this one does not fit.
    package func fitted(to request: PairingRequest) -> PairingDecision {
        switch (self, request) {
        case (.accept, .authorization), (.accept, .confirmation), (.accept, .service): self
        case (.accept, .displayPasskey), (.accept, .displayPinCode): self
        case (.passkey(let number), .passkey) where number <= 999_999: self
        case (.pinCode(let code), .pinCode)
        where (1...16).contains(code.utf8.count) && !code.utf8.contains(0):
            self
        default: .reject
        }
    }
}
