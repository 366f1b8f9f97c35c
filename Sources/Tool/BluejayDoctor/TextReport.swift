internal import BluejayCore

/// Formats findings as text.
package enum TextReport {
    /// Returns one line for each finding, another one for each remedy, and a summary.
    ///
    /// - Parameters:
    ///   - findings: The findings in display order.
    ///   - paint: Colours a sign by its verdict, or returns it unchanged.
    /// - Returns: Lines without line ends and without terminal codes other than those of `paint`.
    package static func lines(
        _ findings: [Finding],
        paint: (String, Finding.Verdict) -> String = { text, _ in text }
    ) -> [String] {
        var lines: [String] = []
        for finding in findings {
            let text = "\(finding.title): \(finding.found)".displayText
            lines.append("\(paint(sign(finding.verdict), finding.verdict)) \(text)")
            if let mend = finding.mend { lines.append("  → \(mend.displayText)") }
        }
        return lines + [summary(findings)]
    }

    package static func problemCount(_ findings: [Finding]) -> Int {
        findings.count { $0.verdict == .trouble }
    }

    private static func sign(_ verdict: Finding.Verdict) -> String {
        switch verdict {
        case .good: "✓"
        case .note: "•"
        case .warning: "!"
        case .trouble: "✗"
        }
    }

    private static func summary(_ findings: [Finding]) -> String {
        switch problemCount(findings) {
        case 0: "No problems found."
        case 1: "1 problem found."
        case let count: "\(count) problems found."
        }
    }
}
