import Bluejay
import BluejayDBus
import BluejaySimulator
import TestSupport
import Testing

@testable import BluejayGATTServer

/// Tests `CentralTracker`.
@Suite("Centrals of a server", .timeLimit(.minutes(15)))
struct CentralTests {
    static let phone = "C4:7C:8D:6A:1F:02"

    @Test("A central is reported from its connection to its disconnection, in order")
    func comesAndGoes() async throws {
        try await World.withServer { world in
            await world.run { $0.noteCentrals() }
            await world.run { $0.daemon?.setConnected(true) }
            #expect(
                await world.wait(for: "central \(Self.phone) came") == [
                    "phone connected", "central \(Self.phone) came",
                ]
            )
            let server = try #require(await world.run { $0.server })
            #expect(server.centrals.map(\.address) == [Self.phone])
            await world.run { $0.daemon?.setConnected(false) }
            #expect(
                await world.wait(for: "phone disconnected") == [
                    "central \(Self.phone) left", "phone disconnected",
                ]
            )
            #expect(server.centrals.isEmpty)
        }
    }

    @Test("Pairing reveals a central's identity address, which then identifies the same central")
    func identified() async throws {
        try await World.withServer { world in
            await world.run { $0.noteCentrals() }
            await world.publish(PublishingTests.plain)
            await world.run { $0.daemon?.setConnected(true) }
            await world.wait(for: "central \(Self.phone) came")
            await world.run { $0.daemon?.setAddress("D0:00:00:00:00:01", "public") }
            #expect(
                await world.wait(for: "central \(Self.phone) is D0:00:00:00:00:01").count == 1
            )
            let server = try #require(await world.run { $0.server })
            #expect(server.centrals.map(\.address) == ["D0:00:00:00:00:01"])
            #expect(server.centrals.map(\.isRandomAddress) == [false])
            #expect(server.connectedDevices == server.centrals)
            await world.run { $0.daemon?.setConnected(false) }
            await world.wait(for: "central D0:00:00:00:00:01 left")
        }
    }

    @Test("Two centrals with the same address of different types are distinct")
    func oneAddress() async throws {
        try await World.withServer { world in
            await world.run { $0.noteCentrals() }
            let other = FakeDaemon.Device(
                path: "/org/bluez/hci0/dev_second",
                kind: "public",
                name: "tablet"
            )
            await world.run { world in
                world.daemon?.setConnected(true)
                world.daemon?.setConnected(true, other)
            }
            await world.wait(for: "tablet connected")
            await world.wait(for: "central \(Self.phone) came")
            let server = try #require(await world.run { $0.server })
            #expect(server.centrals.map(\.name) == ["phone", "tablet"])
            #expect(Set(server.centrals).count == 2)
            await world.run { $0.daemon?.setConnected(false) }
            await world.wait(for: "phone disconnected")
            #expect(server.centrals.map(\.isRandomAddress) == [false])
        }
    }

    @Test("A central connected to a restarted bluetoothd is reported again")
    func restart() async throws {
        try await World.withServer { world in
            await world.run { $0.noteCentrals() }
            await world.run { $0.daemon?.setConnected(true) }
            await world.wait(for: "central \(Self.phone) came")
            await world.killDaemon()
            #expect(
                await world.wait(for: "phone disconnected").contains("central \(Self.phone) left")
            )
            try await world.startDaemon()
            await world.run { $0.daemon?.setConnected(true) }
            await world.wait(for: "central \(Self.phone) came")
        }
    }

    @Test("A server stopped in a callback still makes the remaining reports in order, once each")
    func stopped() async throws {
        try await World.withServer { world in
            await world.run { world in
                world.server?.onCentralChange = { [weak world] change in
                    world?.note(change)
                    if case .came = change { world?.server?.stop { world?.note("stopped") } }
                }
                world.daemon?.setConnected(true)
            }
            #expect(
                await world.wait(for: "stopped") == [
                    "phone connected", "central \(Self.phone) came", "central \(Self.phone) left",
                    "phone disconnected", "stopped",
                ]
            )
        }
    }
}
