import BluejayGLib
import Foundation
import Glibc

/// A running `documentation-program`, whose output becomes notes.
///
/// What changes is used on the own context only: the invariant behind `@unchecked`.
final class Program: @unchecked Swift.Sendable {
    let notes = Notes()
    private let context = MainContext()
    private var process: ChildProcess?
    private var input: FileHandle?

    /// Starts it.
    ///
    /// - Parameters:
    ///   - arguments: Which program it is.
    ///   - bus: The address of its system bus.
    ///   - state: Where it keeps what outlives it.
    /// - Throws: When there is no such program.
    init(_ arguments: [String], bus: String, state: URL? = nil) async throws {
        // The programs are built into the folder of the tests.
        let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let program = tests.deletingLastPathComponent().appending(path: "documentation-program")
        var environment = ["DBUS_SYSTEM_BUS_ADDRESS": bus]
        if let state { environment["XDG_STATE_HOME"] = state.path }
        signal(SIGPIPE, SIG_IGN)
        context.startThread(named: "program")
        try await withCheckedThrowingContinuation {
            (started: CheckedContinuation<Void, any Error>) in
            context.post { [self, environment] in
                started.resume(with: Result { try start([program.path] + arguments, environment) })
            }
        }
    }

    deinit {
        context.quit()
    }

    private func start(_ command: [String], _ environment: [String: String]) throws {
        let process = try ChildProcess(
            command,
            environment: environment,
            capturesOutput: true,
            takesInput: true,
            on: context
        ) { [weak self] status in self?.end(status) }
        self.process = process
        input = process.inputDescriptor.map { FileHandle(fileDescriptor: $0, closeOnDealloc: true) }
        guard let output = process.outputDescriptor else { return }
        let reader = FileHandle(fileDescriptor: output, closeOnDealloc: true)
        Thread.detachNewThread { [notes] in
            var rest = Data()
            while case let chunk = reader.availableData, !chunk.isEmpty {
                rest += chunk
                while let end = rest.firstIndex(of: 0x0A) {
                    notes.write(String(decoding: rest[..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
        }
    }

    private func end(_ status: Int32) {
        process = nil
        input = nil
        notes.write("ended \(status)")
    }

    /// Gives it a line on its standard input.
    func order(_ line: String) {
        context.post { [self] in try? input?.write(contentsOf: Data("\(line)\n".utf8)) }
    }

    /// Ends it without a farewell, and waits for its end.
    func kill() async {
        context.post { [self] in process?.send(signal: SIGKILL) }
        await notes.wait(for: "ended")
    }
}
