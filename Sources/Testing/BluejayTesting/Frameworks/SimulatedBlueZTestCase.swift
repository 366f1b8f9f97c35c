#if canImport(XCTest)
    public import BluejaySimulator
    public import XCTest

    /// Gives each test method a simulated BlueZ of its own, ``world``.
    ///
    /// ```swift
    /// final class LockTests: SimulatedBlueZTestCase {
    ///     override func prepare(_ blueZ: SimulatedBlueZ) { blueZ.add(.lock()) }
    ///
    ///     func testItOpens() async throws {
    ///         let bluejay = Bluejay()
    ///     }
    /// }
    /// ```
    ///
    /// It is made in `setUpWithError` and ends in `tearDownWithError`; who overrides these calls them.
    open class SimulatedBlueZTestCase: XCTestCase {
        private var made: TestWorld?

        /// How BlueZ is set up.
        open var simulatorOptions: SimulatorOptions { SimulatorOptions() }
        /// Which time the world has: virtual unless overridden.
        open var time: WorldTime { .virtual }
        /// Which loop the world has: `MainLoop.main` unless overridden.
        ///
        /// It runs in `wait(for:)`, in ``TestWorld/wait(_:count:within:_:)``, and while an `async` test method
        /// awaits something.
        open var loop: WorldLoop { .main }

        /// Puts devices on the air before each test method; called on the loop.
        open func prepare(_ blueZ: SimulatedBlueZ) {}

        /// The world of the running test method.
        public var world: TestWorld {
            guard let made else {
                // Misuse in the test itself: its set-up has not called that of this class.
                fatalError("there is no world: call super.setUpWithError() in setUpWithError()")
            }
            return made
        }

        open override func setUpWithError() throws {
            try super.setUpWithError()
            let world = try TestWorld.makeNow(simulatorOptions, time, loop)
            made = world
            let test = Held(self)
            try world.perform { test.value.prepare($0) }
            world.release()
        }

        open override func tearDownWithError() throws {
            made?.end()
            made = nil
            try super.tearDownWithError()
        }
    }

    /// Carries the test case to the loop.
    // The thread that has it waits meanwhile: the invariant behind `@unchecked`.
    private struct Held<Value>: @unchecked Swift.Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }
#endif
