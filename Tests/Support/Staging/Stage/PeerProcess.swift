internal import BluejayGLib
internal import Foundation
internal import Glibc
internal import TestSupport

/// A program of `Tests/ExternalPeers` that plays a peripheral.
///
/// It receives orders and reports events as JSON, one object a line. Mutable state is used on the context of
/// the process only: the invariant behind `@unchecked`.
package final class PeerProcess: @unchecked Swift.Sendable {
    /// The Python with the required packages; `nil` if `.ci/prepare` has not run.
    package static var python: String? {
        ProcessInfo.processInfo.environment["STRANGERS_PYTHON"].flatMap { $0.isEmpty ? nil : $0 }
    }

    package struct Message: Decodable, Swift.Sendable {
        package struct Write: Decodable, Swift.Sendable {
            package var characteristic: String
            package var value: String
        }
        package var event: String?
        package var done: Int?
        package var error: String?
        package var isConnected: Bool?
        package var reads: [String]?
        package var writes: [Write]?
        package var code: Int?
        package var value: String?
        package var values: [String]?
        package var kind: String?
        package var text: String?
        package var count: Int?
        package var characteristics: [String]?
        package var psm: Int?
        package var channel: Int?
        package var channels: [TestbedChannel]?
    }
    private typealias Waiter = CheckedContinuation<Message, any Error>

    private let process = LineProcess(named: "stranger")
    private let clock: any EventClock
    private var timeoutTimers: [Int: ScheduledTimer] = [:]
    private var lastID = 0
    private var waiters: [Int: Waiter] = [:]
    private var readyWaiter: Waiter?
    private var hasEnded = false

    /// Starts it, and returns when it advertises or reports that it is ready.
    ///
    /// - Parameters:
    ///   - program: A file in `Tests/ExternalPeers`.
    ///   - arguments: Its arguments.
    ///   - bus: The address of its system bus; `nil` is that of this process.
    ///   - firstLine: The first line of its input.
    /// - Throws: ``TestbedError``, for example if it ends before.
    package init(
        _ program: String,
        _ arguments: [String],
        bus: String? = nil,
        firstLine: [String: any Swift.Sendable]? = nil
    ) async throws {
        let command = try Self.command(program, arguments)
        let environment = bus.map { ["DBUS_SYSTEM_BUS_ADDRESS": $0] } ?? [:]
        let first = try firstLine.map { try JSONSerialization.data(withJSONObject: $0) }
        clock = MainContextClock(on: process.context)
        let message = try await withCheckedThrowingContinuation { (waiter: Waiter) in
            process.context.post { [self] in
                readyWaiter = waiter
                start(command, environment)
                if let first { send(first) }
            }
        }
        if let error = message.error { throw TestbedError(error) }
    }

    /// Runs a program of `Tests/ExternalPeers` that receives no orders.
    ///
    /// - Parameters:
    ///   - program: A file in `Tests/ExternalPeers`.
    ///   - arguments: Its arguments.
    ///   - bus: The address of its system bus.
    /// - Throws: ``TestbedError`` if it does not end with status 0.
    package static func run(_ program: String, _ arguments: [String], bus: String) async throws {
        let bus = "DBUS_SYSTEM_BUS_ADDRESS=\(bus)"
        try await runCommand(["/usr/bin/env", bus] + command(program, arguments))
    }

    private static func command(_ program: String, _ arguments: [String]) throws -> [String] {
        guard let python else {
            throw TestbedError("STRANGERS_PYTHON is not set; use ./Tests/run")
        }
        return [python, repositoryFile("Tests/ExternalPeers/\(program)").path] + arguments
    }

    private func start(_ command: [String], _ environment: [String: String]) {
        do {
            try process.start(command, environment: environment) { [weak self] in
                self?.received(Data($0.utf8))
            } onEnd: { [weak self] _ in
                self?.ended()
            }
        } catch {
            readyWaiter?.resume(throwing: error)
            readyWaiter = nil
        }
    }

    private func send(_ object: Data) {
        process.write(String(decoding: object, as: UTF8.self))
    }

    private func received(_ line: Data) {
        guard let message = try? JSONDecoder().decode(Message.self, from: line) else { return }
        if message.event == "advertising" || message.event == "ready" {
            readyWaiter?.resume(returning: message)
            readyWaiter = nil
        }
        guard let id = message.done else { return }
        timeoutTimers[id] = nil
        waiters.removeValue(forKey: id)?.resume(returning: message)
    }

    private func ended() {
        hasEnded = true
        timeoutTimers = [:]
        let failure = TestbedError("the foreign peripheral has ended; see its output above")
        readyWaiter?.resume(throwing: failure)
        readyWaiter = nil
        for waiter in waiters.values { waiter.resume(throwing: failure) }
        waiters = [:]
    }

    package func kill() async {
        await process.end()
    }

    /// Asks it to undo its changes, and returns when it has ended.
    package func stop() async throws {
        try await order("stop")
        await process.end(SIGTERM)
    }

    @discardableResult
    package func order(_ name: String, _ details: [String: any Swift.Sendable] = [:]) async throws
        -> Message
    {
        let message = try await withCheckedThrowingContinuation { (waiter: Waiter) in
            process.context.post {
                guard !self.hasEnded else {
                    return waiter.resume(throwing: TestbedError("the foreign peripheral has ended"))
                }
                self.lastID += 1
                var order: [String: Any] = details
                order["id"] = self.lastID
                order["do"] = name
                self.waiters[self.lastID] = waiter
                self.startTimeout(self.lastID, name)
                do {
                    self.send(try JSONSerialization.data(withJSONObject: order))
                } catch {
                    self.waiters.removeValue(forKey: self.lastID)?.resume(throwing: error)
                }
            }
        }
        if let error = message.error { throw TestbedError("\(name): \(error)") }
        return message
    }

    // A peripheral that does not answer fails its scenario only. On a busy computer, a hundred values take
    // more than 40 s.
    private func startTimeout(_ id: Int, _ name: String) {
        timeoutTimers[id] = clock.schedule(after: .seconds(180)) { [weak self] in
            let waiter = self?.waiters.removeValue(forKey: id)
            waiter?.resume(throwing: TestbedError("\(name): no response within 180 s"))
        }
    }
}
