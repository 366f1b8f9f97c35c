import Bluejay
import BluejayAsync
import BluejayGATTServer
import BluejaySimulator
import Foundation
import TestSupport

// Used only on the loop's thread, through `run` and the functions of BluejayAsync.
final class BothRoles: @unchecked Swift.Sendable {
    static let service = BluetoothUUID(uint16: 0x180D)
    static let hci0 = "00:AA:01:00:00:00"
    static let hci1 = "00:AA:01:01:00:01"

    let loop = MainLoop(threadName: "roles")
    let system: SimulatedSystem
    let server: GATTServer
    let centrals: [Bluejay]
    private var journal: [String] = []
    private var waiters: [(line: String, resume: () -> Void)] = []

    /// A setup with a published service that is not advertised.
    static func with(
        _ change: (inout SimulatorOptions) -> Void = { _ in },
        _ body: (BothRoles) async throws -> Void
    ) async throws {
        var options = SimulatorOptions()
        options.timeScale = 0.1
        change(&options)
        let roles = try await BothRoles(SimulatedSystem.start(options), options.adapters)
        do {
            try await roles.start()
            try await body(roles)
        } catch {
            await roles.end()
            throw error
        }
        await roles.end()
    }

    private init(_ system: SimulatedSystem, _ adapters: Int) {
        self.system = system
        server = GATTServer(mainLoop: loop, adapter: "hci0", busAddress: system.busAddress)
        centrals = (0..<adapters).map { [loop] number in
            Bluejay(mainLoop: loop, adapter: "hci\(number)", busAddress: system.busAddress)
        }
    }

    private func start() async throws {
        await run { roles in
            for central in roles.centrals {
                central.reconnectOptions.maximumAttempts = 0
                central.start()
            }
            roles.server.start()
        }
        for central in centrals { try await central.waitUntilReady() }
        try await call { roles, done in
            let location = LocalCharacteristic(
                uuid: BluetoothUUID(uint16: 0x2A38),
                properties: [.read, .notify],
                value: Data([1])
            )
            roles.server.add(
                LocalService(uuid: Self.service, characteristics: [location]),
                completion: done
            )
        }
    }

    private func end() async {
        await run { roles in roles.server.stop { roles.note("stopped") } }
        await wait(for: "stopped")
        system.stop()
        loop.stop()
    }

    @discardableResult
    func run<R: Swift.Sendable>(_ work: @escaping @Sendable (BothRoles) -> R) async -> R {
        await withCheckedContinuation { continuation in
            loop.post { continuation.resume(returning: work(self)) }
        }
    }

    func call(
        _ call: @escaping @Sendable (BothRoles, @escaping GATTServer.Completion) -> Void
    ) async throws {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            loop.post { call(self) { continuation.resume(with: $0) } }
        }
    }

    func note(_ line: String) {
        journal.append(line)
        let ready = waiters.filter { $0.line == line }
        waiters.removeAll { $0.line == line }
        for waiter in ready { waiter.resume() }
    }

    func wait(for line: String) async {
        await withCheckedContinuation { continuation in
            loop.post { [self] in
                if journal.contains(line) { return continuation.resume() }
                waiters.append((line, { continuation.resume() }))
            }
        }
    }

    /// Connects a central over the adapter with the same number.
    func connect(
        _ central: Int,
        to address: String,
        isRandom: Bool,
        within seconds: Double = 60
    ) async throws {
        let identifier = try PeripheralIdentifier(
            address: address,
            isRandomAddress: isRandom,
            name: nil
        )
        try await centrals[central].connect(identifier, timeout: .seconds(seconds))
    }
}
