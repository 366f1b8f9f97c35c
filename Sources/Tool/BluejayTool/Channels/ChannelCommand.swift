import ArgumentParser
import Bluejay
import BluejayL2CAP
import Foundation

/// `bluejay channel`: connects standard input and output to an L2CAP channel.
struct ChannelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channel",
        abstract: "Send standard input over an L2CAP channel and print the received data.",
        usage: """
            bluejay channel --psm <psm>
                       [<options>] <device>
                   bluejay channel --listen
                       [<options>]
            """,
        discussion: """
            With --listen the command waits for one channel and prints its PSM to standard error; the peer \
            must be connected, or connect to an advertisement of `bluejay serve`. The command ends when the \
            peer closes the channel; with --linger also that many seconds after the input was sent. The \
            exit status is 0 only if all of the input was sent: the controller has it, and the peer does \
            not acknowledge it. If that matters, let the peer close the channel.

            EXAMPLE: bluejay channel Printer --psm 0x80 --linger 5 <page
            """
    )

    @OptionGroup var options: DeviceSearchOptions

    @Option(
        help:
            "The PSM: 1 to 255, or 0x80. With --listen 128 to 255; default: a free one.",
        transform: number
    )
    var psm: UInt16?

    @Flag(help: "Wait for a channel instead of opening one.")
    var listen = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("End this long after the input was sent.", valueName: "seconds")
    )
    var linger: Double?

    @Argument(help: requiredDeviceHelp, completion: .devices)
    var device: String?

    func validate() throws {
        if listen, device != nil { throw ValidationError("--listen takes no device") }
        if !listen, device == nil {
            throw ValidationError("the device is missing; - is the one used last")
        }
        if !listen, psm == nil {
            throw ValidationError("--psm is missing: the PSM on which the device listens")
        }
        try requireLinger(linger)
    }

    @MainActor
    func run() async throws {
        try await runTool(on: options.adapter) { session in
            let host = BluetoothHost(
                mainLoop: session.bluejay.mainLoop,
                adapter: options.adapter
            )
            let channel =
                listen ? try await accepted(session, host) : try await opened(session, host)
            guard let channel else { return }
            try await ChannelRelay(session, channel, inJSON: options.json).run(linger: linger)
        }
    }

    @MainActor
    private func opened(_ session: ToolSession, _ host: BluetoothHost) async throws -> L2CAPChannel?
    {
        let peer = try await session.find(device, within: options.timeout, for: .changing)
        let channel = L2CAPChannel(to: peer, psm: psm ?? 0, host: host)
        do {
            try await channel.open(timeout: .seconds(options.timeout))
        } catch {
            // The refused channel still releases its link, which the end of the program would leave up.
            await session.wait(atMost: .seconds(5)) { await channel.close() }
            throw error
        }
        return channel
    }

    /// Returns the first incoming channel, or `nil` if the listener ends first.
    @MainActor
    private func accepted(_ session: ToolSession, _ host: BluetoothHost) async throws
        -> L2CAPChannel?
    {
        let listener = L2CAPListener(psm: psm ?? 0, host: host)
        let number = try await listener.start()
        session.console.writeError("bluejay: listening on PSM \(number)")
        var channels = listener.channels.makeAsyncIterator()
        let channel = await channels.next()
        if let channel {
            session.console.writeError("bluejay: channel of \(channel.peer.displayText)")
        }
        await listener.close()
        return channel
    }

    private static func number(_ text: String) throws -> UInt16 {
        let isHexadecimal = text.lowercased().hasPrefix("0x")
        let number =
            isHexadecimal ? UInt16(text.dropFirst(2), radix: 16) : UInt16(text)
        guard let number, (1...255).contains(number) else {
            throw ValidationError("a PSM is 1 to 255, or 0x01 to 0xFF")
        }
        return number
    }
}
