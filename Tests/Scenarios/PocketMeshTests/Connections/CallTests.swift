import BluejayGLib
import BluejaySimulator
import BluejayTesting
import Foundation
import TestSupport
import Testing

@testable import PocketMesh

@Suite("Concurrent calls", .timeLimit(.minutes(15)))
struct CallTests {
    @Test(
        "A second connect is refused with the name of the phase, and the first one continues",
        arguments: Stop.allCases
    )
    func second(stop: Stop) async throws {
        try await RadioStage.play(holds: stop == .subscribingToNotifications) { stage in
            let first = try await stage.bring(to: stop)
            let other = RadioStage.id(of: "C0:00:00:00:00:09")
            let error = await failure { _ = try await stage.radio.connect(to: other) }
            guard case .connectionFailed(let text) = error as? BLEError else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(text.contains(stop.rawValue))
            #expect(await stage.radio.currentPhase.name == stop.rawValue)
            await stage.letGo(of: stop)
            if let first { _ = try await first.value }
            if stop != .disconnecting { try await stage.wait(for: "connected") }
        }
    }

    @Test(
        "Three consecutive disconnects complete in each phase",
        arguments: Stop.allCases
    )
    func disconnects(stop: Stop) async throws {
        try await RadioStage.play(holds: stop == .subscribingToNotifications) { stage in
            let call = try await stage.bring(to: stop)
            let radio = stage.radio
            if stop == .disconnecting {
                let calls = (0..<3).map { _ in Task { await radio.disconnect() } }
                await stage.letGo(of: stop)
                for call in calls { await call.value }
            } else {
                for _ in 0..<3 { await radio.disconnect() }
            }
            if let call {
                let error = await failure { _ = try await call.value }
                #expect((error as? BLEError).map(caseName) == "connectionFailed")
            }
            #expect(await radio.currentPhase == .idle)
            #expect(stage.journal.count("gone") == 0)
            #expect(stage.journal.count("back") == 0)
            #expect(await stage.isClean())
            await stage.letGo(of: stop)
            if stop.isOff { try await wait { await radio.bluetoothState == .poweredOn } }
            _ = try await radio.connect(to: RadioStage.device)
            #expect(stage.journal.count("gone") == 0)
        }
    }

    @Test(
        "A cancelled connect is undone in each phase, and the next one succeeds at once",
        arguments: Stop.allCases.filter(\.hasCaller)
    )
    func cancelled(stop: Stop) async throws {
        try await RadioStage.play(holds: stop == .subscribingToNotifications) { stage in
            let call = try #require(try await stage.bring(to: stop))
            call.cancel()
            await #expect(throws: CancellationError.self) { _ = try await call.value }
            #expect(await stage.radio.currentPhase == .idle)
            #expect(await stage.isClean())
            try await wait { await !stage.isLinked() }
            await stage.letGo(of: stop)
            if stop.isOff { try await wait { await stage.radio.bluetoothState == .poweredOn } }
            _ = try await stage.radio.connect(to: RadioStage.device)
        }
    }

    @Test("A task cancelled before its call throws CancellationError and has no effect")
    func cancelledBefore() async throws {
        try await RadioStage.play(holds: true) { stage in
            let radio = stage.radio
            let calls: [@Sendable () async throws -> Void] = [
                { _ = try await radio.connect(to: RadioStage.device) },
                { _ = try await radio.switchDevice(to: RadioStage.device) },
            ]
            for call in calls {
                #expect(await failureOfCancelled(call) is CancellationError)
                #expect(await radio.currentPhase == .idle)
            }
            _ = try await radio.connect(to: RadioStage.device)
            await stage.on { $0.hold(.write, of: tx) }
            let error = await failureOfCancelled { try await radio.send(Data([1])) }
            #expect(error is CancellationError)
        }
    }

    @Test("A cancelled task no longer waits for Bluetooth")
    func cancelsWaiting() async throws {
        try await RadioStage.play { stage in
            try await stage.bring(to: .restoringState)
            let radio = stage.radio
            let wait = Task { try await radio.waitForPoweredOn() }
            try await TestSupport.wait { await radio.powerWaiterCount == 1 }
            wait.cancel()
            await #expect(throws: CancellationError.self) { try await wait.value }
            #expect(await radio.powerWaiterCount == 0)
        }
    }

    @Test("A cancelled task still disconnects")
    func disconnectsCancelled() async throws {
        try await RadioStage.play { stage in
            _ = try await stage.radio.connect(to: RadioStage.device)
            let radio = stage.radio
            _ = await failureOfCancelled { await radio.disconnect() }
            #expect(await radio.currentPhase == .idle)
            #expect(await !stage.isLinked())
        }
    }

    @Test("A radio can be switched from each phase", arguments: Stop.allCases)
    func switches(stop: Stop) async throws {
        try await RadioStage.play(holds: stop == .subscribingToNotifications) { stage in
            let second = "C0:00:00:00:00:02"
            let other = UncheckedTransfer(simulatedRadio(address: second, name: "Two"))
            await stage.system.perform { $0.add(other.value) }
            let call = try await stage.bring(to: stop)
            let radio = stage.radio
            if stop.isOff { await stage.setPowered(true) }
            let change = Task { try await radio.switchDevice(to: RadioStage.id(of: second)) }
            if stop == .disconnecting { await stage.letGo(of: stop) }
            _ = try await change.value
            if let call, !stop.isOff {
                await #expect(throws: (any Error).self) { _ = try await call.value }
            }
            #expect(await radio.connectedDeviceID == RadioStage.id(of: second))
            try await wait { await !stage.isLinked() }
            #expect(stage.journal.count("gone") == 0)
            #expect(try stage.remembered() == RadioStage.id(of: second))
        }
    }

