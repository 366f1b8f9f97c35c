import Bluejay
import BluejayCommandLine
import BluejayCore
import Foundation

/// Where somebody answers what is asked while a device pairs: questions on standard error, answers from
/// standard input, one a line.
@MainActor
final class TerminalPairingHandler {
    /// Whether somebody has asked to pair, so that answers may come from a file.
    var isWanted = false
    private let console: Console
    private let input: InputBytes
    private var shown: PairingPrompt?

    init(_ console: Console, _ input: InputBytes) {
        self.console = console
        self.input = input
    }

    /// Asks, until there is an answer or nobody waits for it any more.
    ///
    /// What a device asks by itself, because a value wants it, is a matter for people only.
    func decide(_ request: PairingRequest, of device: PeripheralIdentifier) async -> PairingDecision
    {
        guard isWanted || isatty(STDIN_FILENO) == 1 else {
            console.note("bluejay: \(device.shown) wants to be paired; `bluejay pair` does that")
            return .refuse
        }
        let question = PairingPrompt(request, of: device.shown)
        guard question.isAsked else {
            // It comes again with each digit that is typed there.
            if shown?.words != question.words { console.note("bluejay: \(question.words)") }
            shown = question
            return .accept
        }
        repeat {
            console.note("bluejay: \(question.words)")
            guard let line = await input.line() else { return .refuse }
            if let decision = question.decision(line) { return decision }
        } while !Task.isCancelled
        return .refuse
    }
}
