import BluejayCore
import BluejayGLib
import BluejaySimulator
import Foundation
import TestSupport
import Testing

@testable import PocketMesh

@Suite("A radio whose loop stops", .timeLimit(.minutes(3)))
struct EndedLoopTests {
    private static func stop(_ loop: MainLoop) async throws {
        loop.stop()
        try await wait { loop.context.hasEnded }
    }

    private static func expectNothingUp(
        _ radio: BLEStateMachine,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        #expect(await !radio.isConnected, sourceLocation: sourceLocation)
        #expect(await radio.currentPhase == .idle, sourceLocation: sourceLocation)
        #expect(await radio.connectedDeviceID == nil, sourceLocation: sourceLocation)
        #expect(await !radio.isAutoReconnecting, sourceLocation: sourceLocation)
        #expect(await radio.bluetoothState == .unknown, sourceLocation: sourceLocation)
    }

    /// Everything that begins after the end ends at once.
    private static func expectLater(_ stage: RadioStage, _ radio: BLEStateMachine) async throws {
        let transport = iOSBLETransport(deviceID: RadioStage.device, stateMachine: radio)
        let manager = ConnectionManager(transport: transport)
        let session = MeshCoreSession(transport: transport)
        let calls = AwaitedCalls()
        calls.begin("connect") { _ = try await radio.connect(to: RadioStage.device) }
        calls.begin("switchDevice") { _ = try await radio.switchDevice(to: RadioStage.device) }
        calls.begin("waitForPoweredOn") { try await radio.waitForPoweredOn() }
        calls.begin("send") { try await radio.send(Data([1])) }
        calls.begin("phases") { for await _ in await radio.phases {} }
        calls.begin("activate") { await radio.activate() }
        calls.begin("startScanning") { await radio.startScanning() }
        calls.begin("disconnect") { await radio.disconnect() }
        calls.begin("shutdown") { await radio.shutdown() }
        calls.begin("transport connect") { try await transport.connect() }
        calls.begin("transport send") { try await transport.send(Data([1])) }
        calls.begin("receivedData") { for await _ in await transport.receivedData {} }
        calls.begin("transport disconnect") { await transport.disconnect() }
        calls.begin("states") { for await _ in await manager.states {} }
        calls.begin("manager connect") { try await manager.connect(to: RadioStage.device) }
        calls.begin("manager disconnect") { await manager.disconnect() }
        calls.begin("session start") { try await session.start() }
        calls.begin("packets") { for await _ in session.packets {} }
        calls.begin("session stop") { await session.stop() }
        try await expectLater(BLETransport(deviceID: RadioStage.device, host: radio.host), calls)
        for name in ["connect", "waitForPoweredOn", "transport connect", "manager connect"] {
            #expect(
                calls.error(of: name) as? BLEError == .bluetoothUnavailable(.unknown),
                "\(name): \(String(describing: calls.error(of: name)))"
            )
        }
        await expectNothingUp(radio)
        #expect(await manager.connectionState == .disconnected)
    }

    private static func expectLater(_ transport: BLETransport, _ calls: AwaitedCalls) async throws {
        calls.begin("simple connect") { try await transport.connect() }
        calls.begin("simple send") { try await transport.send(Data([1])) }
        calls.begin("simple data") { for await _ in await transport.receivedData {} }
        calls.begin("simple disconnect") { await transport.disconnect() }
        #expect(try await calls.hanging() == [])
        #expect(await !transport.isConnected)
    }

    @Test("The end of the loop ends the connection, its streams, the waiting calls and the states")
    func connected() async throws {
        try await RadioStage.play { stage in
            let radio = stage.radio
            let transport = iOSBLETransport(deviceID: RadioStage.device, stateMachine: radio)
            let manager = ConnectionManager(transport: transport)
            try await manager.connect(to: RadioStage.device)
            let session = await manager.session
            let data = await transport.receivedData
            await stage.on { $0.hold(.write, of: tx) }
            let calls = AwaitedCalls()
            calls.begin("phases") { for await _ in await radio.phases {} }
            calls.begin("states") { for await _ in await manager.states {} }
            calls.begin("packets") { if let session { for await _ in session.packets {} } }
            calls.begin("receivedData") { for await _ in data {} }
            calls.begin("send") { try await radio.send(Data([1])) }
            try await wait { await stage.heldCount(.write, of: tx) == 1 }
            try await Self.stop(radio.host.mainLoop)
            #expect(try await calls.hanging() == [])
            await Self.expectNothingUp(radio)
            #expect(await manager.connectionState == .disconnected)
            try await Self.expectLater(stage, radio)
        }
    }

    @Test("A transport with its own state machine ends with its loop")
    func transport() async throws {
        try await RadioStage.play { stage in
            let loop = MainLoop(threadName: "transport")
            let transport = BLETransport(
                deviceID: RadioStage.device,
                host: BluetoothHost(mainLoop: loop, busAddress: stage.system.busAddress)
            )
            try await stage.see()
            try await transport.connect()
            let calls = AwaitedCalls()
            let data = await transport.receivedData
            calls.begin("data") { for await _ in data {} }
            try await Self.stop(loop)
            #expect(try await calls.hanging() == [])
            #expect(await !transport.isConnected)
            try await Self.expectLater(transport, calls)
        }
    }

    @Test("The end of the loop ends the scan and the calls that wait for bluetoothd")
    func frozen() async throws {
        try await RadioStage.play { stage in
            let radio = stage.radio
            await stage.system.perform { $0.apply(.daemonFrozen(for: .seconds(10_000))) }
            let calls = AwaitedCalls()
            calls.begin("waitForPoweredOn") { try await radio.waitForPoweredOn() }
            calls.begin("connect") { _ = try await radio.connect(to: RadioStage.device) }
            calls.begin("phases") { for await _ in await radio.phases {} }
            await radio.startScanning()
            try await wait { await radio.currentPhase != .idle }
            try await Self.stop(radio.host.mainLoop)
            #expect(try await calls.hanging() == [])
            try await Self.expectLater(stage, radio)
        }
    }

    @Test("A disconnect that waits for bluetoothd ends with the loop")
    func disconnecting() async throws {
        try await RadioStage.play { stage in
            let radio = stage.radio
            _ = try await radio.connect(to: RadioStage.device)
            await stage.system.perform { $0.apply(.daemonFrozen(for: .seconds(10_000))) }
            let calls = AwaitedCalls()
            calls.begin("disconnect") { await radio.disconnect() }
            try await stage.wait(for: "disconnecting")
            try await Self.stop(radio.host.mainLoop)
            #expect(try await calls.hanging() == [])
            try await Self.expectLater(stage, radio)
        }
    }

    @Test("Calls after the end of the loop fail at once")
    func late() async throws {
        try await RadioStage.play { stage in
            try await Self.stop(stage.radio.host.mainLoop)
            try await Self.expectLater(stage, stage.radio)
        }
    }
}
