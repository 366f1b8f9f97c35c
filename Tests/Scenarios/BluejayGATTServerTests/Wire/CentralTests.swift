import Bluejay
import BluejayDBus
import BluejaySimulator
import TestSupport
import TestTraits
import Testing

@testable import BluejayGATTServer

/// Tests `CentralTracker`.
@Suite("Centrals of a server", .timeLimit(.minutes(15)))
struct CentralTests {
    static let phone = "C4:7C:8D:6A:1F:02"

    @Test("A central is reported from its connection to its disconnection, in order")
    func comesAndGoes() async throws {
        try await ServerStage.withServer { stage in
            await stage.run { $0.noteCentrals() }
            await stage.run { $0.daemon?.setConnected(true) }
            #expect(
                await stage.wait(for: "central \(Self.phone) came") == [
                    "phone connected", "central \(Self.phone) came",
                ]
            )
            let server = try #require(await stage.run { $0.server })
            #expect(server.centrals.map(\.address) == [Self.phone])
            await stage.run { $0.daemon?.setConnected(false) }
            #expect(
                await stage.wait(for: "phone disconnected") == [
                    "central \(Self.phone) left", "phone disconnected",
                ]
            )
            #expect(server.centrals.isEmpty)
        }
    }

    @Test(
        "Pairing reveals a central's identity address, which then identifies the same central",
        .pitfall(.privateAddresses)
    )
    func identified() async throws {
        try await ServerStage.withServer { stage in
            await stage.run { $0.noteCentrals() }
            await stage.publish(PublishingTests.plain)
            await stage.run { $0.daemon?.setConnected(true) }
            await stage.wait(for: "central \(Self.phone) came")
            await stage.run { $0.daemon?.setAddress("D0:00:00:00:00:01", "public") }
            #expect(
                await stage.wait(for: "central \(Self.phone) is D0:00:00:00:00:01").count == 1
            )
            let server = try #require(await stage.run { $0.server })
            #expect(server.centrals.map(\.address) == ["D0:00:00:00:00:01"])
            #expect(server.centrals.map(\.isRandomAddress) == [false])
            #expect(server.connectedDevices == server.centrals)
            await stage.run { $0.daemon?.setConnected(false) }
            await stage.wait(for: "central D0:00:00:00:00:01 left")
        }
    }

    @Test("Two centrals with the same address of different types are distinct")
    func oneAddress() async throws {
        try await ServerStage.withServer { stage in
            await stage.run { $0.noteCentrals() }
            let other = FakeDaemon.Device(
                path: "/org/bluez/hci0/dev_second",
                kind: "public",
                name: "tablet"
            )
            await stage.run { stage in
                stage.daemon?.setConnected(true)
                stage.daemon?.setConnected(true, other)
            }
            await stage.wait(for: "tablet connected")
            await stage.wait(for: "central \(Self.phone) came")
            let server = try #require(await stage.run { $0.server })
            #expect(server.centrals.map(\.name) == ["phone", "tablet"])
            #expect(Set(server.centrals).count == 2)
            await stage.run { $0.daemon?.setConnected(false) }
            await stage.wait(for: "phone disconnected")
            #expect(server.centrals.map(\.isRandomAddress) == [false])
        }
    }

    @Test("A central connected to a restarted bluetoothd is reported again")
    func restart() async throws {
        try await ServerStage.withServer { stage in
            await stage.run { $0.noteCentrals() }
            await stage.run { $0.daemon?.setConnected(true) }
            await stage.wait(for: "central \(Self.phone) came")
            await stage.killDaemon()
            #expect(
                await stage.wait(for: "phone disconnected").contains("central \(Self.phone) left")
            )
            try await stage.startDaemon()
            await stage.run { $0.daemon?.setConnected(true) }
            await stage.wait(for: "central \(Self.phone) came")
        }
    }

    @Test("A server stopped in a callback still makes the remaining reports in order, once each")
    func stopped() async throws {
        try await ServerStage.withServer { stage in
            await stage.run { stage in
                stage.server?.onCentralChange = { [weak stage] change in
                    stage?.note(change)
                    if case .came = change { stage?.server?.stop { stage?.note("stopped") } }
                }
                stage.daemon?.setConnected(true)
            }
            #expect(
                await stage.wait(for: "stopped") == [
                    "phone connected", "central \(Self.phone) came", "central \(Self.phone) left",
                    "phone disconnected", "stopped",
                ]
            )
        }
    }
}
