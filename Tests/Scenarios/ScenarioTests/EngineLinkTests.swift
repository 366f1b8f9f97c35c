import Bluejay
import BluejayBlueZ
import BluejayCore
import BluejayDBus
import BluejayGLib
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import TestTraits
import Testing

/// Users of the engine beside `Bluejay`, on a separate loop.
// Confined to the loop.
private final class EngineUsers: @unchecked Swift.Sendable {
    private let loop = MainLoop(threadName: "engine")
    private let busAddress: String
    private var engine: BlueZEngine?
    private var observation: ObservationToken?
    private var leases: [LinkLease] = []
    private var steps: [String: [LinkProgress]] = [:]

    init(_ busAddress: String) async {
        self.busAddress = busAddress
        await perform { users, completion in users.begin { completion(()) } }
    }

    private func perform<R: Swift.Sendable>(
        _ work: @escaping @Sendable (EngineUsers, @escaping (R) -> Void) -> Void
    ) async -> R {
        await withCheckedContinuation { continuation in
            loop.post { work(self) { continuation.resume(returning: $0) } }
        }
    }

    private func begin(_ completion: @escaping () -> Void) {
        let engine = BlueZEngine.shared(on: loop.context, address: .address(busAddress))
        self.engine = engine
        observation = engine.client.observe { [weak self] _ in
            guard engine.client.state == .running else { return }
            self?.observation = nil
            completion()
        }
    }

    func connect(_ address: String, as name: String, within limit: Duration? = nil) async -> String
    {
        await perform { users, completion in
            guard let engine = users.engine,
                let address = DeviceAddress(address, kind: .random)
            else { return completion("no engine") }
            let link = engine.link(to: address, over: ObjectPath("/org/bluez/hci0"))
            let lease = link.connect(within: limit) { result in
                switch result {
                case .success: completion("connected")
                case .failure(let failure): completion("\(failure)")
                }
            }
            lease.handlers.onProgress = { users.steps[name, default: []].append($0) }
            users.leases.append(lease)
        }
    }

    func steps(of name: String) async -> [LinkProgress] {
        await perform { users, completion in completion(users.steps[name] ?? []) }
    }

    /// Releases everything, which disconnects the links.
    func end() async {
        await perform { users, completion in
            users.leases = []
            users.engine = nil
            completion(())
        }
    }
}

@Suite("Engine users other than Bluejay", .timeLimit(.minutes(15)))
struct EngineLinkTests {
    private let sensor = PeripheralScript.heartRateSensor()

    @Test(
        "connect reports each of its steps, and joining an established link reports the last one",
        .pitfall(.connectRepliesBeforeServices)
    )
    func progress() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(sensor)
            let users = await EngineUsers(context.testbed.busAddress)
            #expect(
                await users.connect(sensor.address, as: "first", within: .seconds(30))
                    == "connected"
            )
            let all: [LinkProgress] = [
                .discovering, .connecting(attempt: 1), .connected, .servicesResolved,
            ]
            #expect(await users.steps(of: "first") == all)
            #expect(
                await users.connect(sensor.address, as: "second", within: .seconds(30))
                    == "connected"
            )
            #expect(await users.steps(of: "second") == [.servicesResolved])
            await users.end()
        }
    }

    @Test(
        "A connect times out by its own limit and leaves no pending attempt",
        .pitfall(.connectOutlastsBusTimeout)
    )
    func limit() async throws {
        try await withTestbed(isRecorded: false) { context in
            let found = try await context.found(sensor)
            try await found.peripheral.leaveRange()
            let users = await EngineUsers(context.testbed.busAddress)
            #expect(
                await users.connect(sensor.address, as: "early", within: .seconds(1)) == "timedOut"
            )
            #expect(await users.steps(of: "early").last == .connecting(attempt: 1))
            try await found.peripheral.returnToRange()
            #expect(
                await users.connect(sensor.address, as: "late", within: .seconds(30)) == "connected"
            )
            await users.end()
        }
    }
}
