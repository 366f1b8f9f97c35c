/// A test of XCTest, whose failures its test case gives to `recorded`.
struct FaultedTestCase: FaultedBody {
    private struct Recorder {
        let issues: IssueLog
        let isQuiet: Bool
    }

    @TaskLocal private static var recorder: Recorder?

    /// Records a failure of the current run.
    ///
    /// - Returns: Whether the test case must not report the failure.
    static func recorded(_ text: String) -> Bool {
        recorder?.issues.append(text)
        return recorder?.isQuiet ?? false
    }

    func run(_ function: @Sendable () async throws -> Void) async throws -> Bool {
        let recorder = Recorder(issues: IssueLog(), isQuiet: false)
        try await Self.$recorder.withValue(recorder) { try await function() }
        return recorder.issues.first == nil
    }

    func runQuietly(_ function: @Sendable () async throws -> Void) async -> FaultedOutcome {
        let recorder = Recorder(issues: IssueLog(), isQuiet: true)
        do {
            try await Self.$recorder.withValue(recorder) { try await function() }
        } catch {
            recorder.issues.append("\(error)")
        }
        return FaultedOutcome(recorder.issues)
    }
}
