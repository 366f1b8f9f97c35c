import ArgumentParser
import Bluejay
import BluejayCommandLine
import BluejayCore
import BluejayGLib
import BluejayLineEditing
import Foundation

/// A loop that reads the lines of a user or of a script, and runs them as subcommands over one connection.
@MainActor
final class Shell {
    /// The subcommands whose first argument is the device.
    private static let deviceCommands: Set = [
        "services", "read", "write", "listen", "battery", "info", "pair", "forget", "uart",
        "channel",
        "record",
    ]
    /// The subcommands that a shell does not run.
    private static let excludedCommands: Set = ["shell", "explain"]
    private static let maximumPromptWidth = 24

    private let session: ToolSession
    private let editor: LineEditor?
    private let completion: LockedValue<ShellCompletion>
    private let prompt: String

    init(_ session: ToolSession, _ peripheral: PeripheralIdentifier) {
        self.session = session
        let commands = Self.commands.compactMap(\.commandName)
        let completion = LockedValue(
            ShellCompletion(commands: (commands + ["help", "exit"]).sorted())
        )
        self.completion = completion
        let name = peripheral.name.printable
        prompt =
            (name.isEmpty ? peripheral.displayText : name).truncated(to: Self.maximumPromptWidth)
            + "> "
        let isInteractive = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
        let history = LastDevice.folder().appending(path: "shell-history")
        editor =
            isInteractive ? LineEditor(history: history) { completion.value.complete($0) } : nil
    }

    /// Runs lines until the end of the input or `exit`.
    ///
    /// - Throws: `ExitCode` with the status of the first subcommand of a script that fails.
    func run() async throws {
        session.keepsInterrupts = editor != nil
        defer { session.keepsInterrupts = false }
        while !Task.isCancelled, let line = await nextLine() {
            let status = await run(line)
            if status == nil { return }
            if editor == nil, let status, !status.isSuccess { throw status }
        }
        if editor != nil, !Task.isCancelled { session.console.line("") }
    }

    private func nextLine() async -> String? {
        guard let editor else { return await session.input.line() }
        await updateCompletion()
        let (lines, continuation) = AsyncStream<String?>.makeStream()
        let prompt = prompt
        Task {
            continuation.yield(await editor.line(prompt: prompt))
            continuation.finish()
        }
        // The end of the shell does not wait for the user.
        defer { if Task.isCancelled { editor.restoreTerminal() } }
        for await line in lines { return line }
        return nil
    }

    private func updateCompletion() async {
        guard session.bluejay.isConnected, let services = try? await session.services() else {
            return
        }
        let references = AttributeCache.characteristics(of: services)
        completion.value.attributes = Set(references.flatMap { [$0.uuid, $0.name] }).sorted()
    }

    /// Runs a line.
    ///
    /// - Returns: The exit status of the subcommand, or `nil` if the line ends the shell.
    private func run(_ line: String) async -> ExitCode? {
        let words: [String]
        do {
            words = try ShellWords.split(line)
        } catch {
            session.console.writeError("bluejay: \(ToolFailure(error).message)")
            return ExitCode(EX_USAGE)
        }
        guard let name = words.first else { return .success }
        switch name {
        case "exit", "quit": return nil
        case "help" where words.count == 1:
            help()
            return .success
        case "shell":
            session.console.writeError("bluejay: this is a shell already")
            return ExitCode(EX_USAGE)
        default: return await run(name, Array(words.dropFirst()))
        }
    }

    private func run(_ name: String, _ arguments: [String]) async -> ExitCode {
        var arguments = arguments
        if Self.deviceCommands.contains(name), let device = session.peripheral {
            if arguments.first == "-" { arguments.removeFirst() }
            arguments.insert(device.uuid.uuidString, at: 0)
        }
        do {
            try await ShellTask.$session.withValue(session) {
                try await BluejayCommand.perform([name] + arguments)
            }
            return .success
        } catch let status as ExitCode {
            return status
        } catch let failure as InvalidArgument {
            session.console.writeError(failure.text)
            return failure.status
        } catch {
            let text = BluejayCommand.fullMessage(for: error)
            let status = BluejayCommand.exitCode(for: error)
            if status.isSuccess {
                session.console.line(text)
            } else {
                session.console.writeError(text)
            }
            return status
        }
    }

    private static var commands: [CommandConfiguration] {
        BluejayCommand.configuration.subcommands.map { $0.configuration }.filter {
            $0.shouldDisplay && !excludedCommands.contains($0.commandName ?? "")
        }
    }

    private func help() {
        for command in Self.commands {
            let name = command.commandName ?? ""
            session.console.line(name.fitted(to: 10) + command.abstract)
        }
        session.console.line("exit".fitted(to: 10) + "End the shell.")
    }
}
