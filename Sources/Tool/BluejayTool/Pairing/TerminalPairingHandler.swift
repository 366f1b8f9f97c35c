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
    /// The reason of the last rejection that no user has chosen.
    private(set) var rejection: ToolFailure?
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
    /// A request caused by an encrypted value, rather than by `bluejay pair`, needs a user at the terminal. A
    /// question needs a terminal, or input that has not ended.
    func decide(_ request: PairingRequest, of device: PeripheralIdentifier) async -> PairingDecision
    {
        guard isRequested || isatty(STDIN_FILENO) == 1 else {
            let command = "bluejay pair \(device.address ?? device.uuid.uuidString)"
            return reject("\(device.displayText) requires pairing; run `\(command)`")
        }
        let prompt = PairingPrompt(request, of: device.displayText)
        guard prompt.needsReply else {
            // The request is repeated after each digit typed on the device.
            if lastPrompt?.text != prompt.text { console.writeError("bluejay: \(prompt.text)") }
            lastPrompt = prompt
            return .accept
        }
        while !Task.isCancelled {
            if input.hasEnded { return rejectWithoutInput(device) }
            console.writeError("bluejay: \(prompt.text)")
            guard let line = await input.line() else {
                return input.hasEnded ? rejectWithoutInput(device) : .reject
            }
            if let decision = prompt.decision(line) { return decision }
        }
        return .reject
    }

    private func rejectWithoutInput(_ device: PeripheralIdentifier) -> PairingDecision {
        reject(
            "\(device.displayText) cannot be paired without an answer, but neither a terminal nor "
                + "input is available; run the command on a terminal"
        )
    }

    private func reject(_ reason: String) -> PairingDecision {
        rejection = ToolFailure(reason)
        return .reject
    }
}
