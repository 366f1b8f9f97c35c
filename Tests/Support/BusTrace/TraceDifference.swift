/// A difference between a recording of the simulated BlueZ and the real one.
package struct TraceDifference: Equatable, Swift.Sendable, CustomStringConvertible {
    package enum Kind: Equatable, Swift.Sendable {
        /// Every recording of the real BlueZ has the event, this one does not.
        case missing(String)
        /// This recording has the event, no recording of the real BlueZ does.
        case unknown(String)
        /// In every recording of the real BlueZ the first event precedes the second; in this one it follows.
        case order(earlier: String, later: String)
    }

    package let kind: Kind
    /// The number of the event among equal ones, from 1.
    package let occurrence: Int
    /// The lines around the place; `>` marks the relevant ones.
    package let context: [String]

    /// The difference as text, without the lines around it.
    package var summary: String {
        let time = occurrence == 1 ? "" : " (for the \(Self.ordinal(occurrence)) time)"
        switch kind {
        case .missing(let event):
            return "missing: “\(event)”\(time) is in every real recording, but not here"
        case .unknown(let event):
            return "unknown: “\(event)”\(time) is in no real recording, but here"
        case .order(let earlier, let later):
            return "order: “\(earlier)” must precede “\(later)”\(time), but follows here"
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
