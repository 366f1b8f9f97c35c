import Bluejay
import BluejayAsync
import BluejaySimulator
import Foundation
import TestSupport
import Testing

@Suite("Connection scopes", .timeLimit(.minutes(15)))
struct ScopeTests {
    private static let filter = ScanFilter.name("Gadget")

    @Test("A scope starts the instance, connects, returns the closure's result and disconnects")
    func result() async throws {
        let stage = try await AsyncStage(starts: false)
        let value = try await stage.bluejay.withConnection(toFirst: Self.filter) {
            try await $0.read(from: quick, as: UInt8.self)
        }
        #expect(value == 1)
        #expect(!stage.bluejay.isConnected)
        #expect(try await stage.gadget { !$0.isConnected })
    }

    @Test("A scope connects to a known peripheral")
    func known() async throws {
        let stage = try await AsyncStage()
        let found = try await stage.bluejay.find()
        let connected = try await stage.bluejay.withConnection(to: found, timeout: 10) {
            $0.connectedPeripheral
        }
        #expect(connected == found)
        #expect(try await stage.gadget { !$0.isConnected })
    }

    @Test("The closure can use variables of the caller's actor")
    @MainActor func isolation() async throws {
        let stage = try await AsyncStage()
        var values: [UInt8] = []
        try await stage.bluejay.withConnection(toFirst: Self.filter) {
            values.append(try await $0.read(from: quick, as: UInt8.self))
            MainActor.assertIsolated()
        }
        #expect(values == [1])
    }

    @Test("The last of several scopes of one instance disconnects")
    func shared() async throws {
        let stage = try await AsyncStage()
        let isInside = AsyncStream<Void>.makeStream()
        let mayLeave = AsyncStream<Void>.makeStream()
        async let longer: UInt8 = stage.bluejay.withConnection(toFirst: Self.filter) {
            isInside.continuation.finish()
            for await _ in mayLeave.stream {}
            return try await $0.read(from: quick, as: UInt8.self)
        }
        for await _ in isInside.stream {}
        try await stage.bluejay.withConnection(toFirst: Self.filter) { _ in }
        #expect(stage.bluejay.isConnected)
        mayLeave.continuation.finish()
        #expect(try await longer == 1)
        #expect(!stage.bluejay.isConnected)
    }

    @Test("A failed connection throws its error and keeps an earlier connection")
    func failed() async throws {
        let stage = try await AsyncStage()
        await #expect(throws: BluejayError.self) {
            try await stage.bluejay.withConnection(toFirst: .name("Nobody"), within: .seconds(0.2))
            { _ in
                Issue.record("connected to an absent peripheral")
            }
        }
        try await stage.bluejay.connect(toFirst: Self.filter)
        await #expect(throws: BluejayError.multipleConnectNotSupported) {
            try await stage.bluejay.withConnection(toFirst: .name("Nobody"), within: .seconds(0.2))
            { _ in
                Issue.record("connected to an absent peripheral")
            }
        }
        #expect(stage.bluejay.isConnected)
    }

    @Test("A scope ends without an error if its closure has disconnected")
    func disconnectedInside() async throws {
        let stage = try await AsyncStage()
        try await stage.bluejay.withConnection(toFirst: Self.filter) { try await $0.disconnect() }
        try await stage.bluejay.withConnection(toFirst: Self.filter) { bluejay in
            bluejay.disconnect { _ in }
        }
        #expect(!stage.bluejay.isConnected)
        #expect(try await stage.gadget { !$0.isConnected })
    }

    @Test("A cancelled scope disconnects before it throws")
    func cancelled() async throws {
        let stage = try await AsyncStage()
        let isInside = AsyncStream<Void>.makeStream()
        let task = Task {
            try await stage.bluejay.withConnection(toFirst: Self.filter) { _ in
                isInside.continuation.finish()
                try await Task.sleep(for: .seconds(600))
            }
        }
        for await _ in isInside.stream {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await stage.gadget { !$0.isConnected })
    }

    @Test("The instance reconnects inside the scope after a lost link")
    func lost() async throws {
        let stage = try await AsyncStage()
        let value = try await stage.bluejay.withConnection(toFirst: Self.filter) { bluejay in
            var wasLost = false
            for await event in bluejay.connectionEvents {
                switch event {
                case .disconnected: wasLost = true
                case .connected where wasLost:
                    return try await bluejay.read(from: quick, as: UInt8.self)
                case .connected: try await stage.gadget { $0.dropLink() }
                default: break
                }
            }
            return 0
        }
        #expect(value == 1)
        #expect(try await stage.gadget { !$0.isConnected })
    }
}

@Suite("Awaited start", .timeLimit(.minutes(15)))
struct AwaitedStartTests {
    @Test("After an awaited start, the Bluetooth state is known")
    func known() async throws {
        let stage = try await AsyncStage(starts: false)
        await stage.bluejay.start()
        #expect(stage.bluejay.bluetoothState == .poweredOn)
        await stage.system.perform { $0.setPowered(false, ofAdapter: 0) }
        // Both instances share one client of bluetoothd, which may not have received the signal.
        try await wait { stage.bluejay.bluetoothState == .poweredOff }
        let other = Bluejay(mainLoop: stage.bluejay.mainLoop, busAddress: stage.system.busAddress)
        await other.start()
        #expect(other.bluetoothState == .poweredOff)
        #expect(!other.isBluetoothAvailable)
    }

    @Test("waitUntilReady throws the reason when its timeout expires")
    func reason() async throws {
        let stage = try await AsyncStage(starts: false)
        await stage.system.perform { $0.setPowered(false, ofAdapter: 0) }
        await #expect(throws: BluejayError.bluetoothUnavailable(.unknown)) {
            try await stage.bluejay.waitUntilReady(within: .seconds(0.05))
        }
        await stage.bluejay.start()
        await #expect(throws: BluejayError.bluetoothUnavailable(.poweredOff)) {
            try await stage.bluejay.waitUntilReady(within: .seconds(0.05))
        }
        async let ready: Void = stage.bluejay.waitUntilReady(within: .seconds(60))
        await stage.system.perform { $0.setPowered(true, ofAdapter: 0) }
        try await ready
        #expect(stage.bluejay.bluetoothState == .poweredOn)
    }

    @Test("waitUntilReady ends with its task and with its loop")
    func ended() async throws {
        let stage = try await AsyncStage(starts: false)
        let task = Task { try await stage.bluejay.waitUntilReady() }
        await stage.onLoop { _ in }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await stage.bluejay.start()
        await stage.system.perform { $0.setPowered(false, ofAdapter: 0) }
        try await wait { !stage.bluejay.isBluetoothAvailable }
        async let ready: Void = stage.bluejay.waitUntilReady()
        await stage.onLoop { _ in }
        stage.bluejay.mainLoop.stop()
        do {
            try await ready
            Issue.record("became ready with Bluetooth off")
        } catch {
            #expect(error as? BluejayError == .stopped)
        }
    }
}
