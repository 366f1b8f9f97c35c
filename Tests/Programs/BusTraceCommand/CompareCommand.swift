internal import ArgumentParser
internal import BusTrace

struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compare recordings of the simulated BlueZ with those of the real one.",
        discussion: "Exits with 1 if anything differs or has a recording on one side only."
    )

    @Option(help: "A file with the accepted differences.")
    var quirks: String?

    @Argument(help: "The folder with the trace files of the real BlueZ.")
    var real: String

    @Argument(help: "The folder with the trace files of the simulated BlueZ.")
    var simulated: String

    @Argument(help: "The scenarios, as patterns with *. Default: all.")
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
