#if canImport(Testing)
    public import BluejaySimulator
    public import Testing

    /// Gives a test a simulated BlueZ of its own, ``TestWorld/current``, and runs it on the loop of that.
    ///
    /// On a suite it gives one to each of its tests. A trait inside another, without options and time of
    /// its own, adds its devices to the same world; otherwise it makes another one.
    public struct SimulatedBlueZTrait: TestTrait, SuiteTrait, TestScoping {
        let options: SimulatorOptions?
        let time: WorldTime?
        let prepare: @Sendable (SimulatedBlueZ) -> Void

        /// True: a suite's tests get a world each.
        public var isRecursive: Bool { true }

        /// Makes the world, runs the test in it, and ends it.
        public func provideScope(
            for test: Test,
            testCase: Test.Case?,
            performing function: @Sendable () async throws -> Void
        ) async throws {
            if let outer = TestWorld.scoped, options == nil, time == nil {
                try outer.perform(prepare)
                return try await function()
            }
            // Who has a world already must not wait for another: all could.
            let place = TestWorld.scoped == nil ? await Turn.take() : nil
            defer { withExtendedLifetime(place) {} }
            let world = try await TestWorld.makeHeld(
                options ?? SimulatorOptions(),
                time ?? .virtual,
                prepare
            )
            defer { world.end() }
            try await world.run(function)
        }
    }

    extension Trait where Self == SimulatedBlueZTrait {
        /// A simulated BlueZ without devices, in virtual time.
        public static var simulatedBlueZ: Self { simulatedBlueZ() }

        /// A simulated BlueZ for each test.
        ///
        /// ```swift
        /// @Test(.simulatedBlueZ { $0.add(.heartRateSensor()) })
        /// func theHeartBeats() async throws {
        ///     let bluejay = try TestWorld.current.makeBluejay()
        /// ```
        ///
        /// - Parameters:
        ///   - options: How it is set up; nil is as usual.
        ///   - time: Which time it has; nil is virtual.
        ///   - prepare: Puts devices on the air; called once for each test, on the loop.
        /// - Returns: The trait.
        public static func simulatedBlueZ(
            _ options: SimulatorOptions? = nil,
            time: WorldTime? = nil,
            _ prepare: @escaping @Sendable (SimulatedBlueZ) -> Void = { _ in }
        ) -> Self {
            Self(options: options, time: time, prepare: prepare)
        }
    }
#endif
