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

        /// Runs a test with every fault at every message, as the trait `.everyFault` of Swift Testing does.
        ///
        /// The first run is in ``world``, and the others are in equal worlds, several at once. The body uses
        /// ``TestWorld/current``, because ``world`` is the world of the first run only; ``prepare(_:)`` is
        /// called for each world, on its loop.
        ///
        /// - Parameters:
        ///   - timeLimit: The virtual time after which a test that has not ended counts as hanging.
        ///   - file: The file of the failure.
        ///   - line: The line of the failure.
        ///   - body: The test; runs on the loop of its world.
        /// - Throws: The error of the test without a fault, or ``TestWorldError/noFaults`` in real time.
        public func withEveryFault(
            timeLimit: Duration = .seconds(600),
            file: StaticString = #filePath,
            line: UInt = #line,
            _ body: @escaping @Sendable () async throws -> Void
        ) async throws {
            guard time == .virtual else { throw TestWorldError.noFaults }
            let test = UncheckedTransfer(self)
            let first = world
            let recipe = WorldRecipe(
                options: simulatorOptions,
                time: time,
                preparations: [{ test.value.prepare($0) }]
            )
            let runner = FaultRunner(recipe, FaultedTestCase(), limit: timeLimit)
            let report = try await runner.run {
                if TestWorld.scoped == nil { try await first.run(body) } else { try await body() }
            }
            guard let report else { return }
            print("\(name): \(report.summary)")
            if !report.failures.isEmpty { XCTFail(report.text, file: file, line: line) }
        }

        /// Records a failure; those of a test under a fault are not reported.
        open override func recordFailure(
            withDescription description: String,
            inFile filePath: String,
            atLine lineNumber: Int,
            expected: Bool
        ) {
            guard !FaultedTestCase.recorded(description) else { return }
            super.recordFailure(
                withDescription: description,
                inFile: filePath,
                atLine: lineNumber,
                expected: expected
            )
        }
    }
#endif
