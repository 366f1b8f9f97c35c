import Bluejay
import BluejayCommandLine

/// Asks a person to answer pairing requests; only the latest request is open.
///
/// Used on the main loop only.
final class PairingDesk {
    private let display: RadioDisplay
    private var answer: PairingAnswer?

    init(display: RadioDisplay) {
        self.display = display
    }

    func asked(_ request: PairingRequest, by central: PeripheralIdentifier, _ answer: PairingAnswer)
    {
        switch request {
        // Accepting without a person would admit any device in range: both sides only show the number.
        case .confirmation: open(request, answer, "is this number shown there? yes or no:")
        case .displayPasskey: show(request, "this number is to be typed there:")
        case .passkey: open(request, answer, "type the number that is shown there")
        // Without a comparison the link does not meet the security of the characteristics.
        case .authorization, .service, .pinCode, .displayPinCode:
            answer.refuse()
            display.event(
                "pairingRefused",
                "refused to pair without a number",
                ["asked": "\(request)"]
            )
        }
    }

    func agree() { take()?.accept() }

    func refuse() { take()?.refuse() }

    func typed(_ number: UInt32) { take()?.accept(passkey: number) }

    private func open(_ request: PairingRequest, _ answer: PairingAnswer, _ words: String) {
        self.answer = answer
        answer.onEnd = { [weak self] in
            self?.answer = nil
            self?.display.event("pairingEnded", "nobody waits for it any more")
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

    private func take() -> PairingAnswer? {
        defer { answer = nil }
        if answer == nil { display.hint("nothing is asked") }
        return answer
    }
}
