#if canImport(XCTest)
    internal import BluejayGLib
    public import BluejaySimulator
    public import XCTest

    /// Gives each test method its own simulated BlueZ, ``world``.
    ///
    /// ```swift
    /// final class LockTests: SimulatedBlueZTestCase {
    ///     override func prepare(_ blueZ: SimulatedBlueZ) { blueZ.add(.lock()) }
    ///
    ///     func testItIsFound() async throws {
    ///         let bluejay = Bluejay()
    ///         await bluejay.start()
    ///         try await bluejay.connect(toFirst: .name("Lock"), within: 20)
    ///     }
    /// }
    /// ```
    ///
    /// `setUpWithError` creates the world and `tearDownWithError` ends it; an override must call `super`.
    open class SimulatedBlueZTestCase: XCTestCase {
        private var made: TestWorld?

        /// The configuration of the simulated BlueZ.
        open var simulatorOptions: SimulatorOptions { SimulatorOptions() }
        /// The time of the world; virtual unless overridden.
        open var time: TestClockMode { .virtual }
        /// The loop of the world; `MainLoop.main` unless overridden.
        ///
        /// The main loop runs in `wait(for:)`, in ``TestWorld/wait(_:count:within:_:)``, and while an `async`
        /// test method is suspended.
        open var loop: TestLoopMode { .main }

        /// Adds devices before each test method; called on the loop.
        open func prepare(_ blueZ: SimulatedBlueZ) {}

        /// The world of the running test method.
        public var world: TestWorld {
            guard let made else {
                // Misuse by the test: its `setUpWithError` does not call `super`.
                fatalError(
                    "the test case has no world: call super.setUpWithError() in setUpWithError()"
                )
            }
            return made
        }

        open override func setUpWithError() throws {
            try super.setUpWithError()
            let world = try TestWorld.makeBlocking(simulatorOptions, time, loop)
            made = world
            // The thread that owns the test waits meanwhile.
            let test = UncheckedTransfer(self)
            try world.perform { test.value.prepare($0) }
            world.release()
        }

        open override func tearDownWithError() throws {
            made?.end()
            made = nil
            try super.tearDownWithError()
        }
    }
#endif
