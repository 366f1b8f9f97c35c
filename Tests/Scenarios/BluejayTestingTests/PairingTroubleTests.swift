import Bluejay
import BluejayAsync
import BluejaySimulator
import BluejayTesting
import Foundation
import TestTraits
import Testing

@Suite("Faults during pairing", .timeLimit(.minutes(15)))
struct PairingTroubleTests {
    private func connected() async throws -> Bluejay {
        let bluejay = try await startedBluejay()
        let service = SimulatedDevice.DoorLock.service
        try await bluejay.connect(find(service, by: bluejay), timeout: .seconds(10))
        return bluejay
    }

    private func accept(_ bluejay: Bluejay) async {
        await bluejay.onLoop { bluejay in
            bluejay.setPairingHandler { request, _, answer in
                if request == .passkey { answer.accept(passkey: SimulatedDevice.DoorLock.passkey) }
            }
        }
    }

    /// Pairs and changes the world instead of answering the handler.
    private func pair(
        _ bluejay: Bluejay,
        whenAsked work: @escaping @Sendable (Bluejay) -> Void
    ) async -> BluejayError? {
        await bluejay.onLoop { bluejay in
            bluejay.setPairingHandler { [weak bluejay] _, _, answer in
                answer.onEnd = { _ = answer }
                if let bluejay { work(bluejay) }
            }
        }
        return await #expect(throws: BluejayError.self) { try await bluejay.pair() }
    }

    private func agents() throws -> Int { try TestWorld.current.perform { $0.agentCount } }

    private func sleep(_ seconds: Int) async throws {
        try await TestWorld.current.clock.sleep(for: .seconds(seconds))
    }

    // MARK: The agent

    @Test(
        "An agent whose registration is confirmed late is used",
        .simulatedBlueZ { $0.add(.passkeyLock()) }
    )
    func late() async throws {
        let bluejay = try await connected()
        try TestWorld.current.perform { $0.apply(.callsHeld("RegisterAgent")) }
        await accept(bluejay)
        try await sleep(40)
        #expect(try agents() == 0)
        try TestWorld.current.perform { $0.apply(.callsReleased("RegisterAgent")) }
        try await sleep(1)
        #expect(try agents() == 1)
        try await bluejay.pair()
    }

    @Test(
        "An agent registered while bluetoothd is frozen is used afterwards",
        .simulatedBlueZ { $0.add(.passkeyLock()) }
    )
    func standstill() async throws {
        let bluejay = try await connected()
        try TestWorld.current.perform { $0.apply(.daemonFrozen(for: .seconds(30))) }
        await accept(bluejay)
        try await sleep(32)
        #expect(try agents() == 1)
        try await bluejay.pair()
    }

    @Test(
        "An agent that is no longer needed when its registration is confirmed is unregistered",
        .simulatedBlueZ { $0.add(.passkeyLock()) }
    )
    func unwanted() async throws {
        let bluejay = try await connected()
        try TestWorld.current.perform { $0.apply(.callsHeld("RegisterAgent")) }
        await accept(bluejay)
        try await sleep(40)
        await bluejay.onLoop { $0.setPairingHandler(nil) }
        try TestWorld.current.perform { $0.apply(.callsReleased("RegisterAgent")) }
        try await sleep(1)
        #expect(try agents() == 0)
        await accept(bluejay)
        try await sleep(1)
        #expect(try agents() == 1)
        try await bluejay.pair()
    }

    @Test(
        "Removing and setting the handler during a late registration ends with one agent",
        .simulatedBlueZ { $0.add(.passkeyLock()) }
    )
    func offAndOn() async throws {
        let bluejay = try await connected()
        try TestWorld.current.perform { $0.apply(.callsHeld("RegisterAgent")) }
        await accept(bluejay)
        try await sleep(40)
        await bluejay.onLoop { $0.setPairingHandler(nil) }
        await accept(bluejay)
        try await sleep(1)
        try TestWorld.current.perform { $0.apply(.callsReleased("RegisterAgent")) }
        try await sleep(5)
        #expect(try agents() == 1)
        try await bluejay.pair()
    }

