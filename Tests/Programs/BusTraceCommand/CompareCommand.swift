internal import ArgumentParser
internal import BusTrace

struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compares recordings of the simulated BlueZ with those of the real one.",
        discussion: "Ends with 1 when anything differs, or is recorded on one side only."
    )

    @Option(help: "A file with the differences that are known and stay.")
    var quirks: String?

    @Argument(help: "The folder with the trace files of the real BlueZ.")
    var real: String

    @Argument(help: "The folder with those of the simulated one.")
    var simulated: String

    @Argument(help: "The scenarios, patterns with *; without any all of them.")
    var names: [String] = []

    func run() throws {
        let report = try TraceReport(
            real: real,
            simulated: simulated,
            quirks: try quirks.map { try Quirks(contentsOf: $0) } ?? Quirks(),
            names: names
        )
        print(report.text)
        guard report.isSame else { throw ExitCode(1) }
    }
}
