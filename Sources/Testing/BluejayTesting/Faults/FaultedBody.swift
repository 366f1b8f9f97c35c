internal import BluejayGLib

/// A test of a framework that runs many times.
protocol FaultedBody: Swift.Sendable {
    /// Runs the test and reports its issues as usual; returns whether there were none.
    func run(_ function: @Sendable () async throws -> Void) async throws -> Bool

    /// Runs the test and collects its issues instead of reporting them.
    func runQuietly(_ function: @Sendable () async throws -> Void) async -> FaultedOutcome
}

/// The end of one run of a test.
enum FaultedOutcome: Equatable {
    case passed
    /// The first issue or error.
    case failed(String)

    init(_ issues: IssueLog) {
        self = issues.first.map { .failed($0) } ?? .passed
    }
}

/// The first issue of a run.
final class IssueLog: Swift.Sendable {
    private let state = LockedValue<String?>(nil)

    var first: String? { state.value }

    func append(_ text: String) {
        state.update { if $0 == nil { $0 = text } }
    }
}
