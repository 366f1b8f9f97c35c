import BluejayGLib
import BluejaySimulator
import Foundation
import Glibc

/// A peripheral that `Tests/Strangers/bumble_peripheral.py` plays on a controller of its own.
///
/// It takes orders and tells events as JSON, one object a line. Everything that changes is used on
/// the own context only: the invariant behind `@unchecked`.
final class BumblePeripheral: StagedPeripheral, @unchecked Swift.Sendable {
    private struct Message: Decodable, Swift.Sendable {
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
    init(_ script: PeripheralScript, transport: String) async throws {
        guard let python = ProcessInfo.processInfo.environment["STRANGERS_PYTHON"] else {
            throw StageFailure("STRANGERS_PYTHON is not set; use ./Tests/RealBlueZ/run")
        }
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        process.executableURL = URL(filePath: python)
        process.arguments = [
            tests.appending(path: "Strangers/bumble_peripheral.py").path, "--transport", transport,
            "--take",
        ]
        process.standardInput = input
        process.standardOutput = output
        context.startThread(named: "bumble")
        try process.run()
        listen()
        let first = try JSONSerialization.data(withJSONObject: script.description)
        let message = try await withCheckedThrowingContinuation { (waiter: Waiter) in
            context.post {
                self.onAir = waiter
                self.send(first)
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
        let failure = StageFailure("bumble_peripheral.py has ended; its words are above")
        onAir?.resume(throwing: failure)
        onAir = nil
        for waiter in waiters.values { waiter.resume(throwing: failure) }
        waiters = [:]
        process.waitUntilExit()
        atEnd?.resume()
        atEnd = nil
    }

    /// Is another peripheral from now on: faster than another process.
    func play(_ script: PeripheralScript) async throws {
        try await order("play", ["script": script.description])
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
    private func order(_ name: String, _ details: [String: any Swift.Sendable] = [:]) async throws
        -> Message
    {
        let message = try await withCheckedThrowingContinuation { (waiter: Waiter) in
            context.post {
                guard !self.hasEnded else {
                    return waiter.resume(throwing: StageFailure("bumble has ended"))
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

    // MARK: StagedPeripheral

    func send(_ value: [UInt8], on characteristic: String) async throws {
        try await order("send", ["characteristic": characteristic, "value": packed(value)])
    }
    func drop() async throws { try await order("drop") }
    func goAway() async throws { try await order("goAway") }
    func comeBack() async throws { try await order("comeBack") }
    func fallSilent() async throws { try await order("fallSilent") }
    func addService(_ service: PeripheralScript.Service) async throws {
        try await order("addService", ["service": service.description])
    }
    func removeService(_ uuid: String) async throws {
        try await order("removeService", ["uuid": uuid])
    }
    func setPairing(_ accepts: Bool) async throws {
        try await order("pairing", ["accepts": accepts])
    }
    func isConnected() async throws -> Bool {
        try await order("report").isConnected ?? false
    }
    func writes() async throws -> [String] {
        (try await order("report").writes ?? []).map { write in
            let bytes = stride(from: 0, to: write.value.count, by: 2).map {
                write.value.dropFirst($0).prefix(2)
            }
            return "\(shortUUID(write.characteristic)) \(bytes.joined(separator: " "))"
        }
    }
}

private func packed(_ bytes: [UInt8]) -> String {
    hexadecimal(bytes).replacing(" ", with: "")
}

extension PeripheralScript {
    fileprivate var description: [String: any Swift.Sendable] {
        [
            "address": address, "random": true, "name": name, "advertising": advertising,
            "services": services.map(\.description),
        ]
    }
}

extension PeripheralScript.Service {
    fileprivate var description: [String: any Swift.Sendable] {
        let all: [[String: any Swift.Sendable]] = characteristics.map {
            ["uuid": $0.uuid, "flags": $0.flags, "behaviour": $0.behaviour.description]
        }
        return ["uuid": uuid, "characteristics": all]
    }
}

extension ScriptedBehaviour {
    fileprivate var description: [String: any Swift.Sendable] {
        switch self {
        case .value(let value): ["kind": "value", "value": packed(value)]
        case .echoes(let value): ["kind": "echoes", "value": packed(value)]
        case .refuses(let code): ["kind": "refuses", "code": Int(code)]
        case .accepts(let values, let code):
            ["kind": "accepts", "values": values.map(packed), "otherwise": Int(code)]
        case .silent: ["kind": "silent"]
        case .late(let value, let seconds):
            ["kind": "late", "value": packed(value), "afterSeconds": seconds]
        case .sends(let values, let seconds):
            ["kind": "sends", "values": values.map(packed), "everySeconds": seconds]
        case .computes, .decides:
            preconditionFailure("only the simulated BlueZ calls closures of a scenario")
        }
    }
}
