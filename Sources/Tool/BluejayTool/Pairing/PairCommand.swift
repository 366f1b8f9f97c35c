import ArgumentParser
import Bluejay
import BluejayAsync
import Foundation

/// `bluejay pair`: creates the keys for an encrypted link.
struct PairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair",
        abstract: "Pair with a device and store its keys on this machine.",
        usage: usage(of: "pair", "<device>"),
        discussion: """
            The prompts of the pairing go to standard error; each is answered with a line of standard \
            input: the passkey that the device shows, or yes or no. A device that asks nothing needs no \
            input. `bluejay forget` removes the keys.

            EXAMPLE: bluejay pair Lock
            """
    )

    @OptionGroup var options: DeviceOptions

    @Argument(help: requiredDeviceHelp, completion: .devices)
    var device: String

    @MainActor
    func run() async throws {
        try await runTool(on: options.tool.adapter) { session in
            try await session.connect(
                device,
                within: options.timeout,
                for: .changing
            )
            let peripheral = try await session.pair()
            if options.tool.json {
                try session.record(PairingJSON(identifier: peripheral.uuid.uuidString))
            } else {
                session.console.line("paired with \(peripheral.displayText)")
            }
        }
    }
}

private struct PairingJSON: RecordContent {
    static let type = RecordType.pairing
    let identifier: String
    let paired = true
}
