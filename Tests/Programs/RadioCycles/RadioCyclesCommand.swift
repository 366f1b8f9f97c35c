import ArgumentParser
import Foundation

/// A radio drops its link over and over, then sends values without a reader.
@main
struct RadioCyclesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "radio-cycles",
        abstract: "Check that lost and restored connections leak nothing.",
        discussion: """
            A state machine of PocketMesh and a simulated BlueZ in one process, in virtual time. Prints \
            the descriptors, match rules and memory before, after the drops and after the values. Exits \
            with 0 if nothing leaked, each drop led to a reconnection, and each value is queued or \
            counted.
            """
    )

    @Option(help: "The number of dropped links.")
    var drops = 1_000

    @Option(help: "The number of unread values.")
    var values = 100_000

    func run() throws {
        let cycles = RadioCycles(drops: drops, values: values)
        cycles.run()
        for line in cycles.lines { print(line) }
        guard cycles.faults.isEmpty else {
            for fault in cycles.faults { print("FAULT: \(fault)") }
            throw ExitCode.failure
        }
    }
}
