import ArgumentParser
import Foundation

/// Two centrals connect, subscribe and leave, over and over.
@main
struct CentralCyclesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "central-cycles",
        abstract: "Check that a server leaks nothing when centrals connect and disconnect.",
        discussion: """
            A server and a simulated BlueZ in one process, in virtual time. Prints the descriptors, \
            match rules and memory before and after. Exits with 0 if they are the same and the \
            server received every event.
            """
    )

    @Option(help: "The total number of connections.")
    var count = 10_000

    func validate() throws {
        guard count >= 2 else {
            throw ValidationError("use an even number: the program has two centrals")
        }
    }

    func run() throws {
        let cycles = Cycles(count)
        cycles.run()
        for line in cycles.lines { print(line) }
        guard cycles.faults.isEmpty else {
            for fault in cycles.faults { print("FAULT: \(fault)") }
            throw ExitCode.failure
        }
    }
}
