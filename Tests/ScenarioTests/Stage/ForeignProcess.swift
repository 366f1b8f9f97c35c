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
        var writes: [Write]?
    }
    private typealias Waiter = CheckedContinuation<Message, any Error>

    private let context = MainContext()
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
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
        process.executableURL = URL(filePath: python)
        process.arguments =
            [tests.appending(path: "Strangers/\(program)").path] + arguments
        if let bus {
            var environment = ProcessInfo.processInfo.environment
            environment["DBUS_SYSTEM_BUS_ADDRESS"] = bus
            process.environment = environment
        }
        process.standardInput = input
        process.standardOutput = output
        context.startThread(named: "stranger")
        try process.run()
        listen()
        let first = try firstLine.map { try JSONSerialization.data(withJSONObject: $0) }
        let message = try await withCheckedThrowingContinuation { (waiter: Waiter) in
            context.post {
                self.onAir = waiter
                if let first { self.send(first) }
            }
        }
        if let error = message.error { throw StageFailure(error) }
    }

    deinit {
        context.quit()
    }

    private func listen() {
        let reader = output.fileHandleForReading
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
            context.post { [weak self] in self?.end() }
        }
    }

    private func send(_ object: Data) {
        try? input.fileHandleForWriting.write(contentsOf: object + [0x0A])
    }

    private func heard(_ line: Data) {
        guard let message = try? JSONDecoder().decode(Message.self, from: line) else { return }
        if message.event == "advertising" {
            onAir?.resume(returning: message)
            onAir = nil
        }
        if let id = message.done { waiters.removeValue(forKey: id)?.resume(returning: message) }
    }

    private func end() {
        hasEnded = true
        let failure = StageFailure("the foreign peripheral has ended; its words are above")
        onAir?.resume(throwing: failure)
        onAir = nil
        for waiter in waiters.values { waiter.resume(throwing: failure) }
        waiters = [:]
        process.waitUntilExit()
        atEnd?.resume()
        atEnd = nil
    }

    /// Ends it at once and returns when it is gone.
    func kill() async {
        await withCheckedContinuation { continuation in
            context.post {
                guard !self.hasEnded else { return continuation.resume() }
                self.atEnd = continuation
                Glibc.kill(self.process.processIdentifier, SIGKILL)
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
}
