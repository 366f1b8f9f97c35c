internal import BluejayCore

/// The findings as a person reads them.
package enum TextReport {
    /// The lines, without their ends: one for each finding, one more for each trouble, and a last one that
    /// says whether anything is in the way.
    ///
    /// - Parameters:
    ///   - findings: In the order in which they are shown.
    ///   - paint: Gives a sign, and the mending line, the colour of their verdict; or leaves them as they are.
    /// - Returns: Lines without codes for a terminal but those of `paint`, whatever came from the air.
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

    /// How many findings are in the way.
    package static func troubles(_ findings: [Finding]) -> Int {
        findings.count { $0.verdict == .trouble }
    }

    private static func sign(_ verdict: Finding.Verdict) -> String {
        switch verdict {
        case .good: "✓"
        case .note: "!"
        case .trouble: "✗"
        }
    }

    private static func summary(_ findings: [Finding]) -> String {
        switch troubles(findings) {
        case 0: "Nothing is in the way."
        case 1: "1 trouble."
        case let count: "\(count) troubles."
        }
    }
}
