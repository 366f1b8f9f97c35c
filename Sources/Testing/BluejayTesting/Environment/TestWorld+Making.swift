internal import BluejayGLib
public import BluejaySimulator

extension TestWorld {
    /// Creates a world with its own thread.
    ///
    /// - Parameters:
    ///   - options: The configuration of BlueZ.
    ///   - time: The time of the world.
    ///   - prepare: Adds devices; called once, on the loop.
    /// - Returns: The world; it ends when it is released.
    /// - Throws: ``TestWorldError/notMade(_:)``.
    public static func make(
        _ options: SimulatorOptions = SimulatorOptions(),
        time: TestClockMode = .virtual,
        _ prepare: @escaping @Sendable (SimulatedBlueZ) -> Void = { _ in }
    ) async throws -> TestWorld {
        let world = try await makePaused(options, time, prepare)
        world.release()
        return world
    }

    /// Like `make`, but virtual time does not advance until `release`.
    static func makePaused(
        _ options: SimulatorOptions,
        _ time: TestClockMode,
        _ prepare: @escaping @Sendable (SimulatedBlueZ) -> Void
    ) async throws -> TestWorld {
        let maker = EnvironmentBuilder(options, time, .ownThread)
        let world = try await withCheckedThrowingContinuation { continuation in
            maker.context.post { maker.make { continuation.resume(with: $0) } }
        }
        try world.perform(prepare)
        return world
    }

    /// Creates a world, blocking the calling thread until it is ready.
    static func makeBlocking(
        _ options: SimulatorOptions,
        _ time: TestClockMode,
        _ loop: TestLoopMode
    ) throws -> TestWorld {
        let maker = EnvironmentBuilder(options, time, loop)
        let context = maker.context
        guard loop == .main else {
            guard let result = context.wait(maker.make) else { throw TestWorldError.ended }
            return try result.get()
        }
        guard context.isCurrent else {
            throw TestWorldError.wrongThread("Create a world on MainLoop.main on the main thread")
        }
        guard context.environment.value.busAddress == nil else {
            throw TestWorldError.notMade("the main thread already has a simulated BlueZ")
        }
        var made: EnvironmentBuilder.BuildResult?
        maker.make { made = $0 }
        if made == nil { context.iterate { made != nil } }
        guard let world = try made?.get() else { throw TestWorldError.ended }
        context.startOnMainQueue()
        return world
    }
}

// Used on the loop only, apart from its initializer, which justifies `@unchecked`.
private final class EnvironmentBuilder: @unchecked Swift.Sendable {
    typealias BuildResult = Result<TestWorld, any Error>

    private let options: SimulatorOptions
    private let time: TestClockMode
    private let loop: TestLoopMode
    private let mainLoop: MainLoop
    var context: MainContext { mainLoop.context }

    init(_ options: SimulatorOptions, _ time: TestClockMode, _ loop: TestLoopMode) {
        self.options = options
        self.time = time
        self.loop = loop
        mainLoop = loop == .main ? .main : MainLoop(threadName: "test world")
    }

    func make(_ completion: @escaping (BuildResult) -> Void) {
        if time == .virtual {
            let clock = VirtualClock(on: context)
            clock.isPaused = true
            context.environment.value.clock = clock
        }
        SimulatedSystem.start(options, on: context) { [self] result in
            switch result {
            case .success(let system): completion(.success(TestWorld(system, on: mainLoop, loop)))
            case .failure(let error):
                context.environment.value = LoopEnvironment()
                completion(.failure(TestWorldError.notMade("\(error)")))
            }
        }
    }
}
