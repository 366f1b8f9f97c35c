/// The longest part of a command, the failed part, and their likely reasons, as sentences.
package struct Conclusion {
    /// A share below which no single part explains the duration of a command.
    private static let minimumLength = Duration.milliseconds(10)

    private let timeline: Timeline

    package init(_ timeline: Timeline) {
        self.timeline = timeline
    }

    /// The sentences, each on its own, without markup.
    package var sentences: [String] {
        var sentences: [String] = []
        if let failed = failedSpan { sentences.append(failure(of: failed)) }
        if let longest = longestSpan, longest != failedSpan {
            let share = "\(timeline.length(of: longest).text) of \(timeline.duration.text)"
            let reason = SpanReason(longest, timeline).text
            sentences.append(
                "Longest part: \(longest.title), \(share)" + (reason.map { ": \($0)." } ?? ".")
            )
        }
        if !timeline.showsOtherPrograms {
            sentences.append("The bus shows the calls of other programs to root only.")
        }
        return sentences
    }

    /// The longest span that keeps the command waiting.
    ///
    /// The time with a subscription is what the user asked for, and a question is part of its pairing.
    private var longestSpan: Span? {
        timeline.spans
            .filter { $0.kind != .notifications && $0.kind != .prompt }
            .filter { timeline.length(of: $0) >= Self.minimumLength }
            .max { timeline.length(of: $0) < timeline.length(of: $1) }
    }

    /// The last span that failed or did not end.
    ///
    /// A wait in the queue fails because another span does.
    private var failedSpan: Span? {
        let candidates = timeline.spans.filter { span in
            switch span.kind {
            case .queue, .notifications, .unsubscribe, .prompt, .call: false
            case .scan: span.error != nil
            default: span.error != nil || span.end == nil
            }
        }
        return candidates.last { $0.kind != .disconnect } ?? candidates.last
    }

    private func failure(of span: Span) -> String {
        let length = timeline.length(of: span).text
        let head =
            if let error = span.error {
                "\(span.title.capitalizedFirst) failed after \(length): \(error)"
            } else {
                "\(span.title.capitalizedFirst) did not end within \(length)"
            }
        let reason = SpanReason(span, timeline).text.map { "; \($0)" } ?? ""
        return head + reason + "."
    }
}

extension Span {
    /// The kind with the subject, such as `read of 2A19 of Sensor`.
    package var title: String {
        switch kind {
        case .start: "start"
        case .call: "\(name) of \(subject)"
        case .queue: "wait of \(subject) in the queue"
        case .scan: "scan of \(subject)"
        case .connect: "connect to \(subject)"
        case .discovery: "service discovery of \(subject)"
        case .read: "read of \(subject)"
        case .write: "write to \(subject)"
        case .subscribe: "subscription to \(subject)"
        case .notifications: "notifications of \(subject)"
        case .unsubscribe: "end of the subscription to \(subject)"
        case .pairing: "pairing with \(subject)"
        case .prompt: "question during pairing"
        case .disconnect: "disconnect from \(subject)"
        case .removal: "removal of \(subject)"
        case .publication: "publication on \(subject)"
        }
    }
}

extension Duration {
    /// The time in milliseconds, or in seconds from 1 s on: `0.4 ms`, `812 ms`, `3.10 s`.
    package var text: String {
        let microseconds = Int(self / .microseconds(1))
        if microseconds < 9_950 {
            return Self.decimal(microseconds, unit: 1_000, digits: 1) + " ms"
        }
        if microseconds < 999_500 { return "\((microseconds + 500) / 1_000) ms" }
        return Self.decimal(microseconds, unit: 1_000_000, digits: 2) + " s"
    }

    private static func decimal(_ number: Int, unit: Int, digits: Int) -> String {
        let scale = digits == 1 ? 10 : 100
        let rounded = (number * scale + unit / 2) / unit
        let fraction = String(rounded % scale)
        let zeros = String(repeating: "0", count: digits - fraction.count)
        return "\(rounded / scale).\(zeros)\(fraction)"
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
