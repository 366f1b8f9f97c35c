import BluejaySimulator
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PocketMesh

@Suite("The transport and the connection manager of an app", .timeLimit(.minutes(15)))
struct ManagerTests {
    @Test(
        "A transport connects, sends and receives, and has the new stream when its handler is called"
    )
    func transport() async throws {
        try await RadioStage.play { stage in
            let transport = iOSBLETransport(deviceID: RadioStage.device, stateMachine: stage.radio)
            #expect(await transport.isConnected == false)
            #expect(await transport.receivedData.all().isEmpty)
            let journal = stage.journal
            await transport.setReconnectionHandler { device in
                // The stream that the transport holds during this callback.
                let stream = transport.assumeIsolated { $0.receivedData }
                journal.note("again \(device == RadioStage.device)")
                Task { for await value in stream { journal.note("new \(Array(value))") } }
            }
            try await transport.connect()
            try await transport.connect()
            let first = await transport.receivedData
            await stage.send([1])
            var iterator = first.makeAsyncIterator()
            #expect(await iterator.next() == Data([1]))
            try await transport.send(Data([2]))
            #expect(await stage.written() == [[2]])
            await stage.on { $0.dropLink() }
            try await journal.wait(for: "again true")
            #expect(await iterator.next() == nil)
            await stage.send([3])
            try await journal.wait(for: "new [3]")
            try await stage.wait(for: "connected")
            await transport.disconnect()
            #expect(await transport.receivedData.all().isEmpty)
            let error = await failure { try await transport.send(Data([4])) }
            #expect(error as? BLEError == .notConnected)
        }
    }

    @Test("A transport without a device cannot connect; the end of a connection is reported")
    func withoutDevice() async throws {
        try await RadioStage.play { stage in
            let transport = BlueZTransport(stateMachine: stage.radio)
            let error = await failure { try await transport.connect() }
            #expect(error as? BLEError == .deviceNotFound)
            let journal = stage.journal
            await transport.setDisconnectionHandler { _, error in
                journal.note("over \((error as? BLEError).map(caseName) ?? "")")
            }
            await transport.setDeviceID(RadioStage.device)
            try await transport.connect()
            await stage.setPowered(false)
            try await journal.wait(for: "over bluetoothPoweredOff")
        }
    }

    @Test("A manager passes through its four states, and wires the services of each connection")
    func states() async throws {
        try await RadioStage.play { stage in
            let managed = await Managed(stage)
            try await managed.manager.connect(to: RadioStage.device)
            #expect(await managed.manager.connectionState == .ready)
            try await managed.states.wait(for: "ready")
            #expect(managed.states.lines == ["disconnected", "connecting", "connected", "ready"])
            #expect(managed.wired.lines == ["wired"])
            try await wait { await stage.written().first?.starts(with: [1, 3]) == true }
            await stage.on { $0.dropLink() }
            try await managed.states.wait(for: "ready", count: 2)
            #expect(managed.states.lines.suffix(3) == ["connecting", "connected", "ready"])
            #expect(managed.wired.lines == ["wired", "wired"])
            // The handler has already run for this reconnection, so this call has no effect.
            await managed.manager.handleReconnection(deviceID: RadioStage.device)
            #expect(managed.wired.lines.count == 2)
            await managed.manager.disconnect()
            #expect(await managed.manager.connectionState == .disconnected)
            #expect(await managed.manager.session == nil)
            #expect(await stage.radio.currentPhase == .idle)
        }
    }

    @Test(
        "A loss of Bluetooth disconnects the manager, which is ready again when Bluetooth returns"
    )
    func bluetoothGoes() async throws {
        try await RadioStage.play { stage in
            let managed = await Managed(stage)
            try await managed.manager.connect(to: RadioStage.device)
            await stage.setPowered(false)
            try await managed.states.wait(for: "disconnected", count: 2)
            await stage.setPowered(true)
            try await managed.states.wait(for: "ready", count: 2)
        }
    }

