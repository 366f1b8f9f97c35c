import ArgumentParser
import Bluejay
import BluejayDeviceFile
import BluejayGATTServer
import Foundation

/// `bluejay serve`: serves the device from a file as a peripheral of this machine.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Act as the peripheral described by a file.",
        usage: usage(of: "serve", "<file>"),
        discussion: """
            The command publishes and advertises the services of the file. Notifications are sent to \
            subscribers; their timeline starts with the first subscription. Each connection, read, write \
            and subscription is printed as a line. The address is that of the adapter, not that of the \
            file. At the end the services and the advertisement are removed.

            EXAMPLE: bluejay serve sensor.yaml --adapter hci1
            """
    )

    @OptionGroup var options: ToolOptions

    @Option(
        name: .customLong("for"),
        parsing: .unconditional,
        help: ArgumentHelp("End after this many seconds.", valueName: "seconds")
    )
    var seconds: Double?

    @Argument(
        help: """
            A file in YAML (.yaml, .yml) or JSON, as `bluejay record` writes it; - is standard input, in \
            JSON.
            """
    )
    var file: String

    func validate() throws {
        try requireSeconds(seconds, of: "--for")
    }

    @MainActor
    func run() async throws {
        try await runTool(on: options.adapter) { session in
            let file = try DeviceFile.read(file)
            let (events, continuation) = AsyncStream.makeStream(of: ServeEvent.self)
            let device = DeviceFilePeripheral(
                file,
                on: session.bluejay.mainLoop,
                adapter: options.adapter
            ) { continuation.yield($0) }
            session.end(after: seconds) {
                await device.end()
                continuation.finish()
            }
            do {
                try await device.publish()
                // The stream ends at the time limit, or when a signal cancels the task.
                for await event in events {
                    try show(event, session)
                    await session.console.waitForRoom()
                }
            } catch {
                await device.end()
                throw error
            }
            await device.end()
        }
    }

    @MainActor
    private func show(_ event: ServeEvent, _ session: ToolSession) throws {
        if options.json {
            try session.console.record(event, of: event.central.map { OutputDevice($0) })
        } else {
            session.console.line(event.text)
        }
    }
}
