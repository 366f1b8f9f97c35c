import Bluejay
import BluejayAsync
import BluejaySimulator
import Foundation
import TestSupport
import Testing

@Suite("Main loop calls from any task", .timeLimit(.minutes(15)))
struct LoopTests {
    @Test("A program can start, connect, read and stop without posting to the loop")
    func wholeLife() async throws {
        let stage = try await AsyncStage(starts: false)
        let bluejay = stage.bluejay
        await bluejay.start()
        await bluejay.onLoop { $0.reconnectOptions.maximumAttempts = 0 }
        try await bluejay.connect(bluejay.find(), timeout: .seconds(10))
        let services = await bluejay.onLoop { $0.services }
        #expect(services.map(\.identifier).contains(service))
        #expect(try await bluejay.maximumWriteValueLength(for: .withResponse) == 512)
        let values = bluejay.values(of: measurement, as: UInt8.self)
        #expect(try await bluejay.isListening(to: measurement))
        try await bluejay.endListen(to: measurement)
        #expect(try await bluejay.isListening(to: measurement) == false)
        #expect(await drain(values).error == nil)
        #expect(try await stage.listenerCount() == 0)
        let left = await bluejay.stopAndExtractBluetoothState()
        #expect(left.peripheral?.identifier?.name == "Gadget")
        await #expect(throws: BluejayError.notConnected) {
            try await bluejay.isListening(to: measurement)
        }
        await bluejay.start(mode: .use(manager: left.manager, peripheral: left.peripheral))
        #expect(try await bluejay.read(from: quick) == UInt8(1))
    }

    @Test("An async function can read the state and change settings without await")
    func properties() async throws {
        let stage = try await AsyncStage.connected()
        let bluejay = stage.bluejay
        bluejay.usesWriteSockets = false
        bluejay.defaultTimeouts.characteristics = .seconds(0.05)
        bluejay.reconnectOptions.maximumAttempts = 5
        bluejay.broadcastErrorsToListeners = true
        #expect(bluejay.services.map(\.identifier).contains(service))
        #expect(bluejay.canSendWriteWithoutResponse)
        // The limit applies to the call after the setting.
        await #expect(throws: BluejayError.operationTimedOut) {
            let _: UInt8 = try await bluejay.read(from: slow)
        }
        #expect(await bluejay.onLoop { $0.reconnectOptions.maximumAttempts } == 5)
        #expect(!bluejay.usesWriteSockets && bluejay.broadcastErrorsToListeners)
    }

    @Test("cancelEverything ends all calls with the given error")
    func cancelEverything() async throws {
        let stage = try await AsyncStage.connected()
        let bluejay = stage.bluejay
        let reading = Task.immediate { () -> UInt8 in try await bluejay.read(from: slow) }
        await bluejay.cancelEverything(error: BluejayError.stopped, shouldDisconnect: false)
        await #expect(throws: BluejayError.stopped) { try await reading.value }
        #expect(await bluejay.onLoop { $0.isConnected })
        let events = bluejay.connectionEvents
        await bluejay.cancelEverything()
        for await event in events {
            if case .disconnected(let peripheral, _) = event {
                #expect(peripheral.name == "Gadget")
                break
            }
        }
        #expect(await bluejay.onLoop { $0.isConnected } == false)
    }

    @Test("stopScanning ends the scan and its stream without an error")
    func stopScanning() async throws {
        let stage = try await AsyncStage()
        let stream = stage.bluejay.scan()
        await stage.bluejay.stopScanning()
        #expect(await drain(stream).error == nil)
        #expect(await stage.bluejay.onLoop { $0.isScanning } == false)
    }

    @Test("An error thrown on the loop reaches the caller with its type")
    func throwing() async throws {
        let stage = try await AsyncStage()
        struct Reason: Error {}
        do {
            _ = try await stage.bluejay.onLoop { _ throws(Reason) -> Int in throw Reason() }
            Issue.record("no error was thrown")
        } catch {
            let reason: Reason = error
            _ = reason
        }
    }

    @Test("Queued and unqueued calls keep the order in which one actor made them")
    @MainActor func order() async throws {
        let stage = try await AsyncStage.connected()
        let bluejay = stage.bluejay
        let values = bluejay.values(of: measurement, as: UInt8.self)
        let listens = Task.immediate { try await bluejay.isListening(to: measurement) }
        let end = Task.immediate { try await bluejay.endListen(to: measurement) }
        let listensNoMore = Task.immediate { try await bluejay.isListening(to: measurement) }
        #expect(try await listens.value)
        #expect(try await listensNoMore.value == false)
        try await end.value
        #expect(await drain(values).error == nil)
    }

    @Test("A slow reader of a stream that buffers the newest receives the newest values")
    func bufferingPolicy() async throws {
        let stage = try await AsyncStage.connected()
        let stream = stage.bluejay.values(
            of: measurement,
            as: UInt8.self,
            bufferingPolicy: .bufferingNewest(2)
        )
        try await stage.settle()
        for value in UInt8(1)...50 { try await stage.send([value]) }
        try await stage.settle()
        try await stage.bluejay.endListen(to: measurement)
        #expect(await drain(stream).elements == [49, 50])
        #expect(stream.droppedCount == 48)
        let events = stage.bluejay.connectionEvents(bufferingPolicy: .bufferingNewest(1))
        try await stage.bluejay.disconnect()
        #expect(events.droppedCount == 2)
        var iterator = events.makeAsyncIterator()
        guard case .disconnected(let peripheral, nil) = await iterator.next() else {
            Issue.record("the newest event is not the disconnection")
            return
        }
        #expect(peripheral.name == "Gadget")
    }

    @Test("A scan stream that buffers the newest keeps one discovery")
    func bufferedScan() async throws {
        let stage = try await AsyncStage()
        await stage.system.perform { world in
            for number in 2...9 {
                world.add(
                    SimulatedDevice(
                        address: "C0:00:00:00:00:0\(number)",
                        name: "\(number)",
                        advertising: ["180D"]
                    )
                )
            }
        }
        let stream = stage.bluejay.scan(
            duration: 0.5,
            serviceIdentifiers: [service],
            bufferingPolicy: .bufferingNewest(1)
        )
        try await wait { await stage.bluejay.onLoop { !$0.isScanning } }
        #expect(await drain(stream).elements.count == 1)
    }
}
