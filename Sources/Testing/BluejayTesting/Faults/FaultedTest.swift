#if canImport(Testing)
    internal import BluejayGLib
    internal import Testing

    /// Runs a test many times and collects its issues.
    struct FaultedTest: Swift.Sendable {
        /// The end of one run.
        enum Outcome: Equatable {
            case passed
            /// The first issue or error.
            case failed(String)
        }

        let test: Test
        let testCase: Test.Case?

        /// Runs the test and collects its issues instead of reporting them.
        func runQuietly(_ function: @Sendable () async throws -> Void) async -> Outcome {
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
            return issues.first.map(Outcome.failed) ?? .passed
        }

        /// Runs the test and reports its issues as usual; returns whether there were none.
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

    /// The first issue of a run.
    private final class IssueLog: Swift.Sendable {
        private let state = LockedValue<String?>(nil)

        var first: String? { state.value }

        func append(_ text: String) {
            state.update { if $0 == nil { $0 = text } }
        }
    }
#endif
