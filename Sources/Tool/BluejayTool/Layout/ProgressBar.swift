/// How much of a known amount is done.
struct ProgressBar {
    /// The amount in bytes; 0 is done from the start.
    let total: Int

    private static let longestBar = 40
    private static let shortestBar = 5

    /// A bar and its numbers, or these alone where there is no room for both.
    ///
    /// - Parameters:
    ///   - done: In bytes, at most the total.
    ///   - width: The columns of a line.
    /// - Returns: One line, cut to the width; of the same length for each `done`, so that one covers the other.
    func line(_ done: Int, width: Int) -> String {
        let percent = total > 0 ? done * 100 / total : 100
        let text =
            "\(padded(percent, like: 100)) %  \(padded(done, like: total)) of \(total) bytes"
        let room = min(Self.longestBar, width - text.count - 2)
        guard room >= Self.shortestBar else { return text.cut(to: width) }
        let full = total > 0 ? done * room / total : room
        let bar =
            String(repeating: "█", count: full) + String(repeating: "░", count: room - full)
        return bar + "  " + text
    }

    private func padded(_ number: Int, like longest: Int) -> String {
        let text = String(number)
        return String(repeating: " ", count: max(0, String(longest).count - text.count)) + text
    }
}
