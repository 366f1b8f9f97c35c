import Bluejay
import BluejayAsync
import BluejayGATTServer
import BluejaySimulator
import Foundation
import TestSupport
import Testing

/// A class of the main actor, as an app has one; its `Bluejay` runs on a loop with its own thread.
@MainActor
private final class Model {
    private(set) var events: [String] = []
    private(set) var values: [UInt8] = []
    private let bluejay: Bluejay
    /// The decision of the disconnect handler.
    private let mode: AutoReconnectMode

    init(_ bluejay: Bluejay, _ mode: AutoReconnectMode = .noChange) {
        self.bluejay = bluejay
        self.mode = mode
    }

    func observe() {
        bluejay.register(connectionObserver: self)
        bluejay.registerDisconnectHandler(handler: self)
    }

    func find() {
        bluejay.scan(serviceIdentifiers: [service]) { discovery, discoveries in
            self.events.append("discovered \(discoveries.count)")
            return .connect(discovery) { _ in self.events.append("connect completed") }
        } stopped: { _, _ in
            self.events.append("stopped")
        }
    }

    func watch() {
        bluejay.watch(for: .anyService([service])) { event in
            guard case .found = event else { return .continue }
            self.events.append("found")
            return .stop
        } stopped: { _ in
            self.events.append("stopped")
        }
    }

    func listen() {
        bluejay.listen(to: measurement) { (result: ReadResult<UInt8>) in
            if case .success(let value) = result { self.values.append(value) }
        } installed: {
            self.events.append("installed")
        }
    }

    func read() {
        bluejay.read(from: quick) { (result: ReadResult<UInt8>) in
            self.events.append("read \(result)")
        }
        bluejay.write(to: control, value: UInt8(7)) { _ in self.events.append("written") }
    }

    func runTask() {
        bluejay.run { _ in
        } completionOnMainThread: { (result: RunResult<Void>) in
            self.events.append("task \(result)")
        }
    }

    func endListen() {
        bluejay.endListen(to: measurement) { _ in self.events.append("listen ended") }
    }
}

extension Model: @MainActor ConnectionObserver {
    func connected(to peripheral: PeripheralIdentifier) { events.append("connected") }
    func disconnected(from peripheral: PeripheralIdentifier) { events.append("disconnected") }
}

extension Model: @MainActor DisconnectHandler {
    func didDisconnect(
        from peripheral: PeripheralIdentifier,
        with error: (any Error)?,
        willReconnect autoReconnect: Bool
    ) -> AutoReconnectMode {
        events.append("handler \(autoReconnect)")
        return mode
    }
}

/// An actor with its own executor.
private actor Gateway {
    private(set) var events: [String] = []
    private let bluejay: Bluejay
    private let server: GATTServer

    init(_ bluejay: Bluejay, _ server: GATTServer) {
        self.bluejay = bluejay
        self.server = server
    }

    func find() {
        bluejay.scan(serviceIdentifiers: [service]) { discovery in
            self.events.append("discovered")
            return .connect(discovery) { _ in self.events.append("connect completed") }
        } stopped: { _ in
            self.events.append("stopped")
        }
    }

    func read() {
        bluejay.read(from: quick) { (result: ReadResult<UInt8>) in
            self.assertIsolated()
            self.events.append("read")
        }
    }

    func serve() {
        server.onStateChange = { state in
            self.assertIsolated()
            self.events.append("\(state == .poweredOn)")
        }
        server.start()
        server.add(LocalService(uuid: BluetoothUUID(uint16: 0x1815), characteristics: [])) { _ in
            self.assertIsolated()
            self.events.append("added")
        }
    }
}

@Suite("Isolation of callbacks", .timeLimit(.minutes(15)))
struct CallbackIsolationTests {
    @Test("Callbacks of a class on the main actor run there, in order")
    func mainActor() async throws {
        let stage = try await AsyncStage()
        let model = await Model(stage.bluejay)
        await model.observe()
        await model.find()
        try await wait { await model.events.count >= 4 }
        let found = await model.events
        #expect(found == ["discovered 1", "stopped", "connect completed", "connected"])
        await model.listen()
        try await wait { await model.events.last == "installed" }
        for value in 0..<UInt8(200) { try await stage.send([value]) }
        try await wait { await model.values.count == 200 }
        #expect(await model.values == Array(0..<200))
        await model.endListen()
        try await wait { await model.events.last == "listen ended" }
        await model.read()
        try await wait { await model.events.last == "written" }
        await model.runTask()
        try await wait { await model.events.last == "task success()" }
        let last = await model.events.suffix(3)
        #expect(last == ["read success(1)", "written", "task success()"])
    }

    @Test("A class on the main actor receives watch events and can stop the watch")
    func watch() async throws {
        let stage = try await AsyncStage()
        let model = await Model(stage.bluejay)
        await model.watch()
        try await wait { await model.events.last == "stopped" }
        #expect(await model.events == ["found", "stopped"])
    }

    @Test("A disconnect handler on the main actor decides asynchronously")
    func disconnectHandler() async throws {
        let stage = try await AsyncStage.connected()
        stage.bluejay.reconnectOptions.maximumAttempts = nil
        let model = await Model(stage.bluejay, .change(shouldAutoReconnect: false))
        await model.observe()
        // The loop would see the drop before the registration.
        await stage.onLoop { _ in }
        try await stage.gadget { $0.dropLink() }
        try await wait { await model.events.contains("handler true") }
        try await wait { !stage.bluejay.shouldAutoReconnect }
        #expect(await model.events.filter { $0 == "connected" }.count == 1)
        #expect(!stage.bluejay.isConnecting)
    }

    @Test("A disconnect handler on the main actor that changes nothing lets the link reconnect")
    func unchanged() async throws {
        let stage = try await AsyncStage.connected()
        stage.bluejay.reconnectOptions.maximumAttempts = nil
        let model = await Model(stage.bluejay)
        await model.observe()
        // The loop would see the drop before the registration.
        await stage.onLoop { _ in }
        try await stage.gadget { $0.dropLink() }
        try await wait { await model.events.count > 3 }
        let events = await model.events
        #expect(events == ["connected", "disconnected", "handler true", "connected"])
    }

    @Test("Callbacks of an actor run on the actor")
    func actor() async throws {
        let stage = try await AsyncStage()
        let server = GATTServer(
            mainLoop: stage.bluejay.mainLoop,
            busAddress: stage.system.busAddress
        )
        let gateway = Gateway(stage.bluejay, server)
        await gateway.find()
        try await wait { await gateway.events.contains("connect completed") }
        #expect(await gateway.events == ["discovered", "stopped", "connect completed"])
        await gateway.read()
        try await wait { await gateway.events.last == "read" }
        await gateway.serve()
        try await wait { await gateway.events.contains("added") }
    }
}
