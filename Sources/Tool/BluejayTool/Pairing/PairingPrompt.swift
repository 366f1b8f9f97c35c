import Bluejay
import BluejayCore

/// A pairing question for the user at a terminal, and the interpretation of answers.
struct PairingPrompt: Equatable {
    let text: String
    /// Whether the user must type an answer.
    let needsReply: Bool
    private let request: PairingRequest

    /// Phrases a request; `device` is the name for display.
    init(_ request: PairingRequest, of device: String) {
        self.request = request
        needsReply = !request.isDisplay
        let digits = request.digits ?? ""
        text =
            switch request {
            case .authorization: "pair with \(device) without comparison? yes or no:"
            case .confirmation: "does \(device) show \(digits)? yes or no:"
            case .passkey: "enter the passkey shown by \(device):"
            case .displayPasskey, .displayPinCode: "enter \(digits) on \(device)"
            case .service(let service): "allow \(device) to use the service \(service)? yes or no:"
            case .pinCode: "enter the PIN code of \(device):"
            }
    }

    /// Interprets a typed line; `nil` means that it is invalid and the question is repeated.
    func decision(_ line: String) -> PairingDecision? {
        let text = line.filter { !$0.isWhitespace }
        switch request {
        case .authorization, .confirmation, .service:
            switch text.lowercased() {
            case "y", "yes": return .accept
            case "n", "no": return .reject
            default: return nil
            }
        case .passkey:
            let isNumber =
                (1...6).contains(text.count) && text.allSatisfy { $0.isASCII && $0.isNumber }
            return isNumber ? UInt32(text).map { .passkey($0) } : nil
        case .pinCode: return (1...16).contains(text.utf8.count) ? .pinCode(text) : nil
        case .displayPasskey, .displayPinCode: return .accept
        }
    }
}
