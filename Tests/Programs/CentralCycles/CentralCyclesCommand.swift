import ArgumentParser
import Foundation

/// Two centrals connect, subscribe and leave, over and over.
@main
struct CentralCyclesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "central-cycles",
        abstract: "Looks whether centrals that come and go leave something behind.",
        discussion: """
            A server and a simulated BlueZ in one process, in virtual time. Prints what there is of \
            descriptors, match rules and memory before and behind it; ends with 0 when nothing was \
            left and every call of the server's came.
            """
    )

    @Option(help: "How often a central comes and goes in all.")
    var count = 10_000

    func validate() throws {
        guard count >= 2 else { throw ValidationError("there are two centrals") }
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
