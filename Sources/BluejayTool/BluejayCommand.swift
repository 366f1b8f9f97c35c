import ArgumentParser
import BluejayCore

/// `bluejay`: Bluetooth Low Energy from a terminal.
@main
struct BluejayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bluejay",
        abstract: "Bluetooth Low Energy from a terminal.",
        version: BluejayVersion.current,
        subcommands: [DoctorCommand.self]
    )
}
