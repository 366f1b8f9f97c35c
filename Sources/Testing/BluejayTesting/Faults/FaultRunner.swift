internal import BluejayGLib
internal import BluejaySimulator
internal import FoundationEssentials

/// The cases that no world has run yet, and the failures so far.
private final class CaseQueue: Swift.Sendable {
    /// The number of cases of one world.
    private static let batchLength = 16

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

    /// Returns the next cases, or none.
    func next() -> ArraySlice<FaultCase> {
        state.update { state in
            let end = min(state.next + Self.batchLength, cases.count)
            defer { state.next = end }
            return cases[state.next..<end]
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
    private let body: any FaultedBody
    private let limit: Duration
    private let includes: @Sendable (FaultCase) -> Bool

    init(
        _ recipe: WorldRecipe,
        _ body: any FaultedBody,
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
    /// - Parameter function: The test; the first call is in the world of the caller.
    /// - Returns: The report, or `nil` if the test has failed without a fault.
    /// - Throws: The error of the test without a fault.
    func run(_ function: @Sendable () async throws -> Void) async throws -> FaultReport? {
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
        while case let batch = cases.next(), !batch.isEmpty {
            for failure in try await failures(of: batch, cases.held, function) {
                cases.append(failure)
            }
        }
        try await others
    }

    /// The messages of the test, and what it leaves, when it runs twice in one world without a fault.
    private func rehearse(
        _ function: @Sendable () async throws -> Void
    ) async throws -> (messages: [MessageLog.Message], held: [String: Int]) {
        try await withWorld { world in
            try world.perform { $0.messageLog = MessageLog() }
            _ = await body.runQuietly(function)
            let messages = try world.perform { blueZ in
                defer { blueZ.messageLog = nil }
                return blueZ.messageLog?.messages ?? []
            }
            try await world.clock.sleep(for: Self.settling)
            if let reason = try await failureAfterwards(in: world, function) {
                throw TestWorldError.notRepeatable(reason)
            }
            return (messages, try await Self.heldResources(in: world, atMost: [:]))
        }
    }

    /// Runs the cases in one world, and each one in a separate world if the first one is not fit for the
    /// test afterwards.
    private func failures(
        of batch: ArraySlice<FaultCase>,
        _ held: [String: Int],
        _ function: @Sendable () async throws -> Void
    ) async throws -> [FaultReport.Failure] {
        guard let reason = try await failure(of: batch, held, function) else { return [] }
        var failures: [FaultReport.Failure] = []
        for fault in batch where batch.count > 1 {
            guard let reason = try await failure(of: [fault], held, function) else { continue }
            failures.append(FaultReport.Failure(fault: fault, reason))
        }
        guard failures.isEmpty, let first = batch.first else { return failures }
        let others = batch.count == 1 ? "" : "with \(batch.count - 1) faults after it: "
        return [FaultReport.Failure(fault: first, others + reason)]
    }

    /// Runs the cases one after another in one world, and then the test without a fault.
    ///
    /// - Returns: The reason why the faults were not survived, or `nil`.
    private func failure(
        of faults: ArraySlice<FaultCase>,
        _ held: [String: Int],
        _ function: @Sendable () async throws -> Void
    ) async throws -> String? {
        try await withWorld { world in
            for (index, fault) in faults.enumerated() {
                if index > 0 { try renewDevices(of: world) }
                if let reason = try await failure(of: fault, in: world, held, function) {
                    return reason
                }
            }
            if let reason = try await failureAfterwards(in: world, function) {
                return "the test then fails without a fault: \(reason)"
            }
            let left = try await Self.heldResources(in: world, atMost: held)
            return Self.excess(of: left, over: held)
        }
    }

    private func failure(
        of fault: FaultCase,
        in world: TestWorld,
        _ held: [String: Int],
        _ function: @Sendable () async throws -> Void
    ) async throws -> String? {
        try world.perform { $0.play(FaultSchedule([fault.event])) }
        let outcome = await outcome(in: world, function) { print("hangs: \(fault)") }
        guard outcome != nil else { return "the test hangs" }
        // bluetoothd may crash after the fault, as a consequence.
        for _ in 0..<2 {
            try world.perform { $0.endFaults() }
            try await world.clock.sleep(for: Self.settling)
            let (left, isWhole) = try world.perform { ($0.heldResources, $0.isWhole) }
            if isWhole { return Self.excess(of: left, over: held) }
        }
        return "the simulated BlueZ is not restored"
    }

    private static func excess(of left: [String: Int], over held: [String: Int]) -> String? {
        left.sorted { $0.key < $1.key }
            .first { $0.value > held[$0.key, default: 0] }
            .map { "the test leaves \($0.value - held[$0.key, default: 0]) \($0.key)" }
    }

    private func withWorld<R: Swift.Sendable>(
        _ body: @Sendable (TestWorld) async throws -> R
    ) async throws -> R {
        let world = try await recipe.makePaused()
        defer { world.end() }
        return try await world.run { try await body(world) }
    }

    private func renewDevices(of world: TestWorld) throws {
        try world.perform { [recipe] blueZ in
            blueZ.forgetDevices()
            for central in blueZ.centrals { blueZ.remove(central) }
            recipe.prepare(blueZ)
        }
    }

    /// Runs the test again in a world with fresh devices; returns its failure, or `nil`.
    private func failureAfterwards(
        in world: TestWorld,
        _ function: @Sendable () async throws -> Void
    ) async throws -> String? {
        try renewDevices(of: world)
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
    ///   - onHang: Called when the test exceeds its limit, before it is cancelled: a test that ignores the
    ///     cancellation never ends.
    /// - Returns: The outcome, or `nil` if the test exceeds its limit.
    private func outcome(
        in world: TestWorld,
        _ function: @Sendable () async throws -> Void,
        onHang: () -> Void = {}
    ) async -> FaultedOutcome? {
        let (ends, continuation) = AsyncStream<FaultedOutcome?>.makeStream()
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
        reportingTo continuation: AsyncStream<FaultedOutcome?>.Continuation
    ) async {
        continuation.yield(await body.runQuietly(function))
    }

    private func watch(
        _ world: TestWorld,
        reportingTo continuation: AsyncStream<FaultedOutcome?>.Continuation
    ) async {
        do {
            try await world.clock.sleep(for: limit)
        } catch {
            // The test has ended.
            return
        }
        // The test may wait for the machine's time.
        await Self.sleepReally(for: Self.realPatience, in: world)
        continuation.yield(nil)
    }

    // MARK: The world

    /// Suspends for a time of the machine.
    private static func sleepReally(for duration: Duration, in world: TestWorld) async {
        let (elapsed, continuation) = AsyncStream<Void>.makeStream()
        let clock = MainContextClock(on: world.mainLoop.context)
        let timer = clock.schedule(after: duration) { continuation.yield() }
        for await _ in elapsed { break }
        withExtendedLifetime(timer) {}
    }

    /// The resources that programs hold at bluetoothd and at the bus, by kind.
    ///
    /// The bus notices the end of a connection late: if there are more than `expected`, they are counted again
    /// for some time.
    private static func heldResources(
        in world: TestWorld,
        atMost expected: [String: Int]
    ) async throws -> [String: Int] {
        var attempts = 20
        while true {
            let atBus = await withCheckedContinuation { continuation in
                world.mainLoop.context.post {
                    let count: ()? = try? world.perform { blueZ in
                        blueZ.countBusResources { continuation.resume(returning: $0) }
                    }
                    if count == nil { continuation.resume(returning: [:]) }
                }
            }
            let held = try world.perform { $0.heldResources }.merging(atBus) { $1 }
            attempts -= 1
            guard attempts > 0, held.contains(where: { $0.value > expected[$0.key, default: 0] })
            else { return held }
            await sleepReally(for: .milliseconds(50), in: world)
        }
    }
}