    @Test("A connected radio scans, and the scan reports radios only")
    func scans() async throws {
        try await RadioStage.play { stage in
            _ = try await stage.radio.connect(to: RadioStage.device)
            let found = Journal()
            await stage.radio.setDeviceDiscoveredHandler { device, rssi in
                found.note("\(device) \(rssi.map(String.init) ?? "unknown")")
            }
            await stage.radio.startScanning()
            let others = UncheckedTransfer([
                simulatedRadio(address: "C0:00:00:00:00:02", name: "Two"),
                SimulatedDevice.heartRateSensor(),
            ])
            await stage.system.perform { world in
                for device in others.value { world.add(device) }
            }
            let second = RadioStage.id(of: "C0:00:00:00:00:02")
            try await found.wait(for: "\(second) -55")
            // The scan resumes after Bluetooth returns.
            await stage.setPowered(false)
            try await stage.wait(for: "idle")
            let before = found.count("\(second)")
            await stage.setPowered(true)
            try await found.wait(for: "\(second)", count: before + 1)
            await stage.radio.stopScanning()
            let known = Set([RadioStage.device, second].map(\.uuidString))
            #expect(found.lines.allSatisfy { known.contains(String($0.prefix(36))) })
        }
    }

    @Test("Each phase stream starts with the current phase and ends with the shutdown")
    func phases() async throws {
        try await RadioStage.play { stage in
            let early = await stage.radio.phases
            _ = try await stage.radio.connect(to: RadioStage.device)
            let late = await stage.radio.phases
            await stage.radio.shutdown()
            var names: [[String]] = []
            for stream in [early, late] {
                var found: [String] = []
                for await phase in stream { found.append(phase.name) }
                names.append(found)
            }
            #expect(
                names[0] == [
                    "idle", "waitingForBluetooth", "connecting", "discoveringServices",
                    "discoveringCharacteristics", "subscribingToNotifications",
                    "discoveryComplete", "connected", "disconnecting", "idle",
                ]
            )
            #expect(names[1] == ["connected", "disconnecting", "idle"])
            #expect(await !stage.radio.hasPhaseReaders)
        }
    }

    @Test("A connect that another caller starts during a shutdown fails")
    func connectDuringShutdown() async throws {
        try await VirtualRadioStage.play { stage in
            let radio = stage.radio
            // Both calls are on the loop, so that the second one is between the steps of the first.
            let executor = ContextExecutor(stage.world.mainLoop.context)
            let shutdown = Task(executorPreference: executor) { await radio.shutdown() }
            let connection = Task(executorPreference: executor) {
                try await radio.connect(to: RadioStage.device)
            }
            await shutdown.value
            try await stage.wait(.seconds(60))
            connection.cancel()
            await #expect(throws: BLEError.self) { try await connection.value }
        }
    }

    @Test("A shutdown keeps the radio saved for the next run, and a new activation restores it")
    func shutsDown() async throws {
        try await RadioStage.play { stage in
            let stream = try await stage.radio.connect(to: RadioStage.device)
            await stage.radio.shutdown()
            for await _ in stream {}
            #expect(await !stage.isLinked())
            #expect(try stage.remembered() == RadioStage.device)
            #expect(await stage.radio.bluetoothState == .unknown)
            #expect(await stage.isClean())
            await stage.radio.shutdown()
            await stage.radio.activate()
            try await stage.journal.wait(for: "back")
            try await stage.wait(for: "connected")
        }
    }

    @Test("Releasing the state machine disconnects the link and ends the stream")
    func released() async throws {
        try await RadioStage.play { stage in
            var other: BLEStateMachine? = RadioStage.makeRadio(RadioSettings(), stage.system)
            let stream = try #require(try await other?.connect(to: RadioStage.device))
            weak let left = other
            #expect(await stage.isLinked())
            other = nil
            for await _ in stream {}
            try await wait { await !stage.isLinked() }
            try await wait { left == nil }
        }
    }

    @Test("Two state machines share the link of one radio, which ends with the last of them")
    func shared() async throws {
        try await RadioStage.play { stage in
            let second = BLEStateMachine(restoreIdentifier: nil, host: stage.radio.host)
            let one = try await stage.radio.connect(to: RadioStage.device)
            let two = try await second.connect(to: RadioStage.device)
            await stage.send([1])
            for stream in [one, two] {
                var iterator = stream.makeAsyncIterator()
                #expect(await iterator.next() == Data([1]))
            }
            await stage.radio.disconnect()
            #expect(await stage.isLinked())
            try await second.send(Data([2]))
            await second.disconnect()
            #expect(await !stage.isLinked())
        }
    }
}

private func failureOfCancelled(_ call: @escaping @Sendable () async throws -> Void) async -> (
    any Error
)? {
    let task = Task {
        while !Task.isCancelled { await Task.yield() }
        return await failure(call)
    }
    task.cancel()
    return await task.value
}

extension RadioStage {
    /// Whether nothing is held and no caller waits.
    func isClean() async -> Bool { await radio.isIdle }
}

extension BLEStateMachine {
    fileprivate var powerWaiterCount: Int { waits.callerCount }
    fileprivate var hasPhaseReaders: Bool { !observers.phases.isEmpty }
}
