import Bluejay
import BluejayAsync
import BluejaySimulator
import BluejayTesting
import TestSupport
import Testing

@Suite("Connecting while connected", .timeLimit(.minutes(15)))
struct JoinedConnectTests {
    private static let lamp = "C0:00:00:00:00:02"

    private func connected() async throws -> (stage: AsyncStage, gadget: PeripheralIdentifier) {
        let stage = try await AsyncStage()
        await stage.system.perform {
            $0.add(SimulatedDevice(address: Self.lamp, name: "Lamp", advertising: ["FFE0"]))
        }
        let gadget = try await stage.bluejay.connect(toFirst: .namePrefix("Gadget"), within: 20)
        return (stage, gadget)
    }

    @Test("Awaited connects succeed if the requested peripheral is already connected")
    func connectedAlready() async throws {
        let (stage, gadget) = try await connected()
        let bluejay = stage.bluejay
        #expect(try await bluejay.connect(gadget) == gadget)
        let filters: [ScanFilter] = [
            .namePrefix("Gadget"), .anyService([service]), .address(AsyncStage.address),
            .everything,
        ]
        for filter in filters {
            #expect(try await bluejay.connect(toFirst: filter, within: 20) == gadget)
        }
        #expect(try await bluejay.read(from: quick) == UInt8(1))
        #expect(try await stage.gadget { $0.isConnected })
    }

    @Test(
        "A filter that found the connected peripheral still matches it when it no longer advertises"
    )
    func foundBefore() async throws {
        let stage = try await AsyncStage()
        let filter = ScanFilter.anyService([service]) && .minimumRSSI(-100)
        let gadget = try await stage.bluejay.connect(toFirst: filter, within: 20)
        #expect(try await stage.bluejay.connect(toFirst: filter, within: 20) == gadget)
    }

