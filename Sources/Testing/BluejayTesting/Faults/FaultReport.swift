internal import BluejaySimulator

/// The faults of one test and those that it did not survive.
struct FaultReport: Swift.Sendable {
    struct Failure: Swift.Sendable {
        let fault: FaultCase
        let reason: String

        init(fault: FaultCase, _ reason: String) {
            self.fault = fault
            self.reason = reason
        }
    }

    /// The number of failures that the text describes.
    private static let shownCount = 5

    let caseCount: Int
    /// In the order of the messages.
    let failures: [Failure]

    /// The result in one line.
    var summary: String { "\(caseCount - failures.count) of \(caseCount) faults survived" }

    /// The result with the first failures.
    var text: String {
        let lines = failures.prefix(Self.shownCount).map { failure in
            let file = FaultSchedule([failure.fault.event]).json.replacing("\n", with: "")
            return "\(failure.fault): \(failure.reason); \(file)"
        }
        let rest = failures.count - lines.count
        return ([summary] + lines + (rest > 0 ? ["and \(rest) more"] : [])).joined(separator: "\n")
    }
}
