#if canImport(Testing)
    internal import Testing

    /// A test of Swift Testing.
    struct FaultedTest: FaultedBody {
        let test: Test
        let testCase: Test.Case?

        func runQuietly(_ function: @Sendable () async throws -> Void) async -> FaultedOutcome {
            let issues = IssueLog()
            let trait: IssueHandlingTrait = .compactMapIssues { issue in
                issues.append("\(issue)")
                return nil
            }
            do {
                try await trait.provideScope(for: test, testCase: testCase, performing: function)
            } catch {
                issues.append("\(error)")
            }
            return FaultedOutcome(issues)
        }

        func run(_ function: @Sendable () async throws -> Void) async throws -> Bool {
            let issues = IssueLog()
            let trait: IssueHandlingTrait = .compactMapIssues { issue in
                issues.append("\(issue)")
                return issue
            }
            try await trait.provideScope(for: test, testCase: testCase, performing: function)
            return issues.first == nil
        }
    }
#endif
