import ArgumentParser
import Bluejay
import BluejayCommandLine
import Dispatch
import Foundation

/// A simulated radio of a mesh, the counterpart of `mesh-chat`.
@main
struct MeshRadioCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mesh-radio",
        abstract: "Is a radio with the Nordic UART service, as MeshCore devices are.",
        discussion: """
            It advertises the service, answers each packet that is written to it, and says each second \
            by itself that it is there. It ends with Ctrl-C or after --for, and ends its links before.

            Commands on standard input:
            \(RadioCommand.usage.indented)

            \(statuses)
            """,
        version: BluejayVersion.current
    )

    private static let statuses = exitStatuses(
        success: "it was a radio until the end",
        failure: "it could not be one, or Bluetooth cannot be used"
    )

    @OptionGroup var options: RunOptions

    @Option(help: "The name that others see.")
    var name = "MeshCore Demo"

    @Flag(
        help: ArgumentHelp(
            "Take packets over a link only that was paired by a number.",
            discussion: """
                The number is shown here when somebody pairs. Bluetooth makes a new one each time: BlueZ \
                has no way to give it a fixed one, as a radio with firmware of its own may have.
                """
        )
    )
    var pin = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "End the link once, so many seconds after somebody began to listen.",
            valueName: "seconds"
        )
    )
    var dropAfter: Double?

    func validate() throws {
        try checkSeconds(dropAfter, of: "--drop-after")
    }

    func run() throws {
        let radio = MeshRadio(
            name: name,
            host: BluetoothHost(mainLoop: .main, adapter: options.adapter),
            requiresPairing: pin,
            dropsAfter: dropAfter,
            display: RadioDisplay(isJSON: options.json)
        )
        let end: @Sendable () -> Void = { radio.end() }
        let signals = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
            source.setEventHandler(handler: end)
            source.resume()
            return source
        }
        if let seconds = options.seconds {
            DispatchQueue.main.asyncAfter(deadline: .now() + seconds, execute: end)
        }
        let input = StandardInput { radio.execute($0) }
        radio.start()
        MainLoop.main.run()
        input.cancel()
        signals.forEach { $0.cancel() }
        if let failure = radio.failure {
            FileHandle.standardError.write(Data("mesh-radio: \(failure)\n".utf8))
            throw ExitCode.failure
        }
    }
}

/// A command that a person can type while the radio runs.
enum RadioCommand: Equatable {
    case drop, yes, no, help, quit
    case number(UInt32)

    /// The usage, one line per command.
    static let usage = """
        drop      end the link; who comes back by itself does
        yes, no   whether the other side shows the same number
        a number  the one that the other side shows
        help      show these commands
        quit      end the program
        """

    init?(_ line: String) {
        let word = line.trimmingCharacters(in: .whitespaces)
        switch word {
        case "drop": self = .drop
        case "yes": self = .yes
        case "no": self = .no
        case "help": self = .help
        case "quit": self = .quit
        default:
            guard word.count <= 6, let number = UInt32(word) else { return nil }
            self = .number(number)
        }
    }
}
