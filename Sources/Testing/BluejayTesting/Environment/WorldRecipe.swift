internal import BluejaySimulator

/// The description of a world, from which equal worlds can be created.
struct WorldRecipe: Swift.Sendable {
    let options: SimulatorOptions
    let time: TestClockMode
    /// The closures that add devices, in the order of their traits.
    var preparations: [@Sendable (SimulatedBlueZ) -> Void]

    /// Adds the devices to a world; called on its loop.
    func prepare(_ blueZ: SimulatedBlueZ) {
        for preparation in preparations { preparation(blueZ) }
    }

    /// Creates a world whose virtual time does not advance until `release` or `run`.
    func makePaused() async throws -> TestWorld {
        let world = try await TestWorld.makePaused(options, time) { prepare($0) }
        world.recipe.value = self
        return world
    }
}
