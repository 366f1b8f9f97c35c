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
        abstract: "Act as a radio with the Nordic UART service, like a MeshCore device.",
        discussion: """
            The radio advertises the service, responds to each written packet, and sends an advert each \
            second. It ends with Ctrl-C or after --for, and disconnects its centrals.

            Commands on standard input:
            \(RadioCommand.usage.indented)

            \(statuses)
            """,
        version: BluejayVersion.current
    )

    private static let statuses = exitStatuses(
        success: "the radio ran until the end",
        failure: "the radio did not start, or Bluetooth is not available"
    )

    @OptionGroup var options: RunOptions

    @Option(help: "The advertised name.")
    var name = "MeshCore Demo"

    @Flag(
        help: ArgumentHelp(
            "Accept packets only over a link paired with a number.",
            discussion: """
                The radio prints the number when a central pairs. Bluetooth creates a new number each time: \
                BlueZ cannot set a fixed one, unlike the firmware of a real radio.
                """
        )
    )
    var pin = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Drop the link once, this many seconds after the first subscription.",
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
        drop      drop the link; centrals may reconnect
        yes, no   confirm or reject the number shown by the central
        a number  enter the number shown by the central
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
