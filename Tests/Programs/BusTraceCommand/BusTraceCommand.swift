internal import ArgumentParser
internal import BluejayCore

/// Records and compares the messages between BlueZ and its clients.
@main
struct BusTraceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bus-trace",
        abstract: "Record and compare the messages between BlueZ and its clients.",
        version: BluejayVersion.current,
        subcommands: [RecordCommand.self, CompareCommand.self, ShowCommand.self]
    )
}
