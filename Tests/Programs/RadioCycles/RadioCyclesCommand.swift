import ArgumentParser
import Foundation

/// A radio drops its link over and over, then sends values without a reader.
@main
struct RadioCyclesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "radio-cycles",
        abstract: "Looks whether connections that are lost and come back leave something behind.",
        discussion: """
            A state machine of PocketMesh and a simulated BlueZ in one process, in virtual time. Prints \
            what there is of descriptors, match rules and memory before, behind the drops and behind the \
            values; ends with 0 when nothing was left, each drop was made good, and each value is either \
            waiting or counted.
            """
    )

    @Option(help: "How often the radio drops its link.")
    var drops = 1_000

    @Option(help: "How many values it sends that nobody reads.")
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
