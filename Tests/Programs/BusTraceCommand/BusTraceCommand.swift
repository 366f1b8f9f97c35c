internal import ArgumentParser
internal import BluejayCore

/// Records and compares the messages between BlueZ and its clients.
@main
struct BusTraceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bus-trace",
        abstract: "Records and compares what BlueZ and its clients say to each other.",
        version: BluejayVersion.current,
        subcommands: [RecordCommand.self, CompareCommand.self, ShowCommand.self]
    )
}