    @Test("A manager without a device also wires the services of a restored connection")
    func restored() async throws {
        try await RadioStage.play { stage in
            try await stage.see()
            try stage.remember(RadioStage.device)
            await stage.radio.shutdown()
            let radio = BLEStateMachine(stage.radio.settings, host: stage.radio.host)
            let managed = await Managed(stage, radio)
            await radio.activate()
            try await managed.states.wait(for: "ready")
            #expect(managed.wired.lines == ["wired"])
            await managed.manager.disconnect()
        }
    }

    @Test(
        "A failed wiring ends the connection: a connect throws, and a reconnection reports"
    )
    func wiringFails() async throws {
        try await RadioStage.play { stage in
            let managed = await Managed(stage)
            managed.fails.isSet = true
            let error = await failure { try await managed.manager.connect(to: RadioStage.device) }
            #expect(error as? BLEError == .writeError("no services"))
            #expect(await stage.radio.currentPhase == .idle)
            try await managed.states.wait(for: "disconnected", count: 2)
            managed.fails.isSet = false
            try await managed.manager.connect(to: RadioStage.device)
            managed.fails.isSet = true
            await stage.on { $0.dropLink() }
            try await stage.journal.wait(for: "gone writeError")
            try await managed.states.wait(for: "disconnected", count: 3)
            try await wait { await !stage.isLinked() }
        }
    }

    @Test("A connection lost during the wiring throws, and reconnects")
    func lostWhileWiring() async throws {
        try await RadioStage.play(holds: true) { stage in
            let managed = await Managed(stage)
            await stage.on { $0.hold(.write, of: tx) }
            let call = Task { try await managed.manager.connect(to: RadioStage.device) }
            try await wait { await stage.heldCount(.write, of: tx) == 1 }
            await stage.on {
                $0.dropLink()
                $0.release(.write, of: tx)
            }
            await #expect(throws: BLEError.notConnected) { try await call.value }
            try await managed.states.wait(for: "ready")
        }
    }

    @Test("Concurrent connects wire the services once, and complete together")
    func wiresOnce() async throws {
        for isRight in [true, false] {
            try await RadioStage.play(holds: true) { stage in
                let managed = await Managed(stage)
                managed.fails.isSet = !isRight
                await stage.on { $0.hold(.write, of: tx) }
                let first = Task { try await managed.manager.connect(to: RadioStage.device) }
                try await wait { await stage.heldCount(.write, of: tx) == 1 }
                let others = (0..<3).map { _ in
                    Task { try await managed.manager.connect(to: RadioStage.device) }
                }
                others[2].cancel()
                await #expect(throws: CancellationError.self) { try await others[2].value }
                await stage.on { $0.release(.write, of: tx) }
                for call in [first] + others.prefix(2) {
                    let error = await failure { try await call.value }
                    let expected = isRight ? nil : BLEError.writeError("no services")
                    #expect(error as? BLEError == expected)
                }
                #expect(managed.wired.lines.count == (isRight ? 1 : 0))
                #expect(await stage.written().count == 1)
            }
        }
    }

    @Test("The session is nil while the link is lost")
    func noDeadSession() async throws {
        try await RadioStage.play { stage in
            let managed = await Managed(stage)
            try await managed.manager.connect(to: RadioStage.device)
            let first = try #require(await managed.manager.session)
            await stage.on { $0.leaveRange() }
            try await managed.states.wait(for: "connecting", count: 2)
            #expect(await managed.manager.session == nil)
            await stage.on { $0.returnToRange() }
            try await managed.states.wait(for: "ready", count: 2)
            #expect(await managed.manager.session.map { $0 !== first } == true)
        }
    }