    @Test("Connecting to another peripheral fails with an error that names the connected one")
    func another() async throws {
        let (stage, gadget) = try await connected()
        let lamp = try PeripheralIdentifier(
            address: Self.lamp,
            isRandomAddress: true,
            name: "Lamp"
        )
        let calls: [@Sendable (Bluejay) async throws -> Void] = [
            { try await $0.connect(lamp) }, { try await $0.connect(toFirst: .namePrefix("Lamp")) },
        ]
        for call in calls {
            let error = await #expect(throws: BluejayError.self) { try await call(stage.bluejay) }
            #expect(error == .multipleConnectNotSupported)
            #expect(error?.conflictingPeripheral == gadget)
            #expect(
                error?.description.contains("Gadget (\(AsyncStage.address)) is connected") == true
            )
            #expect(error?.isRetryable == false)
        }
        // The error's remedy, `disconnect`, lets the other connect succeed.
        try await stage.bluejay.disconnect()
        #expect(try await stage.bluejay.connect(lamp).name == "Lamp")
    }

    @Test(
        "The callback form rejects a connected peripheral with an error that says so"
    )
    func callback() async throws {
        let (stage, gadget) = try await connected()
        let bluejay = stage.bluejay
        let text = await withCheckedContinuation { continuation in
            bluejay.mainLoop.post {
                bluejay.connect(gadget) { result in
                    guard case .failure(let error) = result else {
                        return continuation.resume(returning: "success")
                    }
                    continuation.resume(returning: "\(error)")
                }
            }
        }
        #expect(
            text.hasPrefix("connect to Gadget (\(AsyncStage.address)): already connected")
        )
    }

    @Test("Connects to the same peripheral share one attempt", .simulatedBlueZ)
    func shared() async throws {
        let (bluejay, gadget) = try await found()
        let events = bluejay.connectionEvents
        async let first = bluejay.connect(gadget)
        async let second = bluejay.connect(gadget)
        async let third = bluejay.connect(toFirst: .namePrefix("Gadget"), within: 20)
        async let fourth = bluejay.connect(toFirst: .anyService([service]), within: 20)
        #expect(try await [first, second, third, fourth] == [gadget, gadget, gadget, gadget])
        try await bluejay.disconnect()
        var connections = 0
        for await event in events {
            if case .connected = event { connections += 1 }
            if case .disconnected = event { break }
        }
        #expect(connections == 1)
    }

    @Test("A connect that joins a search fails if the search finds another peripheral")
    func sharedSearch() async throws {
        let stage = try await AsyncStage()
        await stage.system.perform {
            $0.add(SimulatedDevice(address: Self.lamp, name: "Lamp", advertising: ["FFE0"]))
        }
        let bluejay = stage.bluejay
        let gadget = try await bluejay.find()
        let search = Task.immediate {
            try await bluejay.connect(toFirst: .namePrefix("Lamp"), within: 20)
        }
        let error = await #expect(throws: BluejayError.self) { try await bluejay.connect(gadget) }
        #expect(error == .multipleConnectNotSupported)
        #expect(error?.conflictingPeripheral?.name == "Lamp")
        #expect(try await search.value.name == "Lamp")
    }

    @Test(
        "Cancellation and timeout of one connect do not affect others that share its attempt",
        .simulatedBlueZ
    )
    func ownEnds() async throws {
        let world = try TestWorld.current
        let (bluejay, gadget) = try await found()
        try world.perform { $0.device(AsyncStage.address)?.isConnectable = false }
        let (cancellation, cancel) = AsyncStream<Void>.makeStream()
        async let cancelled = error { try await bluejay.connect(gadget, until: cancellation) }
        // The first call makes the attempt.
        try await world.clock.sleep(for: .milliseconds(1))
        async let short = error { try await bluejay.connect(gadget, timeout: .seconds(0.2)) }
        async let patient = bluejay.connect(gadget, timeout: .none)
        #expect(await short as? BluejayError == .connectionTimedOut)
        cancel.finish()
        #expect(await cancelled is CancellationError)
        try world.perform { $0.device(AsyncStage.address)?.isConnectable = true }
        #expect(try await patient == gadget)
    }

    /// In virtual time, in which bluetoothd neither forgets the peripheral nor gives up before the calls are made.
    private func found() async throws -> (bluejay: Bluejay, gadget: PeripheralIdentifier) {
        let world = try TestWorld.current
        try world.perform { $0.add(AsyncStage.gadget()) }
        let bluejay = world.makeBluejay()
        await bluejay.start()
        return (bluejay, try await bluejay.find())
    }

    private func error(
        _ call: @Sendable () async throws -> PeripheralIdentifier
    ) async -> (any Error)? {
        do {
            _ = try await call()
            return nil
        } catch {
            return error
        }
    }

    @Test("cancelEverything and stop end all connects that share an attempt")
    func cancelEverything() async throws {
        let stage = try await AsyncStage()
        let bluejay = stage.bluejay
        let gadget = try await bluejay.find()
        try await stage.gadget { $0.isConnectable = false }
        let calls = (1...3).map { _ in
            Task.immediate { try await bluejay.connect(gadget, timeout: .none) }
        }
        await bluejay.cancelEverything(error: BluejayError.stopped)
        for call in calls {
            await #expect(throws: BluejayError.stopped) { try await call.value }
        }
        let more = (1...2).map { _ in
            Task.immediate { try await bluejay.connect(gadget, timeout: .none) }
        }
        await bluejay.stopAndExtractBluetoothState()
        for call in more {
            await #expect(throws: BluejayError.stopped) { try await call.value }
        }
    }

    @Test(
        "The program of Services.md in a loop keeps printing across three lost links"
    )
    func homes() async throws {
        let stage = try await AsyncStage()
        let bluejay = stage.bluejay
        await bluejay.onLoop {
            $0.reconnectOptions = ReconnectOptions(initialDelay: .milliseconds(5))
        }
        let (readings, readingsEnd) = AsyncStream<UInt8>.makeStream()
        let program = Task {
            while true {
                try await bluejay.connect(toFirst: .anyService([service]), within: .none)
                do {
                    for try await reading in bluejay.values(of: measurement, as: UInt8.self) {
                        readingsEnd.yield(reading)
                    }
                } catch let error as BluejayError where error.isRetryable {}
            }
        }
        var iterator = readings.makeAsyncIterator()
        for cut in 0...3 {
            try await wait { try await stage.gadget { $0.listenerCount(of: "2A37") } == 1 }
            try await stage.send([UInt8(cut)])
            #expect(await iterator.next() == UInt8(cut))
            try await stage.gadget { $0.dropLink() }
            try await wait { try await stage.gadget { $0.listenerCount(of: "2A37") } == 0 }
        }
        program.cancel()
        await #expect(throws: CancellationError.self) { try await program.value }
    }
}

extension Bluejay {
    /// Connects, in a task that is cancelled when `cancellation` ends.
    fileprivate func connect(
        _ peripheral: PeripheralIdentifier,
        until cancellation: AsyncStream<Void>
    ) async throws -> PeripheralIdentifier {
        try await withThrowingTaskGroup(of: PeripheralIdentifier.self) { group in
            group.addTask { try await self.connect(peripheral, timeout: .none) }
            for await _ in cancellation {}
            group.cancelAll()
            return try await group.next() ?? peripheral
        }
    }
}
