import Bluejay
import BluejayBlueZ
import BluejayCore
import BluejayDBus
import BluejayGATTServer
import BluejayGLib
import BluejaySimulator
import BluejayTesting
import Foundation
import Testing

/// Leases of links over `hci0`, on the loop of the stage.
private final class Leases {
    let engine: BlueZEngine
    private var observation: ObservationToken?
    private let stage: TestWorld

    init() async throws {
        stage = try TestWorld.current
        engine = BlueZEngine.shared(
            on: stage.mainLoop.context,
            address: .address(stage.busAddress)
        )
        let (engine, stage) = (engine, stage)
        try await stage.expect("bluetoothd") { done in
            self.observation = engine.client.observe { [unowned engine] _ in
                if engine.client.state == .running { done() }
            }
            // The test's server may have started the engine already.
            if engine.client.state == .running { done() }
        }
    }

    func link(to address: String) throws -> Link {
        engine.link(
            to: try #require(DeviceAddress(address, kind: .random)),
            over: ObjectPath("/org/bluez/hci0")
        )
    }

    /// Leases the existing link to a device.
    func lease(_ address: String) async throws -> LinkLease {
        let link = try link(to: address)
        var lease: LinkLease?
        let result = await withCheckedContinuation { continuation in
            lease = link.connect { continuation.resume(returning: $0) }
        }
        try result.get()
        return try #require(lease)
    }

    /// Releases a lease, then waits for its completion and long enough for a `Disconnect`.
    func release(_ lease: LinkLease, cutting cut: DisconnectPolicy) async throws {
        var isReleasing = true
        var isInside = false
        await withCheckedContinuation { continuation in
            lease.release(disconnecting: cut) {
                isInside = isReleasing
                continuation.resume()
            }
            isReleasing = false
        }
        #expect(!isInside)
        try await stage.clock.sleep(for: .seconds(5))
    }
}

@Suite("Release of a link", .timeLimit(.minutes(15)))
struct LinkReleaseTests {
    private typealias Heart = SimulatedDevice.HeartRateSensor

    private func connectedCentral() async throws -> (GATTServer, TestCentral) {
        let stage = try TestWorld.current
        let server = GATTServer(mainLoop: stage.mainLoop)
        let service = LocalService(
            uuid: BluetoothUUID(string: "FFE0"),
            characteristics: [
                LocalCharacteristic(
                    uuid: BluetoothUUID(string: "FFE1"),
                    properties: .read,
                    value: Data([1])
                )
            ]
        )
        try await stage.expect("the advertisement") { done in
            server.start()
            server.add(service) { _ in
                server.startAdvertising(LocalAdvertisement(serviceUUIDs: [service.uuid])) { _ in
                    done()
                }
            }
        }
        let phone = try stage.addCentral()
        try await phone.connect()
        return (server, phone)
    }

    private var isSensorConnected: Bool {
        get throws {
            try TestWorld.current.perform { $0.device(Heart.address)?.isConnected == true }
        }
    }

    private func otherProgramConnects() async throws {
        let stage = try TestWorld.current
        let bluejay = stage.makeBluejay()
        bluejay.start()
        try await stage.expect("the sensor") { done in
            bluejay.scan { _ in
                done()
                return .stop
            } stopped: { _ in
            }
        }
        try stage.perform { $0.apply(.otherProgramConnects(Heart.address)) }
        try await stage.clock.sleep(for: .seconds(5))
        #expect(try isSensorConnected)
    }

    @Test("Releasing with ifLocal keeps a link that the peer opened", .simulatedBlueZ)
    func openedByPeer() async throws {
        let (server, phone) = try await connectedCentral()
        let leases = try await Leases()
        let lease = try await leases.lease(phone.address)
        #expect(lease.link.isUp)
        try await leases.release(lease, cutting: .ifLocal)
        #expect(!lease.link.isUp)
        #expect(try await phone.read("FFE1") == [1])
        withExtendedLifetime(server) {}
    }

    @Test(
        "Releasing a link of another program drops it only with always",
        .simulatedBlueZ { $0.add(.heartRateSensor()) },
        arguments: [(DisconnectPolicy.ifLocal, true), (.never, true), (.always, false)]
    )
    func openedByOthers(cut: DisconnectPolicy, stays: Bool) async throws {
        try await otherProgramConnects()
        let leases = try await Leases()
        try await leases.release(try await leases.lease(Heart.address), cutting: cut)
        #expect(try isSensorConnected == stays)
    }

    @Test(
        "Releasing a link that was opened locally drops it with ifLocal and keeps it with never",
        .simulatedBlueZ { $0.add(.heartRateSensor()) },
        arguments: [(DisconnectPolicy.ifLocal, false), (.never, true)]
    )
    func dialled(cut: DisconnectPolicy, stays: Bool) async throws {
        let leases = try await Leases()
        try await leases.release(try await leases.lease(Heart.address), cutting: cut)
        #expect(try isSensorConnected == stays)
    }

    @Test(
        "Of two leases, only the last release drops the link",
        .simulatedBlueZ { $0.add(.heartRateSensor()) }
    )
    func twoLeases() async throws {
        let leases = try await Leases()
        let first = try await leases.lease(Heart.address)
        let last = try await leases.lease(Heart.address)
        try await leases.release(first, cutting: .ifLocal)
        #expect(try isSensorConnected)
        #expect(last.link.isUp)
        try await leases.release(last, cutting: .ifLocal)
        #expect(try !isSensorConnected)
    }

    @Test(
        "A connect that times out keeps a link of another program unless it drops always",
        .simulatedBlueZ { $0.add(.heartRateSensor()) },
        arguments: [(DisconnectPolicy.ifLocal, true), (.always, false)]
    )
    func timesOut(cut: DisconnectPolicy, stays: Bool) async throws {
        try await otherProgramConnects()
        let leases = try await Leases()
        try TestWorld.current.perform { $0.apply(.callsHeld("StartNotify")) }
        let link = try leases.link(to: Heart.address)
        var lease: LinkLease?
        let result = await withCheckedContinuation { continuation in
            lease = link.connect(within: .seconds(1)) { continuation.resume(returning: $0) }
            lease?.disconnectPolicy = cut
        }
        #expect(result.failure == .timedOut)
        try await TestWorld.current.clock.sleep(for: .seconds(5))
        #expect(try isSensorConnected == stays)
        withExtendedLifetime(lease) {}
    }
}

extension Result {
    fileprivate var failure: Failure? {
        guard case .failure(let error) = self else { return nil }
        return error
    }
}
