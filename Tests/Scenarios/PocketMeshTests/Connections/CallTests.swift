import BluejayGLib
import BluejaySimulator
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
        try await Field.play(holds: stop == .subscribingToNotifications) { field in
            let first = try await field.bring(to: stop)
            let other = Field.id(of: "C0:00:00:00:00:09")
            let error = await failure { _ = try await field.radio.connect(to: other) }
            guard case .connectionFailed(let text) = error as? BLEError else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(text.contains(stop.rawValue))
            #expect(await field.radio.currentPhase.name == stop.rawValue)
            await field.letGo(of: stop)
            if let first { _ = try await first.value }
            if stop != .disconnecting { try await field.wait(for: "connected") }
        }
    }

    @Test(
        "Three consecutive disconnects complete in each phase",
        arguments: Stop.allCases
    )
    func disconnects(stop: Stop) async throws {
        try await Field.play(holds: stop == .subscribingToNotifications) { field in
            let call = try await field.bring(to: stop)
            let radio = field.radio
            if stop == .disconnecting {
                let calls = (0..<3).map { _ in Task { await radio.disconnect() } }
                await field.letGo(of: stop)
                for call in calls { await call.value }
            } else {
                for _ in 0..<3 { await radio.disconnect() }
            }
            if let call {
                let error = await failure { _ = try await call.value }
                #expect((error as? BLEError).map(caseName) == "connectionFailed")
            }
            #expect(await radio.currentPhase == .idle)
            #expect(field.journal.count("gone") == 0)
            #expect(field.journal.count("back") == 0)
            #expect(await field.isClean())
            await field.letGo(of: stop)
            if stop.isOff { try await wait { await radio.bluetoothState == .poweredOn } }
            _ = try await radio.connect(to: Field.device)
            #expect(field.journal.count("gone") == 0)
        }
    }

    @Test(
        "A cancelled connect is undone in each phase, and the next one succeeds at once",
        arguments: Stop.allCases.filter(\.hasCaller)
    )
    func cancelled(stop: Stop) async throws {
        try await Field.play(holds: stop == .subscribingToNotifications) { field in
            let call = try #require(try await field.bring(to: stop))
            call.cancel()
            await #expect(throws: CancellationError.self) { _ = try await call.value }
            #expect(await field.radio.currentPhase == .idle)
            #expect(await field.isClean())
            try await wait { await !field.isLinked() }
            await field.letGo(of: stop)
            if stop.isOff { try await wait { await field.radio.bluetoothState == .poweredOn } }
            _ = try await field.radio.connect(to: Field.device)
        }
    }

    @Test("A task cancelled before its call throws CancellationError and has no effect")
    func cancelledBefore() async throws {
        try await Field.play(holds: true) { field in
            let radio = field.radio
            let calls: [@Sendable () async throws -> Void] = [
                { _ = try await radio.connect(to: Field.device) },
                { _ = try await radio.switchDevice(to: Field.device) },
            ]
            for call in calls {
                #expect(await failureOfCancelled(call) is CancellationError)
                #expect(await radio.currentPhase == .idle)
            }
            _ = try await radio.connect(to: Field.device)
            await field.on { $0.hold(.write, of: tx) }
            let error = await failureOfCancelled { try await radio.send(Data([1])) }
            #expect(error is CancellationError)
        }
    }

    @Test("A cancelled task no longer waits for Bluetooth")
    func cancelsWaiting() async throws {
        try await Field.play { field in
            try await field.bring(to: .restoringState)
            let radio = field.radio
            let wait = Task { try await radio.waitForPoweredOn() }
            try await TestSupport.wait { await radio.powerWaiterCount == 1 }
            wait.cancel()
            await #expect(throws: CancellationError.self) { try await wait.value }
            #expect(await radio.powerWaiterCount == 0)
        }
    }

    @Test("A cancelled task still disconnects")
    func disconnectsCancelled() async throws {
        try await Field.play { field in
            _ = try await field.radio.connect(to: Field.device)
            let radio = field.radio
            _ = await failureOfCancelled { await radio.disconnect() }
            #expect(await radio.currentPhase == .idle)
            #expect(await !field.isLinked())
        }
    }

    @Test("A radio can be switched from each phase", arguments: Stop.allCases)
    func switches(stop: Stop) async throws {
        try await Field.play(holds: stop == .subscribingToNotifications) { field in
            let second = "C0:00:00:00:00:02"
            let other = UncheckedTransfer(simulatedRadio(address: second, name: "Two"))
            await field.system.perform { $0.add(other.value) }
            let call = try await field.bring(to: stop)
            let radio = field.radio
            if stop.isOff { await field.setPowered(true) }
            let change = Task { try await radio.switchDevice(to: Field.id(of: second)) }
            if stop == .disconnecting { await field.letGo(of: stop) }
            _ = try await change.value
            if let call, !stop.isOff {
                await #expect(throws: (any Error).self) { _ = try await call.value }
            }
            #expect(await radio.connectedDeviceID == Field.id(of: second))
            try await wait { await !field.isLinked() }
            #expect(field.journal.count("gone") == 0)
            #expect(try field.remembered() == Field.id(of: second))
        }
    }

    @Test("A connected radio scans, and the scan reports radios only")
    func scans() async throws {
        try await Field.play { field in
            _ = try await field.radio.connect(to: Field.device)
            let found = Journal()
            await field.radio.setDeviceDiscoveredHandler { device, rssi in
                found.note("\(device) \(rssi.map(String.init) ?? "unknown")")
            }
            await field.radio.startScanning()
            let others = UncheckedTransfer([
                simulatedRadio(address: "C0:00:00:00:00:02", name: "Two"),
                SimulatedDevice.heartRateSensor(),
            ])
            await field.system.perform { world in
                for device in others.value { world.add(device) }
            }
            let second = Field.id(of: "C0:00:00:00:00:02")
            try await found.wait(for: "\(second) -55")
            // The scan resumes after Bluetooth returns.
            await field.setPowered(false)
            try await field.wait(for: "idle")
            let before = found.count("\(second)")
            await field.setPowered(true)
            try await found.wait(for: "\(second)", count: before + 1)
            await field.radio.stopScanning()
            let known = Set([Field.device, second].map(\.uuidString))
            #expect(found.lines.allSatisfy { known.contains(String($0.prefix(36))) })
        }
    }

    @Test("Each phase stream starts with the current phase and ends with the shutdown")
    func phases() async throws {
        try await Field.play { field in
            let early = await field.radio.phases
            _ = try await field.radio.connect(to: Field.device)
            let late = await field.radio.phases
            await field.radio.shutdown()
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
            #expect(await !field.radio.hasPhaseReaders)
        }
    }

    @Test("A shutdown keeps the radio saved for the next run, and a new activation restores it")
    func shutsDown() async throws {
        try await Field.play { field in
            let stream = try await field.radio.connect(to: Field.device)
            await field.radio.shutdown()
            for await _ in stream {}
            #expect(await !field.isLinked())
            #expect(try field.remembered() == Field.device)
            #expect(await field.radio.bluetoothState == .unknown)
            #expect(await field.isClean())
            await field.radio.shutdown()
            await field.radio.activate()
            try await field.journal.wait(for: "back")
            try await field.wait(for: "connected")
        }
    }

    @Test("Releasing the state machine disconnects the link and ends the stream")
    func released() async throws {
        try await Field.play { field in
            var other: BLEStateMachine? = Field.makeRadio(RadioSettings(), field.system)
            let stream = try #require(try await other?.connect(to: Field.device))
            weak let left = other
            #expect(await field.isLinked())
            other = nil
            for await _ in stream {}
            try await wait { await !field.isLinked() }
            try await wait { left == nil }
        }
    }

    @Test("Two state machines share the link of one radio, which ends with the last of them")
    func shared() async throws {
        try await Field.play { field in
            let second = BLEStateMachine(restoreIdentifier: nil, host: field.radio.host)
            let one = try await field.radio.connect(to: Field.device)
            let two = try await second.connect(to: Field.device)
            await field.send([1])
            for stream in [one, two] {
                var iterator = stream.makeAsyncIterator()
                #expect(await iterator.next() == Data([1]))
            }
            await field.radio.disconnect()
            #expect(await field.isLinked())
            try await second.send(Data([2]))
            await second.disconnect()
            #expect(await !field.isLinked())
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

extension Field {
    /// Whether nothing is held and no caller waits.
    func isClean() async -> Bool { await radio.isIdle }
}

extension BLEStateMachine {
    fileprivate var powerWaiterCount: Int { access.callerCount }
    fileprivate var hasPhaseReaders: Bool { observers.hasReaders }
}
