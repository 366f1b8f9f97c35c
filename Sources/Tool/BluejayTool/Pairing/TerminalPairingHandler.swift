import Bluejay
import BluejayCommandLine
import BluejayCore
import Foundation

/// Asks the user at a terminal for pairing decisions: questions on standard error, answers from standard
/// input, one a line.
@MainActor
final class TerminalPairingHandler {
    /// Whether the user has asked to pair, so that answers can be read from a file.
    var isRequested = false
    private let console: Console
    /// The input of the running subcommand.
    var input: InputBytes
    private var lastPrompt: PairingPrompt?

    init(_ console: Console, _ input: InputBytes) {
        self.console = console
        self.input = input
    }

    /// Asks until there is a valid answer or the request is cancelled.
    ///
    /// A request caused by an encrypted value, rather than by `bluejay pair`, needs a user at the terminal.
    func decide(_ request: PairingRequest, of device: PeripheralIdentifier) async -> PairingDecision
    {
        guard isRequested || isatty(STDIN_FILENO) == 1 else {
            console.writeError(
                "bluejay: \(device.displayText) requires pairing; run `bluejay pair`"
            )
            return .reject
        }
        let prompt = PairingPrompt(request, of: device.displayText)
        guard prompt.needsReply else {
            // The request is repeated after each digit typed on the device.
            if lastPrompt?.text != prompt.text { console.writeError("bluejay: \(prompt.text)") }
            lastPrompt = prompt
            return .accept
        }
        repeat {
            console.writeError("bluejay: \(prompt.text)")
            guard let line = await input.line() else { return .reject }
            if let decision = prompt.decision(line) { return decision }
        } while !Task.isCancelled
        return .reject
    }
}
