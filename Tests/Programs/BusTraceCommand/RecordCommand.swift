internal import ArgumentParser
internal import BluejayGLib
internal import BusTrace
internal import Foundation

struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Runs a command and adds what it and BlueZ say to each other to a file.",
        discussion: """
            The calls of every connection that is made meanwhile count as the command's. The exit \
            status is the command's.
            """
    )

    @Option(help: "The address of the bus; without it that of the system bus.")
    var bus: String?

    @Option(help: "The adapter under test.")
    var adapter = "hci0"

    @Option(help: "What is recorded, for the head of the file, for example “bluetoothd 5.66”.")
    var kind = "org.bluez"

    @Argument(help: "The file; when it is there the recording is added to it.")
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