    @Test("The states end with the manager, and with the shutdown of its state machine")
    func statesEnd() async throws {
        try await RadioStage.play { stage in
            let transport = iOSBLETransport(stateMachine: stage.radio)
            var manager: ConnectionManager? = ConnectionManager(transport: transport)
            let early = try #require(await manager?.states)
            try await manager?.connect(to: RadioStage.device)
            await stage.radio.shutdown()
            var states: [ConnectionState] = []
            for await state in early { states.append(state) }
            #expect(states == [.disconnected, .connecting, .connected, .ready, .disconnected])
            let late = try #require(await manager?.states)
            manager = nil
            for await _ in late {}
        }
    }

    @Test("The received values end with the transport")
    func valuesEnd() async throws {
        var mock: MockTransport? = MockTransport()
        let simulated = try #require(await mock?.receivedData)
        mock = nil
        #expect(await simulated.all().isEmpty)
        try await RadioStage.play { stage in
            let host = stage.radio.host
            var simple: BLETransport? = BLETransport(deviceID: RadioStage.device, host: host)
            try await simple?.connect()
            let values = try #require(await simple?.receivedData)
            simple = nil
            #expect(await values.all().isEmpty)
        }
    }

    // MARK: The simple transport

    @Test("The simple transport connects, sends and receives, and does not reconnect")
    func simple() async throws {
        try await RadioStage.play { stage in
            let transport = BLETransport(deviceID: RadioStage.device, host: stage.radio.host)
            try await transport.connect()
            #expect(await transport.isConnected)
            let stream = await transport.receivedData
            for value in [[1], [], [2]] as [[UInt8]] { await stage.send(value) }
            try await transport.send(Data([3]))
            #expect(await stage.written() == [[3]])
            var iterator = stream.makeAsyncIterator()
            #expect(await iterator.next() == Data([1]))
            #expect(await iterator.next() == Data([2]))
            await stage.on { $0.dropLink() }
            #expect(await iterator.next() == nil)
            try await wait { await !transport.isConnected }
            let error = await failure { try await transport.send(Data([4])) }
            #expect(error as? BLEError == .notConnected)
            #expect(await !stage.isLinked())
            try await transport.connect()
            try await transport.send(Data([5]))
            await transport.disconnect()
            await transport.disconnect()
            #expect(await !stage.isLinked())
            #expect(await transport.receivedData.all().isEmpty)
        }
    }

    @Test("The simple transport fails with the same errors as the other transports")
    func simpleFails() async throws {
        try await RadioStage.play { stage in
            let host = stage.radio.host
            let none = BLETransport(deviceID: UUID(), host: host)
            await #expect(throws: BLEError.deviceNotFound) { try await none.connect() }
            let sent = await failure { try await none.send(Data([1])) }
            #expect(sent as? BLEError == .notConnected)
            let transport = BLETransport(deviceID: RadioStage.device, host: host)
            await stage.on { $0.removeService(NordicUART.serviceUUID.uuidString) }
            let missing = await failure { try await transport.connect() }
            #expect(missing as? BLEError == .characteristicNotFound)
            try await wait { await !stage.isLinked() }
            await stage.setPowered(false)
            let off = await failure { try await transport.connect() }
            #expect(off as? BLEError == .bluetoothPoweredOff)
        }
    }
}

private final class Managed: Sendable {
    let manager: ConnectionManager
    let states = Journal()
    let wired = Journal()
    let fails: Flag

    init(_ stage: RadioStage, _ other: BLEStateMachine? = nil) async {
        let (states, wired, fails) = (states, wired, Flag())
        self.fails = fails
        manager = ConnectionManager(
            transport: iOSBLETransport(stateMachine: other ?? stage.radio)
        ) { _ in
            if fails.isSet { throw BLEError.writeError("no services") }
            wired.note("wired")
        }
        let stream = await manager.states
        Task { for await state in stream { states.note("\(state)") } }
    }
}

private final class Flag: Sendable {
    private let stored = Mutex(false)
    var isSet: Bool {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }
}
