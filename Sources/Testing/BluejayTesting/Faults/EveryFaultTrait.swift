#if canImport(Testing)
    internal import BluejaySimulator
    public import Testing

    /// Runs a test once as it is, and once more for each message on the bus and each fault that can occur
    /// there.
    ///
    /// A fault is survived if the test passes or ends with an error, if nothing is left at bluetoothd
    /// afterwards (links, scans, subscriptions, registrations), and if the same test then passes
    /// in the same world without a fault. Failures of expectations during a fault are not reported.
    public struct EveryFaultTrait: TestTrait, TestScoping {
        /// The virtual time after which a test that has not ended counts as hanging.
        let timeLimit: Duration

        /// Runs the test with and without faults, in worlds like that of the trait `.simulatedBlueZ`.
        ///
        /// - Throws: The error of the test without a fault, or ``TestWorldError/noFaults`` if `.simulatedBlueZ`
        ///   does not precede this trait or has real time.
        public func provideScope(
            for test: Test,
            testCase: Test.Case?,
            performing function: @Sendable () async throws -> Void
        ) async throws {
            guard let world = TestWorld.scoped, let recipe = world.recipe.value,
                world.time == .virtual
            else { throw TestWorldError.noFaults }
            let body = FaultedTest(test: test, testCase: testCase)
            let runner = FaultRunner(recipe, body, limit: timeLimit)
            guard let report = try await runner.run(function) else { return }
            print("\(test.displayName ?? test.name): \(report.summary)")
            guard !report.failures.isEmpty else { return }
            Issue.record("\(report.text)", sourceLocation: test.sourceLocation)
        }
    }

    extension Trait where Self == EveryFaultTrait {
        /// Every fault at every message, after the trait `.simulatedBlueZ`.
        public static var everyFault: Self { everyFault() }

        /// Every fault at every message of the test, after the trait `.simulatedBlueZ`.
        ///
        /// - Parameter timeLimit: The virtual time after which a test that has not ended counts as hanging.
        /// - Returns: The trait.
        public static func everyFault(timeLimit: Duration = .seconds(600)) -> Self {
            Self(timeLimit: timeLimit)
        }
    }
#endif
