import ArgumentParser
import BluejayCore
import Foundation

/// `bluejay forget`: removes a device with its keys, name and services.
struct ForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Forget a device: its keys, its name and its services.",
        usage: usage(of: "forget", "<device>"),
        discussion: """
            The device is disconnected, even if another program uses it. Before it can pair again, the \
            device must delete its own keys too.

            EXAMPLE: bluejay forget Lock
            """
    )

    @OptionGroup var options: ToolOptions

    @Argument(help: requiredDeviceHelp, completion: .devices)
    var device: String

    @MainActor
    func run() async throws {
        try await runTool(on: options.adapter) { session in
            let forgotten = try await session.forget(device)
            if options.json {
                try session.console.record(
                    ForgottenJSON(identifier: forgotten.uuid.uuidString),
                    of: OutputDevice(forgotten)
                )
            } else {
                session.console.line("forgot \(forgotten.displayText)")
            }
        }
    }
}

private struct ForgottenJSON: RecordContent {
    static let type = RecordType.forgotten
    let identifier: String
    let paired = false
}
