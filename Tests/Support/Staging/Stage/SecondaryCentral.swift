internal import Bluejay
internal import BluejaySimulator
internal import Foundation
internal import Testing

/// A central on another adapter of the simulated BlueZ: a separate `Bluejay`.
///
/// The discovery changes on the loop of the central only: the invariant behind `@unchecked`.
final class SecondaryCentral: TestbedCentral, @unchecked Swift.Sendable {
    private let central: RecordingCentral
    private let system: SimulatedSystem
    private let adapter: Int
    private let target: String
    private var service = heartRateService

    /// Creates a central that uses one adapter and connects to the adapter with an address.
    init(in system: SimulatedSystem, adapter: Int, to target: String) async {
        central = await RecordingCentral(system.busAddress, adapter: "hci\(adapter)")
        self.system = system
        self.adapter = adapter
        self.target = target
    }

    var address: String? { nil }

    func connect(mtu: Int) async throws {
        guard mtu == 517 else { throw TestbedError("an adapter always requests 517") }
        await central.wait(forState: .poweredOn)
        let found: PeripheralIdentifier? = try await withCheckedThrowingContinuation { waiter in
            central.loop.post { [central, target] in
                central.bluejay.scan { found, _ in
                    found.peripheralIdentifier.address == target ? .stop : .continue
                } stopped: { all, error in
                    if let error { return waiter.resume(throwing: error) }
                    let seen = all.map(\.peripheralIdentifier)
                    waiter.resume(returning: seen.first { $0.address == target })
                }
            }
        }
        guard let found else { throw TestbedError("\(target) does not advertise") }
        try await central.connect(found)
    }

    func discover(_ service: String) async throws {
        await central.run { _ in self.service = ServiceIdentifier(uuid: service) }
    }

    private func identifier(_ uuid: String) async -> CharacteristicIdentifier {
        await central.read { _ in CharacteristicIdentifier(uuid: uuid, service: self.service) }
    }

    /// Converts an ATT error to an error of the testbed.
    private func convertingErrors<Value>(_ work: () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch let error as BluejayError {
            guard let refused = error.attError else { throw error }
            throw TestbedATTError(code: refused.code)
        }
    }

    func read(_ characteristic: String) async throws -> [UInt8] {
        let identifier = await identifier(characteristic)
        return try await convertingErrors {
            [UInt8](try await central.value(of: identifier, as: Data.self))
        }
    }

    func write(_ value: [UInt8], to characteristic: String, isAnswered: Bool) async throws {
        let identifier = await identifier(characteristic)
        try await convertingErrors {
            try await central.write(
                Data(value),
                to: identifier,
                type: isAnswered ? .withResponse : .withoutResponse
            )
        }
    }

    func subscribe(to characteristic: String) async throws {
        let identifier = await identifier(characteristic)
        await central.listen(identifier, as: "value \(characteristic)")
        // Wait for the previous operation in the queue.
        await central.settle()
    }

    func unsubscribe(from characteristic: String) async throws {
        try await central.endListen(identifier(characteristic))
    }

    func values(of characteristic: String, atLeast count: Int) async throws -> [[UInt8]] {
        let beginning = "value \(characteristic) "
        func came() async -> [String] { await central.record().filter { $0.hasPrefix(beginning) } }
        while await came().count < count, await central.state(\.isConnected) {
            try await Task.sleep(for: .milliseconds(10))
        }
        return await came().map { line in
            line.dropFirst(beginning.count).split(separator: " ").compactMap {
                UInt8($0, radix: 16)
            }
        }
    }

    func isConnected() async throws -> Bool { await central.state(\.isConnected) }
    func disconnect() async throws { try await central.disconnect() }

    func loseLink() async throws {
        await system.perform { [adapter] in $0.unplug(adapter: adapter) }
    }
}
