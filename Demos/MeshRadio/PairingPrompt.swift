import Bluejay
import BluejayCommandLine

/// Asks a person to answer pairing requests; only the latest request is open.
///
/// Used on the main loop only.
final class PairingPrompt {
    private let display: RadioDisplay
    private var responder: PairingResponder?

    init(display: RadioDisplay) {
        self.display = display
    }

    func requested(
        _ request: PairingRequest,
        by central: PeripheralIdentifier,
        _ responder: PairingResponder
    ) {
        switch request {
        // Accepting without a person would admit any device in range: both sides only show the number.
        case .confirmation:
            setResponder(request, responder, "does the central show this number? yes or no:")
        case .displayPasskey: show(request, "enter this number on the central:")
        case .passkey: setResponder(request, responder, "enter the number shown by the central")
        // Without a comparison the link does not meet the security of the characteristics.
        case .authorization, .service, .pinCode, .displayPinCode:
            responder.reject()
            display.event(
                "pairingRefused",
                "rejected pairing without a number",
                ["asked": "\(request)"]
            )
        }
    }

    func accept() { removeResponder()?.accept() }

    func reject() { removeResponder()?.reject() }

    func enterPasskey(_ number: UInt32) { removeResponder()?.accept(passkey: number) }

    private func setResponder(
        _ request: PairingRequest,
        _ responder: PairingResponder,
        _ words: String
    ) {
        self.responder = responder
        responder.onEnd = { [weak self] in
            self?.responder = nil
            self?.display.event("pairingEnded", "the pairing request ended")
        }
        show(request, words)
    }

    private func show(_ request: PairingRequest, _ words: String) {
        let digits = request.digits
        display.event(
            "pairing",
            words + (digits.map { " \($0)" } ?? ""),
            ["asked": "\(request)"].merging(digits.map { ["number": $0] } ?? [:]) { $1 }
        )
    }

    private func removeResponder() -> PairingResponder? {
        defer { responder = nil }
        if responder == nil { display.hint("no pairing request is open") }
        return responder
    }
}
