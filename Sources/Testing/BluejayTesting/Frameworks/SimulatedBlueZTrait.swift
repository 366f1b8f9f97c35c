#if canImport(Testing)
    public import BluejaySimulator
    public import Testing

    /// Gives a test its own simulated BlueZ, ``TestWorld/current``, and runs the test on the loop of that
    /// world.
    ///
    /// On a suite, the trait creates one world for each test. A nested trait with neither options nor time
    /// adds its devices to the existing world; otherwise it creates another world.
    public struct SimulatedBlueZTrait: TestTrait, SuiteTrait, TestScoping {
        let options: SimulatorOptions?
        let time: TestClockMode?
        let prepare: @Sendable (SimulatedBlueZ) -> Void

        /// Always true: each test of a suite gets its own world.
        public var isRecursive: Bool { true }

        /// Creates a world, runs the test in it, and ends the world.
        public func provideScope(
            for test: Test,
            testCase: Test.Case?,
            performing function: @Sendable () async throws -> Void
        ) async throws {
            if let outer = TestWorld.scoped, options == nil, time == nil {
                try outer.perform(prepare)
                outer.recipe.value?.preparations.append(prepare)
                return try await function()
            }
            // A test that already has a world must not wait for a slot: all slots could be held by such
            // tests.
            let place = TestWorld.scoped == nil ? await BusSlot.acquire() : nil
            defer { withExtendedLifetime(place) {} }
            let recipe = WorldRecipe(
                options: options ?? SimulatorOptions(),
                time: time ?? .virtual,
                preparations: [prepare]
            )
            let world = try await recipe.makePaused()
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
        ///     await bluejay.start()
        ///     try await bluejay.connect(toFirst: .name("Heart Rate Sensor"), within: 20)
        /// }
        /// ```
        ///
        /// - Parameters:
        ///   - options: The configuration of BlueZ; `nil` means the defaults.
        ///   - time: The time of the world; `nil` means virtual.
        ///   - prepare: Adds devices; called once for each test, on the loop.
        /// - Returns: The trait.
        public static func simulatedBlueZ(
            _ options: SimulatorOptions? = nil,
            time: TestClockMode? = nil,
            _ prepare: @escaping @Sendable (SimulatedBlueZ) -> Void = { _ in }
        ) -> Self {
            Self(options: options, time: time, prepare: prepare)
        }
    }
#endif
