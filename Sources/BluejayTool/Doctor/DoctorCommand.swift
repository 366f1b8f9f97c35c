import ArgumentParser
import BluejayDoctor

/// `bluejay doctor`: what is in the way of Bluetooth on this machine.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look for what is in the way of Bluetooth on this machine."
    )
}
