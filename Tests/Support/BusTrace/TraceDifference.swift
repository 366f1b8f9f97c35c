/// Something in a recording of the simulated BlueZ that the real one does not do so.
package struct TraceDifference: Equatable, Swift.Sendable, CustomStringConvertible {
    /// What differs.
    package enum Kind: Equatable, Swift.Sendable {
        /// Every recording of the real one has the event, this one does not.
        case missing(String)
        /// This one has the event, no recording of the real one does.
        case unknown(String)
        /// Every recording of the real one has the first event before the second, this one behind it.
        case order(earlier: String, later: String)
    }

    /// What differs.
    package let kind: Kind
    /// How often the event has been there before, counting itself; 1 for the first time.
    package let occurrence: Int
    /// The lines around the place, `>` before those that are meant.
    package let context: [String]

    /// The difference in words, without the lines around it.
    package var summary: String {
        let time = occurrence == 1 ? "" : " (for the \(Self.ordinal(occurrence)) time)"
        switch kind {
        case .missing(let event):
            return "missing: “\(event)”\(time) is in every real recording; here it never came"
        case .unknown(let event):
            return "unknown: “\(event)”\(time) is in no real recording; here it came"
        case .order(let earlier, let later):
            return "order: “\(earlier)” must come before “\(later)”\(time); here it came after"
        }
    }

    package var description: String {
        ([summary] + context.map { "    " + $0 }).joined(separator: "\n")
    }

    private static func ordinal(_ number: Int) -> String {
        switch number {
        case 2: "second"
        case 3: "third"
        default: "\(number)th"
        }
    }
}
