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
        #expect(defaults.phaseTimeouts == PhaseStateMachine.Timeouts())
        #expect(defaults.phaseTimeouts.connectionTimeout == .seconds(10))
        #expect(defaults.phaseTimeouts.discoveryTimeout == .seconds(40))
        #expect(defaults.writes.timeout == .seconds(5))
        #expect(defaults.writes.pacing == .zero)
        #expect(defaults.restoreIdentifier == "com.pocketmesh.ble.central")
    }

    @Test("The handlers receive losses, reconnections and changes of Bluetooth")
    func handlers() async throws {
        try await Field.play { field in
            let device = Field.device
            _ = try await field.radio.connect(to: device)
            await Guide.handleDisconnection(of: field.radio)
            await Guide.handleReconnection(of: field.radio)
            await Guide.handleAutoReconnecting(of: field.radio)
            await Guide.handleBluetooth(of: field.radio)
            await field.on { $0.dropLink() }
            try await wait { logger.lines.contains("info: Device \(device) reconnected") }
            await field.setPowered(false)
            try await wait { logger.lines.contains { $0.hasPrefix("warning: Device \(device)") } }
            await field.setPowered(true)
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
        try await Field.play { field in
            _ = try await field.radio.connect(to: Field.device)
            let transport = Guide.Transport(field.radio)
            let journal = field.journal
            await transport.setReconnectionHandler { _ in
                Task { journal.note("its stream: \(await transport.hasStream)") }
            }
            await field.on { $0.dropLink() }
            try await journal.wait(for: "its stream: true")
        }
    }

    @Test("The manager of the document wires its services again over the library's transport")
    func manager() async throws {
        try await Field.play { field in
            let transport = iOSBLETransport(deviceID: Field.device, stateMachine: field.radio)
            let manager = Guide.Manager(transport)
            await manager.rewire()
            try await transport.connect()
            await field.on { $0.dropLink() }
            try await wait { await manager.reconnected == [Field.device] }
            #expect(await transport.isConnected)
        }
    }
}
