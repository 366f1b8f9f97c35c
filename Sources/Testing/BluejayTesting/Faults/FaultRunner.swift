#if canImport(Testing)
    internal import BluejayGLib
    internal import BluejaySimulator
    internal import FoundationEssentials

    /// The cases that no world has run yet, and the failures so far.
    private final class CaseQueue: Swift.Sendable {
        private let cases: [FaultCase]
        private let state = LockedValue((next: 0, failures: [FaultReport.Failure]()))

        /// The resources that the test holds at its end without a fault.
        let held: [String: Int]

        init(_ cases: [FaultCase], _ held: [String: Int]) {
            self.cases = cases
            self.held = held
        }

        var count: Int { cases.count }

        /// The failures in the order of the messages.
        var failures: [FaultReport.Failure] {
            state.value.failures.sorted { $0.fault.position < $1.fault.position }
        }

        func next() -> FaultCase? {
            state.update { state in
                guard state.next < cases.count else { return nil }
                state.next += 1
                return cases[state.next - 1]
            }
        }

        func append(_ failure: FaultReport.Failure) {
            state.update { $0.failures.append(failure) }
        }
    }

    /// Runs a test with each fault at each message, in several worlds at once.
    struct FaultRunner: Swift.Sendable {
        /// The virtual time in which pending work of a test ends.
        private static let settling = Duration.seconds(70)
        /// The additional time of the machine before a test counts as hanging.
        private static let realPatience = Duration.seconds(2)

        private let recipe: WorldRecipe
        private let body: FaultedTest
        private let limit: Duration
        private let includes: @Sendable (FaultCase) -> Bool

        init(
            _ recipe: WorldRecipe,
            _ body: FaultedTest,
            limit: Duration,
            including includes: @escaping @Sendable (FaultCase) -> Bool = { _ in true }
        ) {
            self.recipe = recipe
            self.body = body
            self.limit = limit
            self.includes = includes
        }

        /// Runs the test without a fault in its world, and then all cases.
        ///
        /// - Parameters:
        ///   - function: The test.
        ///   - world: Its world.
        /// - Returns: The report, or `nil` if the test has failed without a fault.
        /// - Throws: The error of the test without a fault.
        func run(
            _ function: @Sendable () async throws -> Void,
            first world: TestWorld
        ) async throws -> FaultReport? {
            guard try await body.run(function) else { return nil }
            let rehearsal = try await rehearse(function)
            let cases = CaseQueue(
                FaultCase.all(of: rehearsal.messages).filter(includes),
                rehearsal.held
            )
            let laneCount = ProcessInfo.processInfo.activeProcessorCount
            try await run(cases, inLanes: laneCount, function)
            return FaultReport(caseCount: cases.count, failures: cases.failures)
        }

        // `async let` may capture a function that does not escape, which a task group may not.
        private func run(
            _ cases: CaseQueue,
            inLanes count: Int,
            _ function: @Sendable () async throws -> Void
        ) async throws {
            guard count > 0 else { return }
            async let others: Void = run(cases, inLanes: count - 1, function)
            while let next = cases.next() {
                if let reason = try await check(next, cases.held, function) {
                    cases.append(FaultReport.Failure(fault: next, reason))
                }
            }
            try await others
        }

        /// The messages of the test, and what it leaves, when it runs twice in one world without a fault.
        private func rehearse(
            _ function: @Sendable () async throws -> Void
        ) async throws -> (messages: [FaultTrigger], held: [String: Int]) {
            let world = try await recipe.makePaused()
            defer { world.end() }
            return try await world.run {
                try world.perform { $0.messageLog = MessageLog() }
                _ = await body.runQuietly(function)
                let messages = try world.perform { blueZ in
                    defer { blueZ.messageLog = nil }
                    return blueZ.messageLog?.messages ?? []
                }
                try await world.clock.sleep(for: Self.settling)
                let held = try world.perform { $0.heldResources }
                if let reason = try await failureAfterwards(in: world, function) {
                    throw TestWorldError.notRepeatable(reason)
                }
                return (messages, held)
            }
        }

        /// Runs one case.
        ///
        /// - Returns: The reason why the fault was not survived, or `nil`.
        private func check(
            _ fault: FaultCase,
            _ held: [String: Int],
            _ function: @Sendable () async throws -> Void
        ) async throws -> String? {
            let world = try await recipe.makePaused()
            defer { world.end() }
            return try await world.run {
                try world.perform { $0.play(FaultSchedule([fault.event])) }
                let outcome = await outcome(in: world, function) { print("hangs: \(fault)") }
                guard outcome != nil else { return "the test hangs" }
                try world.perform { $0.endFaults() }
                try await world.clock.sleep(for: Self.settling)
                let (left, isWhole) = try world.perform { ($0.heldResources, $0.isWhole) }
                guard isWhole else { return "the simulated BlueZ is not restored" }
                for (kind, count) in left.sorted(by: { $0.key < $1.key })
                where count > held[kind, default: 0] {
                    return "the test leaves \(count - held[kind, default: 0]) \(kind)"
                }
                return try await failureAfterwards(in: world, function)
                    .map { "the test then fails without a fault: \($0)" }
            }
        }

        /// Runs the test again in a world with fresh devices; returns its failure, or `nil`.
        private func failureAfterwards(
            in world: TestWorld,
            _ function: @Sendable () async throws -> Void
        ) async throws -> String? {
            try world.perform { [recipe] blueZ in
                blueZ.forgetDevices()
                recipe.prepare(blueZ)
            }
            switch await outcome(in: world, function) {
            case nil: return "it hangs"
            case .failed(let text)?: return text
            case .passed?: return nil
            }
        }

        /// Runs the test on the loop of its world.
        ///
        /// - Parameters:
        ///   - world: The world.
        ///   - function: The test.
        ///   - onHang: Called when the test exceeds its limit, before it is cancelled: a test that ignores
        ///     the cancellation never ends.
        /// - Returns: The outcome, or `nil` if the test exceeds its limit.
        private func outcome(
            in world: TestWorld,
            _ function: @Sendable () async throws -> Void,
            onHang: () -> Void = {}
        ) async -> FaultedTest.Outcome? {
            let (ends, continuation) = AsyncStream<FaultedTest.Outcome?>.makeStream()
            async let _: Void = run(function, reportingTo: continuation)
            async let _: Void = watch(world, reportingTo: continuation)
            for await outcome in ends {
                if outcome == nil { onHang() }
                return outcome
            }
            return nil
        }

        private func run(
            _ function: @Sendable () async throws -> Void,
            reportingTo continuation: AsyncStream<FaultedTest.Outcome?>.Continuation
        ) async {
            continuation.yield(await body.runQuietly(function))
        }

        private func watch(
            _ world: TestWorld,
            reportingTo continuation: AsyncStream<FaultedTest.Outcome?>.Continuation
        ) async {
            do {
                try await world.clock.sleep(for: limit)
            } catch {
                // The test has ended.
                return
            }
            // The test may wait for the machine's time.
            let (elapsed, timerContinuation) = AsyncStream<Void>.makeStream()
            let clock = MainContextClock(on: world.mainLoop.context)
            let timer = clock.schedule(after: Self.realPatience) { timerContinuation.yield() }
            for await _ in elapsed {
                continuation.yield(nil)
                break
            }
            withExtendedLifetime(timer) {}
        }
    }
#endif
