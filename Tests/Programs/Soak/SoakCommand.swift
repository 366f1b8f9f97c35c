import ArgumentParser
import BluejayTesting
import Foundation
import TestSupport

/// Runs ten programs with ten of a hundred devices for a day, with a fault every 30 s.
@main
struct SoakCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak",
        abstract: "Check that ten listening programs survive faults for a day, and leak nothing.",
        discussion: """
            A hundred simulated devices and ten programs in one process. Each program listens to one \
            device and connects again after each error; a random fault occurs every 30 s. Every \
            few hours the faults pause: each program must receive values again, and descriptors, \
            match rules, threads and memory must be the same as before. Exits with 0 if they are.
            """
    )

    @Option(help: "The time of the run in hours.")
    var hours = 24.0
    @Option(help: "The seed of the faults.")
    var seed: UInt64 = 1
    @Flag(help: "Use real time instead of virtual time.")
    var realTime = false

    func validate() throws {
        guard hours > 0, hours <= 100_000 else {
            throw ValidationError("--hours must be greater than 0 and at most 100000")
        }
    }

    func run() async throws {
        var options = SimulatorOptions()
        options.version = .v5_86
        options.adapters = 1
        let world = try await TestWorld.make(options, time: realTime ? .real : .virtual)
        let isSound = try await world.run { [hours, seed] in
            let soak = try Soak(world, seed: seed)
            return try await soak.run(for: .seconds(hours * 3600)) { print($0) }
        }
        if !isSound { throw ExitCode.failure }
    }
}
