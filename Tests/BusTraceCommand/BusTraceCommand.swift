internal import ArgumentParser
internal import BluejayDBus
internal import BluejayGLib
internal import BusTrace
internal import Foundation

@main
struct BusTraceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bus-trace",
        abstract: "Records and compares what BlueZ and its clients say to each other.",
        subcommands: [RecordCommand.self]
    )
}
