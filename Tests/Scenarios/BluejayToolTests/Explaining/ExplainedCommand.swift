import Foundation

/// The output of `bluejay explain`: the lines of the subcommand, the table, and the sentences.
struct ExplainedCommand {
    struct Row {
        let took: String
        let what: String
        let result: String
    }

    /// The lines of the subcommand.
    private(set) var output: [String] = []
    private(set) var rows: [Row] = []
    private(set) var sentences: [String] = []

    init(_ lines: [String]) {
        guard let head = lines.firstIndex(where: { $0.contains(#/^ +AT +TOOK +WHAT/#) }),
            let column = lines[head].firstRange(of: "RESULT")?.lowerBound
        else {
            output = lines
            return
        }
        let whatColumn = 18
        let resultColumn = lines[head].distance(from: lines[head].startIndex, to: column)
        output = Array(lines[..<head])
        for line in lines[(head + 1)...] {
            guard line.contains(#/^ *[0-9.]+ m?s /#) else {
                sentences.append(line)
                continue
            }
            let text = line.padding(toLength: max(line.count, 400), withPad: " ", startingAt: 0)
            func cell(_ range: Range<Int>) -> String {
                String(text.dropFirst(range.lowerBound).prefix(range.count))
                    .replacing(#/ +$/#, with: "")
            }
            rows.append(
                Row(
                    took: cell(9..<16).trimmingCharacters(in: .whitespaces),
                    what: cell(whatColumn..<resultColumn),
                    result: cell(resultColumn..<400)
                )
            )
        }
    }

    /// The rows without times.
    ///
    /// On a busy computer, short calls and waits may last long enough for a row.
    var texts: [String] {
        rows.filter { !$0.what.contains(#/^([A-Z][A-Za-z]+1?\.|wait of )/#) }
            .map { "\($0.what): \($0.result)" }
    }

    func contains(_ text: String) -> Bool { texts.contains(text) }
}
