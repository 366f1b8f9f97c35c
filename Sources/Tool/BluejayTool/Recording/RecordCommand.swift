import ArgumentParser
import Bluejay
import BluejayAsync
import BluejayCommandLine
import BluejayDeviceFile
import Foundation

/// `bluejay record`: writes a device's services, values and notifications to a file.
struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record the services, values and notifications of a device in a file.",
        usage: usage(of: "record", "<device> <file>"),
        discussion: """
            The command reads all readable values and listens to all notifying characteristics. `bluejay \
            replay` and `bluez-simulator --device` simulate the device of the file, `bluejay serve` \
            publishes it. Unreadable values are omitted, with a line on standard error. The file is checked \
            before connecting and written every few seconds. Ctrl-C ends the listening and writes the \
            values received so far.

            EXAMPLE: bluejay record "Heart Rate Sensor" heart.yaml --for 30
            """
    )

    @OptionGroup var options: DeviceSearchOptions

    @Option(
        name: .customLong("for"),
        parsing: .unconditional,
        help: ArgumentHelp("How long to listen.", valueName: "seconds")
    )
    var seconds: Double = 10

    @Argument(help: requiredDeviceHelp, completion: .devices)
    var device: String

    @Argument(
        help: "The output file: YAML for .yaml and .yml, else JSON; - is standard output."
    )
    var file: String

    func validate() throws {
        try requireSeconds(seconds, of: "--for")
        if options.json, file == "-" {
            throw ValidationError("--json cannot be combined with the file -")
        }
    }

    @MainActor
    func run() async throws {
        try await runTool(on: options.adapter) { session in try await record(session) }
    }

    @MainActor
    private func record(_ session: ToolSession) async throws {
        let output = try RecordingFile(file, session.console)
        let found = try await session.find(device, within: options.timeout, for: .changing)
        let advertisement = try await advertisement(of: found, session)
        // Connecting by the identifier avoids another search.
        let peripheral = try await session.connect(found.uuid.uuidString, within: options.timeout)
        let details = try await session.bluejay.peripheralDetails()
        let recorder = DeviceRecorder(
            session,
            RecordedDevice(peripheral, name: details.name, advertisement),
            output
        )
        try await recorder.readAll()
        var failure: (any Error)?
        if recorder.hasListens {
            do {
                try await recorder.listen(for: seconds)
            } catch {
                failure = error
            }
        }
        let device = recorder.file
        try output.finish(device)
        if options.json {
            try session.record(RecordingJSON(device, file: file))
        } else if file != "-" {
            reportSummary(device, session.console)
        }
        if let failure { throw failure }
    }

    /// Returns the advertisement, or `nil` if none is received, as for a device with another connection.
    @MainActor
    private func advertisement(
        of device: PeripheralIdentifier,
        _ session: ToolSession
    ) async throws -> Advertisement? {
        guard let address = device.address else { return nil }
        let discoveries = session.bluejay.scan(
            matching: .address(address),
            duration: options.timeout
        )
        for try await discovery in discoveries
        where discovery.peripheralIdentifier == device && !discovery.isConnected {
            return discovery.advertisement
        }
        try Task.checkCancellation()
        return nil
    }

    @MainActor
    private func reportSummary(_ device: DeviceFile, _ console: Console) {
        console.writeError(
            "bluejay: \(file) has \(device.services.count) services, "
                + "\(device.services.flatMap(\.characteristics).count) characteristics and "
                + "\(device.notifications.count) notifications"
        )
    }
}
