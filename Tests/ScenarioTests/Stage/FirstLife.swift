import BluejayGLib
import Foundation
import Glibc

/// A run of `heart-sensor --restore`, in a process of its own that can be killed.
///
/// What it leaves is what any killed program leaves: a state file, and a link that is bluetoothd's.
/// Everything that changes is used on the own context only: the invariant behind `@unchecked`.
final class FirstLife: @unchecked Swift.Sendable {
    private let context = MainContext()
    private var process: ChildProcess?
    private var firstValue: CheckedContinuation<Void, any Error>?
    private var atEnd: CheckedContinuation<Void, Never>?

    /// Starts it, and returns when it has shown a heart rate.
    ///
    /// - Parameters:
    ///   - identifier: The restore identifier.
    ///   - home: What `XDG_STATE_HOME` is for it.
    ///   - bus: The address of its system bus.
    /// - Throws: ``StageFailure`` when it ends before.
    init(_ identifier: String, in home: URL, bus: String) async throws {
        let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let program = tests.deletingLastPathComponent().appending(path: "heart-sensor").path
        let command = [program, "--json", "--adapter", "hci0", "--restore", identifier]
        let environment = ["DBUS_SYSTEM_BUS_ADDRESS": bus, "XDG_STATE_HOME": home.path]
        context.startThread(named: "first life")
        try await withCheckedThrowingContinuation {
            (waiter: CheckedContinuation<Void, any Error>) in
            context.post {
                self.firstValue = waiter
                self.start(command, environment)
            }
        }
    }

    deinit {
        // The process ends with the thread that started it.
        context.quit()
    }

    private func start(_ command: [String], _ environment: [String: String]) {
        do {
            let process = try ChildProcess(
                command,
                environment: environment,
                capturesOutput: true,
                on: context
            ) { [weak self] in self?.ended($0) }
            self.process = process
            if let output = process.outputDescriptor { drain(output) }
        } catch {
            firstValue?.resume(throwing: error)
            firstValue = nil
        }
    }

    private func drain(_ output: Int32) {
        let reader = FileHandle(fileDescriptor: output, closeOnDealloc: true)
        Thread.detachNewThread { [context] in
            while !reader.availableData.isEmpty {
                context.post { [weak self] in
                    self?.firstValue?.resume()
                    self?.firstValue = nil
                }
            }
        }
    }

    private func ended(_ status: Int32) {
        process = nil
        firstValue?.resume(throwing: StageFailure("heart-sensor ended with \(status)"))
        firstValue = nil
        atEnd?.resume()
        atEnd = nil
    }

    /// Ends it with a signal, and returns when it is gone.
    func end(_ signal: Int32 = SIGKILL) async {
        await withCheckedContinuation { continuation in
            context.post {
                guard let process = self.process else { return continuation.resume() }
                self.atEnd = continuation
                process.send(signal: signal)
            }
        }
    }
}

/// A directory that is removed with its owner.
final class TemporaryFolder: Swift.Sendable {
    let url = FileManager.default.temporaryDirectory
        .appending(path: "bluejay-scenario-\(UUID().uuidString.prefix(13))")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }
}
