public import Bluejay
internal import BluejayGLib
public import BluejaySimulator

/// A simulated BlueZ for one test, with a private bus, a loop, and a clock.
///
/// A test gets a world from the trait `.simulatedBlueZ` or from ``SimulatedBlueZTestCase``. A `Bluejay`
/// created on ``mainLoop`` without an address connects to this world instead of the machine's BlueZ. Tests
/// run in parallel, each in its own world.
public final class TestWorld: @unchecked Swift.Sendable {
    // State that is not Sendable is reached on the loop only, which justifies `@unchecked`.

    @TaskLocal static var scoped: TestWorld?

    /// The world of the running test.
    ///
    /// - Throws: ``TestWorldError/none``.
    public static var current: TestWorld {
        get throws {
            guard let scoped else { throw TestWorldError.none }
            return scoped
        }
    }

    /// The loop of the program under test, and of the simulator.
    ///
    /// With the trait, the body of a Swift Testing test runs on this loop unless it belongs to an actor, so
    /// it can use classes with callbacks directly.
    public let mainLoop: MainLoop
    /// The address of the bus, for other programs: `DBUS_SYSTEM_BUS_ADDRESS`.
    public let busAddress: String
    /// The clock of the world.
    public let clock: TestClock
    /// Whether the time is virtual or real.
    public let time: TestClockMode
    let loop: TestLoopMode
    let executor: ContextExecutor
    private let system: SimulatedSystem
    private let virtualClock: VirtualClock?
    private let isEnded = LockedValue(false)
    /// The description by which the trait has created the world.
    let recipe: LockedValue<WorldRecipe?> = LockedValue(nil)

    init(_ system: SimulatedSystem, on mainLoop: MainLoop, _ loop: TestLoopMode) {
        let context = mainLoop.context
        self.system = system
        self.mainLoop = mainLoop
        self.loop = loop
        busAddress = system.busAddress
        virtualClock = context.environment.value.clock
        time = virtualClock == nil ? .real : .virtual
        context.environment.value.busAddress = system.busAddress
        clock = TestClock(of: context)
        executor = ContextExecutor(context)
    }

    deinit {
        if loop == .ownThread { end() }
    }

    /// Creates an instance on the loop of the world without starting it.
    ///
    /// - Parameter adapter: `hci0` or `hci1`; `nil` selects the first powered adapter.
    /// - Returns: An instance that has not started.
    public func makeBluejay(adapter: String? = nil) -> Bluejay {
        Bluejay(mainLoop: mainLoop, adapter: adapter)
    }

    /// Runs a closure with the simulated BlueZ, for example to move a device out of range.
    ///
    /// - Parameter work: Called once, on the loop; the calling thread waits for it.
    /// - Returns: The result of `work`.
    /// - Throws: The error of `work`, or ``TestWorldError/ended``.
    @discardableResult
    public func perform<R: Swift.Sendable>(
        _ work: @escaping @Sendable (SimulatedBlueZ) throws -> R
    ) throws -> R {
        guard !isEnded.value else { throw TestWorldError.ended }
        if mainLoop.isCurrent { return try onLoop(work) }
        let result: Result<R, any Error>? = mainLoop.context.wait { [self] resume in
            resume(Result { try onLoop(work) })
        }
        guard let result else { throw TestWorldError.ended }
        return try result.get()
    }

    private func onLoop<R>(_ work: (SimulatedBlueZ) throws -> R) throws -> R {
        guard let blueZ = system.world else { throw TestWorldError.ended }
        return try work(blueZ)
    }

    /// Runs the body of a test on the loop of the world, as the trait does: for `async` tests of XCTest.
    ///
    /// Code between two calls then takes no virtual time, and the body can use classes with callbacks
    /// directly. A test that only awaits calls of the library does not need this method.
    ///
    /// - Parameter body: The test. Parts isolated to an actor run on that actor.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`, or ``TestWorldError/ended``.
    @discardableResult
    public func run<R: Swift.Sendable>(_ body: @Sendable () async throws -> R) async throws -> R {
        guard !isEnded.value else { throw TestWorldError.ended }
        return try await withTaskExecutorPreference(executor) {
            release()
            return try await Self.$scoped.withValue(self) { try await body() }
        }
    }

    /// Lets virtual time advance; when called on the loop, before any other event.
    func release() {
        guard let virtualClock else { return }
        guard !mainLoop.isCurrent else { return virtualClock.isPaused = false }
        mainLoop.context.post { virtualClock.isPaused = false }
    }

    func checkNotEnded() throws {
        if isEnded.value { throw TestWorldError.ended }
    }

    /// Ends BlueZ, the bus and the loop; later calls do nothing.
    func end() {
        guard !isEnded.value else { return }
        isEnded.value = true
        guard loop == .main else {
            system.stop()
            return mainLoop.stop()
        }
        system.endNow()
        virtualClock?.stop()
        mainLoop.context.environment.value = LoopEnvironment()
        mainLoop.context.stopOnMainQueue()
    }
}
