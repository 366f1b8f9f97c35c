internal import ArgumentParser
internal import BluejayGLib
internal import BusTrace
internal import Foundation

struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Run a command and append its messages with BlueZ to a file.",
        discussion: """
            The calls of every new connection count as calls of the command. The exit status is that \
            of the command.
            """
    )

    @Option(help: "The address of the bus. Default: the system bus.")
    var bus: String?

    @Option(help: "The adapter under test.")
    var adapter = "hci0"

    @Option(help: "The description for the header of the file, such as “bluetoothd 5.66”.")
    var kind = "org.bluez"

    @Argument(help: "The file; an existing file is extended.")
    var file: String

    @Argument(parsing: .postTerminator, help: "The command and its arguments.")
    var command: [String]

    func run() async throws {
        let recorder = try await BusRecorder.start(busAddress: bus)
        let status = await runCommand()
        let messages = await recorder.stop()
        let trace = TraceNormalizer(adapter: adapter).trace(of: messages)
        try TraceFile.add(trace, kind: kind, toFile: file)
        guard status == 0 else { throw ExitCode(status) }
    }

    private func runCommand() async -> Int32 {
        let context = MainContext()
        context.startThread(named: "command")
        let run = CommandRun()
        let environment = bus.map { ["DBUS_SYSTEM_BUS_ADDRESS": $0] } ?? [:]
        let status = await withCheckedContinuation { continuation in
            context.post { [command] in
                run.start(command, environment, on: context) { continuation.resume(returning: $0) }
            }
        }
        context.quit()
        return status
    }
}

/// The command while it runs; touched on its context only, the invariant behind `@unchecked`.
private final class CommandRun: @unchecked Swift.Sendable {
    private var child: ChildProcess?
    private var signals: [SignalSource] = []

    func start(
        _ command: [String],
        _ environment: [String: String],
        on context: MainContext,
        completion: @escaping (Int32) -> Void
    ) {
        // A terminal sends Ctrl-C to the command as well; the recording ends with the command.
        signals = [SIGINT, SIGTERM, SIGHUP].map { number in
            SignalSource(number, on: context) { [weak self] in
                if number != SIGINT { self?.child?.send(signal: number) }
            }
        }
        do {
            child = try ChildProcess(command, environment: environment, on: context) { status in
                self.signals = []
                self.child = nil
                completion(status)
            }
        } catch {
            FileHandle.standardError.write(Data("bus-trace: \(error)\n".utf8))
            signals = []
            completion(127)
        }
    }
}
