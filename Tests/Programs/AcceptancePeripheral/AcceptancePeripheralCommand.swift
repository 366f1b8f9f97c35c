import ArgumentParser
import Bluejay
import Dispatch
import Foundation

/// A peripheral with one service, for the acceptance tests with other centrals.
@main
struct AcceptancePeripheralCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "acceptance-peripheral",
        abstract: "Act as a peripheral with a characteristic of each kind, for foreign centrals.",
        discussion: """
            Service FFE0: FFE1 read, FFE2 read of 512 bytes, FFE3 write, FFE4 write without response, \
            FFE5 notify, FFE6 indicate, FFE7 encrypted read, FFE8 rejects each write with 0x80. \
            FFF0 with FFF1 can be added and removed.

            Commands on standard input: \
            \(AcceptanceCommand.allCases.map(\.rawValue).joined(separator: ", ")). Each event is one \
            JSON object per line on standard output. The program ends with quit, or with the input.
            """,
        version: BluejayVersion.current
    )

    @Option(help: "The adapter, such as hci1.")
    var adapter = "hci1"

    @Option(help: "The advertised name.")
    var name = "Bluejay Acceptance"

    func run() throws {
        let peripheral = AcceptancePeripheral(adapter: adapter, name: name)
        signal(SIGTERM, SIG_IGN)
        let termination = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .main)
        termination.setEventHandler { peripheral.end() }
        termination.resume()
        // A separate thread reads lines; the main loop runs the commands.
        let input = Thread {
            while let line = readLine() {
                DispatchQueue.main.async { peripheral.execute(line) }
            }
            DispatchQueue.main.async { peripheral.end() }
        }
        input.start()
        peripheral.start()
        MainLoop.main.run()
        if let failure = peripheral.failure {
            FileHandle.standardError.write(Data("acceptance-peripheral: \(failure)\n".utf8))
            throw ExitCode.failure
        }
    }
}

/// Writes an event as a line of JSON, without buffering.
func report(_ event: String, _ values: [String: String] = [:]) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let object = values.merging(["event": event]) { _, new in new }
    guard let line = try? encoder.encode(object) else { return }
    FileHandle.standardOutput.write(line + Data("\n".utf8))
}

func hexadecimal(_ value: Data) -> String {
    value.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

func hexadecimal(_ uuid: UInt16) -> String {
    String(uuid, radix: 16)
}
