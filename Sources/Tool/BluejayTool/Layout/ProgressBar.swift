/// The progress of an operation with a known size.
struct ProgressBar {
    /// The size in bytes; 0 is complete from the start.
    let total: Int

    private static let maximumWidth = 40
    private static let minimumWidth = 5

    /// Returns a bar with numbers, or only the numbers if the line is too short for both.
    ///
    /// The length of the line does not depend on `completedCount`, so it overwrites the previous one.
    func line(_ completedCount: Int, width: Int) -> String {
        let percent = total > 0 ? completedCount * 100 / total : 100
        let text =
            "\(padded(percent, like: 100)) %  \(padded(completedCount, like: total)) of \(total) bytes"
        let room = min(Self.maximumWidth, width - text.count - 2)
        guard room >= Self.minimumWidth else { return text.truncated(to: width) }
        let full = total > 0 ? completedCount * room / total : room
        let bar =
            String(repeating: "█", count: full) + String(repeating: "░", count: room - full)
        return bar + "  " + text
    }

    private func padded(_ number: Int, like longest: Int) -> String {
        let text = String(number)
        return String(repeating: " ", count: max(0, String(longest).count - text.count)) + text
    }
}
