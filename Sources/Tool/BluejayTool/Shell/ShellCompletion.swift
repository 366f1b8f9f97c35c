import ArgumentParser
import BluejayLineEditing
import Foundation

/// The words that Tab completes in a shell.
struct ShellCompletion: Sendable {
    /// The names of the subcommands.
    let commands: [String]
    /// The characteristics of the device as `read` takes them.
    var attributes: [String] = []

    /// Completes the last word of a line, given up to the cursor.
    func complete(_ line: String) -> LineEditor.Completion {
        var words = line.split(separator: " ", omittingEmptySubsequences: false)
        let word = String(words.popLast() ?? "")
        let before = words.filter { !$0.isEmpty }.map(String.init)
        let candidates = candidates(after: before).filter {
            $0.lowercased().hasPrefix(word.lowercased())
        }
        guard let first = candidates.first else { return LineEditor.Completion() }
        if candidates.count == 1 {
            return LineEditor.Completion(inserted: first.dropFirst(word.count) + " ")
        }
        let common = candidates.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
        guard common.count > word.count else {
            return LineEditor.Completion(candidates: candidates)
        }
        return LineEditor.Completion(inserted: String(common.dropFirst(word.count)))
    }

    private func candidates(after words: [String]) -> [String] {
        guard let command = words.first else { return commands }
        if words.last == "--as" {
            return command == "write" ? InputFormat.allValueStrings : ValueFormat.allValueStrings
        }
        return ["read", "write", "listen"].contains(command) ? attributes : []
    }
}
