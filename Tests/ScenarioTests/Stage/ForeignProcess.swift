import BluejayGLib
import Foundation
import Glibc

/// A program of `Tests/Strangers` that plays a peripheral.
///
/// It takes orders and tells events as JSON, one object a line. Everything that changes is used on
/// the own context only: the invariant behind `@unchecked`.
final class ForeignProcess: @unchecked Swift.Sendable {
    /// The Python that the strangers need; nil when `.ci/prepare` has not been asked.
    static var python: String? {
        ProcessInfo.processInfo.environment["STRANGERS_PYTHON"].flatMap { $0.isEmpty ? nil : $0 }
    }

    struct Message: Decodable, Swift.Sendable {
        struct Write: Decodable, Swift.Sendable {
            var characteristic: String
            var value: String
        }
        var event: String?
        var done: Int?
        var error: String?
        var isConnected: Bool?
        var reads: [String]?
        var writes: [Write]?
    }
    private typealias Waiter = CheckedContinuation<Message, any Error>

    private let context = MainContext()
    private let clock: any EventClock
    private var process: ChildProcess?
    private var input: FileHandle?
    private var limits: [Int: ScheduledTimer] = [:]
    private var lastID = 0
    private var waiters: [Int: Waiter] = [:]
    private var onAir: Waiter?
    private var atEnd: CheckedContinuation<Void, Never>?
    private var hasEnded = false

    /// Starts it, and returns when it is on the air.
    ///
    /// - Parameters:
    ///   - program: A file in `Tests/Strangers`.
    ///   - arguments: Its arguments.
    ///   - bus: The address of its system bus; nil is that of this process.
    ///   - firstLine: What it reads first.
    /// - Throws: ``StageFailure``, for example when it ends before.
    init(
        _ program: String,
        _ arguments: [String],
        bus: String? = nil,
        firstLine: [String: any Swift.Sendable]? = nil
    ) async throws {
        guard let python = Self.python else {
            throw StageFailure("STRANGERS_PYTHON is not set; use ./Tests/run")
        }
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let command = [python, tests.appending(path: "Strangers/\(program)").path] + arguments
        let environment = bus.map { ["DBUS_SYSTEM_BUS_ADDRESS": $0] } ?? [:]
        let first = try firstLine.map { try JSONSerialization.data(withJSONObject: $0) }
        clock = MainContextClock(on: context)
        // Whoever writes to a process that has ended gets an error, not a signal.
        signal(SIGPIPE, SIG_IGN)
        context.startThread(named: "stranger")
        let message = try await withCheckedThrowingContinuation { (waiter: Waiter) in
            context.post {
                self.onAir = waiter
                self.start(command, environment)
                if let first { self.send(first) }
            }
        }
        if let error = message.error { throw StageFailure(error) }
    }

    deinit {
        context.quit()
    }

    private func start(_ command: [String], _ environment: [String: String]) {
        do {
            let process = try ChildProcess(
                command,
                environment: environment,
                capturesOutput: true,
                takesInput: true,
                on: context
            ) { [weak self] _ in self?.end() }
            self.process = process
            input = process.inputDescriptor.map {
                FileHandle(fileDescriptor: $0, closeOnDealloc: true)
            }
            if let output = process.outputDescriptor { listen(to: output) }
        } catch {
            onAir?.resume(throwing: error)
            onAir = nil
        }
    }

    private func listen(to output: Int32) {
        let reader = FileHandle(fileDescriptor: output, closeOnDealloc: true)
        Thread.detachNewThread { [context] in
            var rest = Data()
            while case let chunk = reader.availableData, !chunk.isEmpty {
                rest += chunk
                while let end = rest.firstIndex(of: 0x0A) {
                    let line = Data(rest[..<end])
                    rest = Data(rest[(end + 1)...])
                    context.post { [weak self] in self?.heard(line) }
                }
            }
        }
    }

    private func send(_ object: Data) {
        try? input?.write(contentsOf: object + [0x0A])
    }

    private func heard(_ line: Data) {
        guard let message = try? JSONDecoder().decode(Message.self, from: line) else { return }
        if message.event == "advertising" {
            onAir?.resume(returning: message)
            onAir = nil
        }
        guard let id = message.done else { return }
        limits[id] = nil
        waiters.removeValue(forKey: id)?.resume(returning: message)
    }

    private func end() {
        hasEnded = true
        process = nil
        input = nil
        limits = [:]
        let failure = StageFailure("the foreign peripheral has ended; its words are above")
        onAir?.resume(throwing: failure)
        onAir = nil
        for waiter in waiters.values { waiter.resume(throwing: failure) }
        waiters = [:]
        atEnd?.resume()
        atEnd = nil
    }

    /// Ends it at once and returns when it is gone.
    func kill() async {
        await withCheckedContinuation { continuation in
            context.post {
                guard !self.hasEnded else { return continuation.resume() }
                self.atEnd = continuation
                self.process?.send(signal: SIGKILL)
            }
        }
    }

    @discardableResult
    func order(_ name: String, _ details: [String: any Swift.Sendable] = [:]) async throws
        -> Message
    {
        let message = try await withCheckedThrowingContinuation { (waiter: Waiter) in
            context.post {
                guard !self.hasEnded else {
                    return waiter.resume(throwing: StageFailure("the foreign peripheral has ended"))
                }
                self.lastID += 1
                var order: [String: Any] = details
                order["id"] = self.lastID
                order["do"] = name
                self.waiters[self.lastID] = waiter
                self.limit(self.lastID, name)
                do {
                    self.send(try JSONSerialization.data(withJSONObject: order))
                } catch {
                    self.waiters.removeValue(forKey: self.lastID)?.resume(throwing: error)
                }
            }
        }
        if let error = message.error { throw StageFailure("\(name): \(error)") }
        return message
    }

    // A peripheral that does not answer fails its scenario, and does not stop all of them.
    private func limit(_ id: Int, _ name: String) {
        limits[id] = clock.schedule(after: .seconds(40)) { [weak self] in
            let waiter = self?.waiters.removeValue(forKey: id)
            waiter?.resume(throwing: StageFailure("\(name): no answer within 40 s"))
        }
    }
}
