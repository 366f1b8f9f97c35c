public import Bluejay
internal import BluejayGLib
public import BluejaySimulator

/// A simulated BlueZ for one test: a bus that nobody else is on, a loop, and a time.
///
/// A test gets one by the trait `.simulatedBlueZ`, or by ``SimulatedBlueZTestCase``. A `Bluejay` that is
/// made on ``mainLoop`` without an address finds it instead of the machine's BlueZ. Tests run beside each
/// other, each in a world of its own.
public final class TestWorld: @unchecked Swift.Sendable {
    // What is not Sendable is reached on the loop only: that is the invariant behind `@unchecked`.

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
    /// The body of a Swift Testing test with the trait runs on it unless it belongs to an actor: classes
    /// with callbacks are used there as they are.
    public let mainLoop: MainLoop
    /// The address of the bus, for other programs: `DBUS_SYSTEM_BUS_ADDRESS`.
    public let busAddress: String
    /// The time of the world.
    public let clock: TestClock
    /// Which time it is.
    public let time: WorldTime
    let loop: WorldLoop
    let executor: ContextExecutor
    private let system: SimulatedSystem
    private let virtualClock: VirtualClock?
    private let isOver = Snapshot(false)

    init(_ system: SimulatedSystem, on mainLoop: MainLoop, _ loop: WorldLoop) {
        let context = mainLoop.context
        self.system = system
        self.mainLoop = mainLoop
        self.loop = loop
        busAddress = system.busAddress
        virtualClock = context.surroundings.value.clock
        time = virtualClock == nil ? .real : .virtual
        context.surroundings.value.busAddress = system.busAddress
        clock = TestClock(of: context)
        executor = ContextExecutor(context)
    }

    deinit {
        if loop == .ownThread { end() }
    }

    /// Makes an instance on the loop of the world; `start` is left to the test.
    ///
    /// - Parameter adapter: `hci0` or `hci1`; nil is the first that is on.
    /// - Returns: An instance that has not started.
    public func makeBluejay(adapter: String? = nil) -> Bluejay {
        Bluejay(mainLoop: mainLoop, adapter: adapter)
    }

    /// Does something with the simulated BlueZ, for example has a device go away.
    ///
    /// - Parameter work: Called once, on the loop; the calling thread waits for it.
    /// - Returns: What it returned.
    /// - Throws: What it threw, or ``TestWorldError/ended``.
    @discardableResult
    public func perform<R: Swift.Sendable>(
        _ work: @escaping @Sendable (SimulatedBlueZ) throws -> R
    ) throws -> R {
        guard !isOver.value else { throw TestWorldError.ended }
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
    /// What the body does between two calls then takes no time of a virtual world, and classes with
    /// callbacks are used as they are. It needs none where the library is awaited call by call.
    ///
    /// - Parameter body: What is to be tested. What belongs to an actor runs there.
    /// - Returns: What the body returned.
    /// - Throws: What the body threw, or ``TestWorldError/ended``.
    @discardableResult
    public func run<R: Swift.Sendable>(_ body: @Sendable () async throws -> R) async throws -> R {
        guard !isOver.value else { throw TestWorldError.ended }
        return try await withTaskExecutorPreference(executor) {
            release()
            return try await Self.$scoped.withValue(self) { try await body() }
        }
    }

    /// Lets the virtual time pass from now on; on the loop this is before anything else comes.
    func release() {
        guard let virtualClock else { return }
        guard !mainLoop.isCurrent else { return virtualClock.isHeld = false }
        mainLoop.context.post { virtualClock.isHeld = false }
    }

    /// Whether the world goes on.
    func checkNotOver() throws {
        if isOver.value { throw TestWorldError.ended }
    }

    /// Ends the BlueZ, the bus and the loop; later calls do nothing.
    func end() {
        guard !isOver.value else { return }
        isOver.value = true
        guard loop == .main else {
            system.stop()
            return mainLoop.stop()
        }
        system.endNow()
        virtualClock?.end()
        mainLoop.context.surroundings.value = LoopEnvironment()
        mainLoop.context.endOnMainQueue()
    }
}
