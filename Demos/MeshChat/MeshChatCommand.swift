import ArgumentParser
import BluejayCommandLine
import Foundation
import MeshSupport
import PocketMesh

import enum BluejayCore.BluejayVersion

/// Talks to a radio; see `Documentation/PocketMesh.md`.
@main
struct MeshChatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mesh-chat",
        abstract: "Talk to a radio with the Nordic UART service, such as mesh-radio.",
        discussion: """
            The program connects to the first radio in range, shows the phases of the connection and the \
            messages of the radio, and reconnects after a lost link. Each typed line is sent to the first \
            channel. The program ends with Ctrl-C or after --for, and disconnects.

            With --restore the program retries without limit and continues after a restart: if it was \
            killed, or ended by SIGTERM, the next run with the same identifier takes over the connection.

            \(statuses)
            """,
        version: BluejayVersion.current
    )

    private static let statuses = exitStatuses(
        success: "a radio responded, or the next run takes over its connection",
        failure: "no radio responded, Bluetooth is unavailable, or a second Ctrl-C"
    )

    @OptionGroup var options: RunOptions

    @Option(
        help:
            "The identifier of the radio, as printed by an earlier run. Default: the first radio.",
        transform: device
    )
    var device: UUID?

    @Option(
        help: ArgumentHelp(
            "The passkey of the radio; ask prompts for it during pairing.",
            valueName: "number|ask"
        )
    )
    var pin: Pin?

    @Option(
        help: ArgumentHelp(
            "Continue with the connection of an earlier run with this name.",
            valueName: "identifier"
        )
    )
    var restore: String?

    @Flag(help: "Ask the radio for its time each second.")
    var auto = false

    @Flag(help: "Send the lines of standard input even if it is not a terminal.")
    var lines = false

    @MainActor
    func run() async throws {
        let ends = StopSignal(after: options.seconds)
        let output = Output { ends.stop() }
        let session = ChatSession(
            adapter: options.adapter,
            device: device,
            pin: pin,
            restore: restore
        )
        let (isJSON, encoder, terminal) = (options.json, JSONLines(), Terminal())
        let shown = Task {
            for await event in session.events {
                output.writeLine(
                    isJSON
                        ? (try? encoder.line(event.object)) ?? "" : event.text(on: terminal)
                )
            }
        }
        let isTyped = lines || pin == .ask || isatty(STDIN_FILENO) == 1
        let typed: @Sendable (String) -> Void = { line in
            MainActor.assumeIsolated { session.typed(line) }
        }
        let input = isTyped ? StandardInput(typed) : nil
        let play = Task {
            await session.play()
            ends.stop()
        }
        let questions = auto ? Task { await session.requestTime() } : nil
        SystemdService.startWatchdog(on: .background)
        SystemdService.notify(.ready)
        await ends.wait()
        SystemdService.notify(.stopping)
        questions?.cancel()
        input?.cancel()
        // The link, which bluetoothd keeps, and the state stay for the next run, as after a kill.
        if restore != nil, ends.wasTerminated { Foundation.exit(EXIT_SUCCESS) }
        play.cancel()
        await session.shutDown()
        await shown.value
        // A reader that has closed the output is not a failure.
        if let failure = session.failure, !output.isClosed {
            FileHandle.standardError.write(Data("mesh-chat: \(failure)\n".utf8))
            throw ExitCode.failure
        }
    }

    private static func device(_ text: String) throws -> UUID {
        if let device = UUID(uuidString: text) { return device }
        throw ValidationError("--device takes an identifier, as printed when a radio is found")
    }
}

enum Pin: Equatable, ExpressibleByArgument {
    case ask
    case number(UInt32)

    init?(argument: String) {
        if argument == "ask" {
            self = .ask
        } else if argument.count <= 6, argument.allSatisfy(\.isASCII), let number = UInt32(argument)
        {
            self = .number(number)
        } else {
            return nil
        }
    }
}
