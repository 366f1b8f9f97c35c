import BluejaySimulator
import Foundation
import TestSupport
import Testing

@testable import PocketMesh

@Suite("The code of the document with the library", .timeLimit(.minutes(15)))
struct GuideTests {
    @Test("The mock test of the document sends and receives the expected values")
    func mock() async throws {
        let (mock, session) = try await Guide.testWithMock(Data([9]))
        #expect(await mock.sentData.isEmpty)
        await mock.disconnect()
        #expect(await session.packets.all() == [[9], [0], [0, 42, 0, 0, 0], [1, 1]])
    }

    @Test("A transport for the document's protocol also conforms to the library's")
    func adapter() async throws {
        let mock = MockTransport()
        let session = MeshCoreSession(transport: GuideAdapter(transport: mock))
        try await session.start()
        #expect(await mock.sentData.count == 1)
    }

    @Test("The timeouts of the document are those of the state machine, and its defaults, too")
    func times() async {
        let its = Guide.makeStateMachine().settings
        #expect(its.connectionTimeout == .seconds(15))
        #expect(its.serviceDiscoveryTimeout == .seconds(60))
        #expect(its.writeTimeout == .seconds(10))
        let defaults = BLEStateMachine().settings
        var expected = RadioSettings()
        expected.restoreIdentifier = "com.pocketmesh.ble.central"
        #expect(defaults == expected)
        #expect(defaults.connectionTimeout == .seconds(10))
        #expect(defaults.serviceDiscoveryTimeout == .seconds(40))
        #expect(defaults.writeTimeout == .seconds(5))
        #expect(defaults.writePacingDelay == .zero)
    }

    @Test("The handlers receive losses, reconnections and changes of Bluetooth")
    func handlers() async throws {
        try await RadioStage.play { stage in
            let device = RadioStage.device
            _ = try await stage.radio.connect(to: device)
            await Guide.handleDisconnection(of: stage.radio)
            await Guide.handleReconnection(of: stage.radio)
            await Guide.handleAutoReconnecting(of: stage.radio)
            await Guide.handleBluetooth(of: stage.radio)
            await stage.on { $0.dropLink() }
            try await wait { logger.lines.contains("info: Device \(device) reconnected") }
            await stage.setPowered(false)
            try await wait { logger.lines.contains { $0.hasPrefix("warning: Device \(device)") } }
            await stage.setPowered(true)
            try await wait { logger.lines.filter { $0.hasSuffix("reconnected") }.count == 2 }
            let off = "the Bluetooth adapter is switched off; run `bluetoothctl power on`"
            #expect(
                logger.lines == [
                    "info: Device \(device) entering auto-reconnect",
                    "info: Device \(device) reconnected",
                    "warning: Bluetooth powered off",
                    "warning: Device \(device) disconnected: \(off)",
                    "info: Bluetooth powered on", "info: Bluetooth ready",
                    "info: Device \(device) reconnected",
                ]
            )
        }
    }

    @Test("The transport of the document has the new stream before its handler is called")
    func transport() async throws {
        try await RadioStage.play { stage in
            _ = try await stage.radio.connect(to: RadioStage.device)
            let transport = Guide.Transport(stage.radio)
            let journal = stage.journal
            await transport.setReconnectionHandler { _ in
                Task { journal.note("its stream: \(await transport.hasStream)") }
            }
            await stage.on { $0.dropLink() }
            try await journal.wait(for: "its stream: true")
        }
    }

    @Test("The manager of the document wires its services again over the library's transport")
    func manager() async throws {
        try await RadioStage.play { stage in
            let transport = iOSBLETransport(deviceID: RadioStage.device, stateMachine: stage.radio)
            let manager = Guide.Manager(transport)
            await manager.rewire()
            try await transport.connect()
            await stage.on { $0.dropLink() }
            try await wait { await manager.reconnected == [RadioStage.device] }
            #expect(await transport.isConnected)
        }
    }
}