    @Test(
        "An agent that is temporarily rejected is registered later",
        .simulatedBlueZ { $0.add(.passkeyLock()) }
    )
    func refusedAgent() async throws {
        let bluejay = try await connected()
        let name = "org.bluez.Error.AlreadyExists"
        try TestWorld.current.perform {
            $0.apply(.callsRefused("RegisterAgent", name: name, text: "Already Exists"))
        }
        await accept(bluejay)
        try await sleep(2)
        try TestWorld.current.perform { $0.apply(.callsReleased("RegisterAgent")) }
        try await sleep(10)
        #expect(try agents() == 1)
        try await bluejay.pair()
    }

    @Test(
        "The error for an unreachable paired peripheral names forget(), which solves the problem",
        .pitfall(.staleBond),
        .simulatedBlueZ { $0.add(.passkeyLock()) }
    )
    func lostKeys() async throws {
        let bluejay = try await connected()
        await accept(bluejay)
        try await bluejay.pair()
        let lock = try #require(bluejay.connectedPeripheral)
        try await bluejay.disconnect()
        func refusedConnect() async throws -> BluejayError? {
            try TestWorld.current.perform {
                $0.apply(
                    .callsRefused(
                        "Connect",
                        name: "org.bluez.Error.Failed",
                        text: "le-connection-abort-by-local"
                    )
                )
            }
            return await #expect(throws: BluejayError.self) { try await bluejay.connect(lock) }
        }
        let paired = try await refusedConnect()
        #expect(paired?.description.contains("lost the keys of the pairing") == true)
        #expect(paired?.description.contains("forget()") == true)
        try await bluejay.forget(lock)
        let unpaired = try await refusedConnect()
        #expect(unpaired?.description.contains("keys") == false)
        try TestWorld.current.perform { $0.apply(.callsReleased("Connect")) }
        try await bluejay.connect(lock)
        try await bluejay.pair()
    }

    // MARK: The handler

    @Test(
        "Removing the handler during a request rejects the pairing",
        .simulatedBlueZ { $0.add(.passkeyLock()) }
    )
    func noHandler() async throws {
        let error = try await pair(connected()) { $0.setPairingHandler(nil) }
        #expect(error == .pairingRejected)
    }

    // MARK: The adapter

    @Test(
        "A pairing ended by a blocked adapter fails with bluetoothUnavailable",
        .simulatedBlueZ { $0.add(.passkeyLock()) }
    )
    func blocked() async throws {
        let world = try TestWorld.current
        let error = try await pair(connected()) { _ in
            _ = try? world.perform { $0.setBlocked(true) }
        }
        #expect(error?.code == .bluetoothUnavailable)
        #expect(error?.bluetoothState != .poweredOn)
    }

    @Test(
        "A pairing ended by an unplugged adapter fails with bluetoothUnavailable",
        .fault(.unplugged, during: .pairing),
        arguments: [SimulatedBlueZVersion.v5_66, .v5_86]
    )
    func unplugged(kind: SimulatedBlueZVersion) async throws {
        var options = SimulatorOptions()
        options.version = kind
        options.adapters = 1
        let world = try await TestWorld.make(options) { $0.add(.passkeyLock()) }
        try await world.run {
            let bluejay = try TestWorld.current.makeBluejay()
            // From BlueZ 5.82 on, the handler must be set before the link comes up.
            await bluejay.onLoop { $0.setPairingHandler { _, _, answer in answer.reject() } }
            await bluejay.start()
            try await bluejay.connect(toFirst: .name("Lock"), within: 20)
            let error = await pair(bluejay) { _ in
                _ = try? world.perform { $0.apply(.adapterUnplugged(0)) }
            }
            #expect(error?.code == .bluetoothUnavailable)
            #expect(error?.bluetoothState != .poweredOn)
        }
    }

    @Test("A pairing ended by powering off the adapter fails with bluetoothUnavailable")
    func off() async throws {
        let world = try await TestWorld.make { $0.add(.passkeyLock()) }
        try await world.run {
            let error = try await pair(connected()) { _ in
                _ = try? world.perform { $0.setPowered(false, ofAdapter: 0) {} }
            }
            #expect(error?.code == .bluetoothUnavailable)
        }
    }

    @Test(
        "A wrong passkey fails with pairingFailed",
        .simulatedBlueZ { $0.add(.passkeyLock()) }
    )
    func wrongNumber() async throws {
        let bluejay = try await connected()
        await bluejay.onLoop { bluejay in
            bluejay.setPairingHandler { $2.accept(passkey: 1) }
        }
        let error = await #expect(throws: BluejayError.self) { try await bluejay.pair() }
        #expect(error?.code == .pairingFailed)
    }
}
