package import BluejayGLib
internal import Foundation

/// A program with lines as input and output, on its own context thread; it ends with its owner.
///
/// Mutable state is used on that context only: the invariant behind `@unchecked`.
package final class LineProcess: @unchecked Swift.Sendable {
    package let context = MainContext()
    private var parts = Parts()
    private var rest = Data()
    private var status: Int32?
    private var onLine: (String) -> Void = { _ in }
    private var onEnd: (Int32) -> Void = { _ in }
    private var waiters: [CheckedContinuation<Void, Never>] = []

    private struct Parts: @unchecked Swift.Sendable {
        var process: ChildProcess?
        var input: FileHandle?
        var output: FileHandle?
        var source: FileDescriptorSource?
    }

    /// Creates the thread; `start` starts the program.
    package init(named name: String) {
        // A write to a process that has ended must return an error instead of raising a signal.
        signal(SIGPIPE, SIG_IGN)
        context.startThread(named: name)
    }

    deinit {
        let parts = parts
        context.post { parts.source?.cancel() }
        // The process ends with the thread that started it.
        context.quit()
    }

    /// Starts the program, once; on the context.
    ///
    /// - Parameters:
    ///   - command: The program and its arguments.
    ///   - environment: Additions to the environment of this process.
    ///   - onLine: Called on the context for each line of its output, without the line break.
    ///   - onEnd: Called on the context after the last line, with the exit status.
    /// - Throws: If the program does not exist.
    package func start(
        _ command: [String],
        environment: [String: String],
        onLine: @escaping (String) -> Void,
        onEnd: @escaping (Int32) -> Void
    ) throws {
        let process = try ChildProcess(
            command,
            environment: environment,
            capturesOutput: true,
            pipesInput: true,
            on: context
        ) { [weak self] status in
            self?.status = status
            self?.checkEnd()
        }
        guard let input = process.inputDescriptor, let output = process.outputDescriptor else {
            return
        }
        self.onLine = onLine
        self.onEnd = onEnd
        let reader = FileHandle(fileDescriptor: output, closeOnDealloc: true)
        parts.process = process
        parts.input = FileHandle(fileDescriptor: input, closeOnDealloc: true)
        parts.output = reader
        parts.source = FileDescriptorSource(output, .readable, on: context) { [weak self] _ in
            self?.read(reader.availableData)
        }
    }

    private func read(_ data: Data) {
        rest += data
        while let end = rest.firstIndex(of: 0x0A) {
            let line = String(decoding: rest[..<end], as: UTF8.self)
            rest = Data(rest[(end + 1)...])
            onLine(line)
        }
        guard data.isEmpty else { return }
        parts.source?.cancel()
        parts.source = nil
        checkEnd()
    }

    // The last lines may be read after its end.
    private func checkEnd() {
        guard let status, parts.source == nil, parts.process != nil else { return }
        parts = Parts()
        onEnd(status)
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    /// Writes a line to its input, if it still runs; on the context.
    package func write(_ line: String) {
        try? parts.input?.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Sends it a signal, if it still runs; on the context.
    package func send(_ signal: Int32) {
        parts.process?.send(signal: signal)
    }

    /// Sends it a signal, and returns after `onEnd`.
    package func end(_ signal: Int32 = SIGKILL) async {
        await withCheckedContinuation { continuation in
            context.post { [self] in
                guard let process = parts.process else { return continuation.resume() }
                waiters.append(continuation)
                process.send(signal: signal)
            }
        }
    }
}
