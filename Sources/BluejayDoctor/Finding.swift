/// One thing that was looked at.
package struct Finding: Equatable, Swift.Sendable {
    /// How it is.
    package enum Verdict: String, Equatable, Swift.Sendable {
        case good, worth, trouble
    }

    /// What was looked at.
    package let title: String
    package let verdict: Verdict
}
