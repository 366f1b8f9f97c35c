internal import CBluejay
internal import FoundationEssentials
internal import Glibc

/// A child process, whose end is reported on the context.
///
/// The child stays in the caller's process group, so that a terminal's Ctrl-C reaches it and an interactive
/// program may read the terminal. The kernel sends it `SIGTERM` when the thread that started it ends, so
/// that no daemon outlives a killed program.
package final class ChildProcess {
    package struct LaunchError: Error, CustomStringConvertible {
        package let description: String
    }

    /// The process ID, which another process may receive after the end.
    package let processID: Int32
    /// The reading end of the child's standard output, if requested.
    ///
    /// The owner closes it.
    package let outputDescriptor: Int32?
    /// The writing end of the child's standard input, if requested.
    ///
    /// The owner closes it. A write after the child's end raises `SIGPIPE`.
    package let inputDescriptor: Int32?
    private let watch: ExitWatch
    private let context: RetainedContext

    /// Starts `arguments[0]`, which is looked up in PATH.
    ///
    /// - Parameters:
    ///   - arguments: The program and its arguments.
    ///   - environment: Variables set in addition to those of this process.
    ///   - capturesOutput: Whether `outputDescriptor` receives the standard output.
    ///   - pipesInput: Whether `inputDescriptor` is the child's standard input, instead of this process's.
    ///   - ownSession: Whether the child is out of the terminal's reach, so that Ctrl-C does not end it.
    ///   - context: The context on which `completion` runs.
    ///   - completion: Called once with the exit status, or 128 plus the number of the signal.
    /// - Throws: `LaunchError` if the program does not exist or is not executable.
    package init(
        _ arguments: [String],
        environment: [String: String] = [:],
        capturesOutput: Bool = false,
        pipesInput: Bool = false,
        ownSession: Bool = false,
        on context: MainContext,
        completion: @escaping (Int32) -> Void
    ) throws {
        var variables = ProcessInfo.processInfo.environment
        variables.merge(environment) { _, new in new }
        let pairs = variables.map { "\($0.key)=\($0.value)" }

        var processID: Int32 = 0
        var output: Int32 = -1
        var input: Int32 = -1
        let failure = unsafe withCStrings(arguments) { argv in
            unsafe withCStrings(pairs) { envp in
                unsafe withUnsafeMutablePointer(to: &output) { outputPointer in
                    unsafe withUnsafeMutablePointer(to: &input) { inputPointer in
                        unsafe bluejay_spawn(
                            argv,
                            envp,
                            ownSession ? 1 : 0,
                            &processID,
                            pipesInput ? inputPointer : nil,
                            capturesOutput ? outputPointer : nil
                        )
                    }
                }
            }
        }
        if let failure = unsafe failure {
            defer { unsafe free(failure) }
            throw LaunchError(description: unsafe String(cString: failure))
        }
        self.processID = processID
        outputDescriptor = capturesOutput ? output : nil
        inputDescriptor = pipesInput ? input : nil
        self.context = unsafe RetainedContext(context.pointer)
        watch = ExitWatch(processID, completion)
        watch.attach(to: context)
    }

    package var isRunning: Bool { watch.isRunning }

    /// Sends a signal, for example `SIGTERM`; does nothing after the end of the process.
    package func send(signal: Int32) {
        if isRunning { kill(processID, signal) }
    }

    /// Sends a signal that ends the process; the end is not reported, and the context need not run.
    package func terminate(signal: Int32) {
        send(signal: signal)
        watch.stop()
    }
}

@safe private final class ExitWatch {
    private(set) var isRunning = true
    private var source: OpaquePointer?
    private var completion: ((Int32) -> Void)?
    private let processID: Int32

    init(_ processID: Int32, _ completion: @escaping (Int32) -> Void) {
        self.processID = processID
        self.completion = completion
    }

    // The context was released before the child's end.
    deinit {
        if isRunning { bluejay_reap(processID) }
        if let source = unsafe source { unsafe bluejay_source_end(source) }
    }

    func stop() {
        guard isRunning, let source = unsafe source else { return }
        isRunning = false
        completion = nil
        unsafe self.source = nil
        bluejay_reap(processID)
        unsafe bluejay_source_end(source)
    }

    func attach(to context: MainContext) {
        unsafe source = unsafe bluejay_watch_child(
            context.pointer,
            processID,
            { status, data in
                guard let data = unsafe data else { return }
                let signal = status & 0x7F
                let code = signal == 0 ? (status >> 8) & 0xFF : 128 + signal
                unsafe Unmanaged<ExitWatch>.fromOpaque(data).takeUnretainedValue().exited(code)
            },
            Unmanaged.passRetained(self).toOpaque(),
            { data in
                if let data = unsafe data { unsafe Unmanaged<ExitWatch>.fromOpaque(data).release() }
            }
        )
    }

    private func exited(_ code: Int32) {
        isRunning = false
        let completion = completion
        self.completion = nil
        completion?(code)
    }
}

/// Replaces this process with another program, which keeps the environment and the descriptors.
///
/// Nothing is closed or called before. Call it while the process has one thread.
///
/// - Parameters:
///   - path: The path of the program.
///   - arguments: The arguments without the program name.
/// - Returns: The text of the error; returns only on failure.
package func replaceProcess(_ path: String, _ arguments: [String]) -> String {
    unsafe withCStrings([path] + arguments) { argv in
        guard let argv = unsafe argv else { return "it has no name" }
        unsafe execv(path, argv)
        return unsafe String(cString: strerror(errno))
    }
}

func withCStrings<R>(
    _ strings: [String],
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> R
) -> R {
    var pointers = unsafe strings.map { unsafe strdup($0) }
    unsafe pointers.append(nil)
    defer { unsafe pointers.forEach { unsafe free($0) } }
    return unsafe pointers.withUnsafeMutableBufferPointer { unsafe body($0.baseAddress) }
}
