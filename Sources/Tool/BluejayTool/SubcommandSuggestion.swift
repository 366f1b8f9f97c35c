import ArgumentParser
import BluejayCommandLine

/// Finds the subcommand that the user of a misspelt one meant.
enum SubcommandSuggestion {
    /// The number of wrong, missing, additional or swapped letters that still counts as a typing error.
    private static let tolerance = 2

    /// Checks the subcommand of a command line, or that of `help`.
    ///
    /// - Throws: `ValidationError`, which names the most similar subcommand, for any other word.
    static func check(_ arguments: some Sequence<String>) throws {
        let words = Array(arguments.prefix(2))
        let place = words.first == "help" ? 1 : 0
        let subcommands = BluejayCommand.configuration.subcommands.map { $0.configuration }
        let names = subcommands.compactMap { $0.commandName }
        guard place < words.count, !words[place].hasPrefix("-"), !names.contains(words[place])
        else { return }
        let word = words[place]
        let displayed = subcommands.filter { $0.shouldDisplay }.compactMap { $0.commandName }
        let similar = closest(to: word, among: displayed + ["help"])
        throw ValidationError(
            "unknown subcommand \(word.printable)" + (similar.map { "; did you mean \($0)?" } ?? "")
        )
    }

    /// Returns the most similar name, the first of several, or `nil` if none is similar.
    static func closest(to word: String, among names: [String]) -> String? {
        let distances = names.map { (name: $0, distance: distance(Array($0), Array(word))) }
        guard let best = distances.min(by: { $0.distance < $1.distance }),
            best.distance <= tolerance, best.distance < word.count
        else { return nil }
        return best.name
    }

    /// Returns the number of changes between two words; swapping two neighbours is one change.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var rows = [Array(0...right.count)]
        for i in left.indices {
            var row = [i + 1]
            for j in right.indices {
                let change = left[i] == right[j] ? 0 : 1
                var least = min(rows[i][j] + change, rows[i][j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    least = min(least, rows[i - 1][j - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
