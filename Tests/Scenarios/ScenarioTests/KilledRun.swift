import BluejayGLib
import Foundation
import Staging
import TestSupport

/// A run of `heart-sensor --restore` in a separate process, so that it can be killed.
///
/// Like any killed program, it leaves a state file and a link of bluetoothd. Mutable state is used only on
/// the context of the process, which justifies `@unchecked`.
final class KilledRun: @unchecked Swift.Sendable {
    private let process = LineProcess(named: "first life")
    private var firstValue: CheckedContinuation<Void, any Error>?

    /// Starts the program and returns after its first heart rate.
    ///
    /// - Parameters:
    ///   - identifier: The restore identifier.
    ///   - home: The program's `XDG_STATE_HOME`.
    ///   - bus: The address of its system bus.
    /// - Throws: ``TestbedError`` if the program ends earlier.
    init(_ identifier: String, in home: URL, bus: String) async throws {
        let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let program = tests.deletingLastPathComponent().appending(path: "heart-sensor").path
        let command = [program, "--json", "--adapter", "hci0", "--restore", identifier]
        let environment = ["DBUS_SYSTEM_BUS_ADDRESS": bus, "XDG_STATE_HOME": home.path]
        try await withCheckedThrowingContinuation {
            (waiter: CheckedContinuation<Void, any Error>) in
            process.context.post { [self] in
                firstValue = waiter
                start(command, environment)
            }
        }
    }

    private func start(_ command: [String], _ environment: [String: String]) {
        do {
            try process.start(command, environment: environment) { [weak self] _ in
                self?.resume(.success(()))
            } onEnd: { [weak self] in
                self?.resume(.failure(TestbedError("heart-sensor ended with \($0)")))
            }
        } catch {
            resume(.failure(error))
        }
    }

    private func resume(_ result: Result<Void, any Error>) {
        firstValue?.resume(with: result)
        firstValue = nil
    }

    /// Sends a signal and waits for the end of the process.
    func end(_ signal: Int32 = SIGKILL) async {
        await process.end(signal)
    }
}

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
