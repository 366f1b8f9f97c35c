import Bluejay
import BluejayCore
import DemoSupport
import Foundation

/// Where somebody answers what is asked while a device pairs: questions on standard error, answers from
/// standard input, one a line.
@MainActor
final class PairingTerminal {
    /// Whether somebody has asked to pair, so that answers may come from a file.
    var isWanted = false
    private let console: Console
    private var input: StandardInput?
    private var lines: [String] = []
    private var isAtEnd = false
    private var waiter: CheckedContinuation<String?, Never>?
    private var shown: PairingQuestion?
    /// How many questions have waited for a line.
    private var count = 0

    init(_ console: Console) {
        self.console = console
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
        let question = PairingQuestion(request, of: device.shown)
        guard question.isAsked else {
            // It comes again with each digit that is typed there.
            if shown?.words != question.words { console.note("bluejay: \(question.words)") }
            shown = question
            return .accept
        }
        repeat {
            console.note("bluejay: \(question.words)")
            guard let line = await nextLine() else { return .refuse }
            if let decision = question.decision(line) { return decision }
        } while !Task.isCancelled
        return .refuse
    }

    /// Takes no more answers.
    func close() {
        input?.cancel()
        took(nil)
    }

    private func nextLine() async -> String? {
        if input == nil {
            input = StandardInput(onEnd: { [weak self] in
                MainActor.assumeIsolated { self?.end() }
            }) { [weak self] line in
                MainActor.assumeIsolated { self?.came(line) }
            }
        }
        if !lines.isEmpty { return lines.removeFirst() }
        // One question is open at a time: who asks next takes the place of who asked before.
        took(nil)
        guard !isAtEnd, !Task.isCancelled else { return nil }
        count += 1
        let question = count
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter = $0 }
        } onCancel: {
            Task { @MainActor in if self.count == question { self.took(nil) } }
        }
    }

    private func came(_ line: String) {
        if waiter == nil { lines.append(line) } else { took(line) }
    }

    private func end() {
        isAtEnd = true
        took(nil)
    }

    private func took(_ line: String?) {
        waiter?.resume(returning: line)
        waiter = nil
    }
}
