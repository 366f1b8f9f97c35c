import Bluejay
import BluejayAsync
import BluejaySimulator
import Foundation
import Testing

@Suite("Awaited calls", .timeLimit(.minutes(15)))
struct CallTests {
    @Test("Every call can be awaited from any task")
    func everyCall() async throws {
        let stage = try await AsyncStage()
        let bluejay = stage.bluejay
        try await bluejay.waitUntilReady()
        let found = try await bluejay.find()
        #expect(try await bluejay.connect(found, timeout: .seconds(10)) == found)
        let location = try await bluejay.read(from: quick, as: UInt8.self)
        #expect(location == 1)
        try await bluejay.write(to: control, value: UInt16(0x0102))
        #expect(try await stage.gadget { $0.writes.map(\.value) } == [[2, 1]])
        let sum = try await bluejay.run { peripheral in
            let value: UInt8 = try peripheral.read(from: quick)
            try peripheral.write(to: control, value: UInt8(5))
            return Int(value) + 1
        }
        #expect(sum == 2)
        #expect(try await bluejay.disconnect() == found)
        #expect(await stage.onLoop { $0.isConnected } == false)
    }

    @Test("An awaited call throws the error of its completion")
    func refusals() async throws {
        let stage = try await AsyncStage()
        let bluejay = stage.bluejay
        let found = try await bluejay.find()
        await #expect(throws: BluejayError.notConnected) {
            let _: UInt8 = try await bluejay.read(from: quick)
        }
        await #expect(throws: BluejayError.notConnected) { try await bluejay.disconnect() }
        await #expect(throws: BluejayError.notConnected) {
            try await bluejay.run { _ in }
        }
        try await bluejay.connect(found)
        await #expect(throws: BluejayError.dataOutOfBounds(start: 0, length: 4, count: 1)) {
            let _: UInt32 = try await bluejay.read(from: quick)
        }
        await #expect(throws: BluejayError.self) {
            let _: UInt8 = try await bluejay.read(from: control)
        }
        await #expect(throws: BluejayError.operationTimedOut) {
            let _: UInt8 = try await bluejay.read(from: slow, timeout: .seconds(0.01))
        }
    }

    @Test("Calls before start throw")
    func beforeStart() async throws {
        let stage = try await AsyncStage(starts: false)
        await #expect(throws: BluejayError.bluetoothUnavailable(.unknown)) {
            let _: UInt8 = try await stage.bluejay.read(from: quick)
        }
        let listened = await drain(stage.bluejay.values(of: measurement, as: UInt8.self))
        #expect(listened.reason == .bluetoothUnavailable(.unknown))
        let scanned = await drain(stage.bluejay.scan(serviceIdentifiers: nil))
        #expect(scanned.reason == .bluetoothUnavailable(.unknown))
    }

    @Test("waitUntilReady waits for the start and for the adapter to be powered on")
    func waitUntilReady() async throws {
        let stage = try await AsyncStage(starts: false)
        let bluejay = stage.bluejay
        await stage.system.perform { $0.setPowered(false, ofAdapter: 0) }
        let waiting = Task.immediate { try await bluejay.waitUntilReady() }
        var events = bluejay.connectionEvents.makeAsyncIterator()
        await stage.onLoop { $0.start() }
        #expect(await events.next() == .bluetoothAvailable(false))
        await stage.system.perform { $0.setPowered(true, ofAdapter: 0) }
        try await waiting.value
        #expect(await stage.onLoop { $0.isBluetoothAvailable })
    }

    @Test("waitUntilReady ends when its task is cancelled or the instance is stopped")
    func endedWait() async throws {
        let stage = try await AsyncStage(starts: false)
        let bluejay = stage.bluejay
        let cancelled = Task.immediate { try await bluejay.waitUntilReady() }
        let stopped = Task.immediate { try await bluejay.waitUntilReady() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        await stage.onLoop { bluejay in
            bluejay.start()
            bluejay.stopAndExtractBluetoothState()
        }
        await #expect(throws: BluejayError.stopped) { try await stopped.value }
    }

    @Test("Connection events arrive in order, starting with the present state")
    func connectionEvents() async throws {
        let stage = try await AsyncStage.connected()
        let bluejay = stage.bluejay
        var events = bluejay.connectionEvents.makeAsyncIterator()
        #expect(await events.next() == .bluetoothAvailable(true))
        guard case .connected(let gadget)? = await events.next() else {
            Issue.record("no connection was reported")
            return
        }
        #expect(gadget.name == "Gadget")
        try await bluejay.disconnect()
        #expect(await events.next() == .disconnected(gadget, reason: nil))
        await stage.onLoop { _ = $0.stopAndExtractBluetoothState() }
        #expect(await events.next() == nil)
    }

    @Test("A stop ends every pending call")
    func stop() async throws {
        let stage = try await AsyncStage.connected()
        let bluejay = stage.bluejay
        let running = Task.immediate { () -> UInt8 in try await bluejay.read(from: slow) }
        let waiting = Task.immediate { () -> UInt8 in try await bluejay.read(from: quick) }
        let stream = bluejay.values(of: measurement, as: UInt8.self)
        await stage.onLoop { _ = $0.stopAndExtractBluetoothState() }
        await #expect(throws: BluejayError.stopped) { try await running.value }
        await #expect(throws: BluejayError.stopped) { try await waiting.value }
        #expect(await drain(stream).reason == .stopped)
    }

    @Test("Releasing an instance ends its streams, but not its awaited calls")
    func release() async throws {
        let system = try await AsyncStage.world()
        var bluejay: Bluejay? = Bluejay(
            mainLoop: MainLoop(threadName: "async"),
            busAddress: system.busAddress
        )
        bluejay.map { bluejay in bluejay.mainLoop.post { bluejay.start() } }
        let found = try await bluejay?.find()
        let gadget = try #require(found)
        try await bluejay?.connect(gadget)
        let reading = Task.immediate { [bluejay] in
            let value: UInt8? = try await bluejay?.read(from: slow)
            return value
        }
        let values = try #require(bluejay?.values(of: measurement, as: UInt8.self))
        let events = try #require(bluejay?.connectionEvents)
        bluejay = nil
        #expect(try await reading.value == 7)
        #expect(await drain(values).reason == .cancelled)
        var all: [ConnectionEvent] = []
        for await event in events { all.append(event) }
        #expect(all.prefix(2) == [.bluetoothAvailable(true), .connected(gadget)])
    }
}
