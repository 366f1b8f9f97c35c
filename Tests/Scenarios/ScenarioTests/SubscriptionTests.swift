import Bluejay
import BluejaySimulator
import Staging
import TestSupport
import TestTraits
import Testing

private let address = "C0:00:00:00:00:01"
private let gadget = PeripheralScript.gadget([
    ScriptedCharacteristic("2A37", ["read", "notify"], .value([0])),
    ScriptedCharacteristic("2A38", ["read"], .value([1])),
])

/// Subscriptions as the peripheral sees them while links and listens start and end.
///
/// Tests `AttributeRequests` and their `LinkExecutor`.
@Suite(
    "Subscriptions at the peripheral",
    .timeLimit(.minutes(15)),
    .enabled(if: !isRealBlueZ, "only a simulated peripheral reports its subscribers")
)
struct SubscriptionTests {
    @Test(
        "A listen that ended with its link is not restored when the link is",
        .pitfall(.subscriptionOutlivesLink)
    )
    func lostLink() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: gadget)
            let central = connected.central
            await central.listen(measurement)
            await central.settle()
            #expect(try await context.listeners() == 1)
            try await connected.peripheral.dropLink()
            await central.wait(for: "disconnected")
            try await central.connect(connected.identifier)
            try await wait { try await context.listeners() == 0 }
            #expect(await central.isListening(to: measurement) == false)
        }
    }

    @Test("After a reconnection, endListen leaves the peripheral without a subscriber")
    func endAfterReturn() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: gadget)
            let central = connected.central
            await central.listen(measurement)
            await central.settle()
            try await connected.peripheral.dropLink()
            await central.wait(for: "disconnected")
            try await central.connect(connected.identifier)
            try await central.endListen(measurement)
            try await wait { try await context.listeners() == 0 }
        }
    }

    @Test(
        "A listen started after a reconnection works, and endListen unsubscribes at the peripheral",
        .pitfall(.removalIsNoRemedy, .subscriptionOutlivesLink)
    )
    func listenAfterReturn() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: gadget)
            let central = connected.central
            await central.listen(measurement)
            await central.settle()
            try await connected.peripheral.dropLink()
            await central.wait(for: "disconnected")
            try await central.connect(connected.identifier)
            await central.listen(measurement, as: "again")
            await central.settle()
            try await connected.peripheral.send([3], on: "2A37")
            await central.wait(for: "again 3")
            try await central.endListen(measurement)
            try await wait { try await context.listeners() == 0 }
        }
    }

    @Test("A kept listen that is ended while disconnected does not resume")
    func keptAndEnded() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: gadget, reconnects: true)
            let (central, peripheral) = (connected.central, connected.peripheral)
            await central.run { $0.recordListen("kept", isKept: true) }
            await central.settle()
            try await peripheral.leaveRange()
            await central.wait(for: "disconnected")
            try await central.endListen(measurement)
            await central.forget()
            try await peripheral.returnToRange()
            await central.wait(for: "connected")
            try await wait { try await context.listeners() == 0 }
            try await peripheral.send([4], on: "2A37")
            await central.settle()
            #expect(await central.record(of: "kept").isEmpty)
            #expect(await central.isListening(to: measurement) == false)
        }
    }

    @Test("A listen after one that timed out receives values or fails")
    func pendingSetUp() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: gadget)
            let central = connected.central
            try await context.simulate { $0.device(address)?.hold(.subscription, of: "2A37") }
            await central.run { central in
                central.bluejay.listen(to: measurement, timeout: .seconds(0.2)) {
                    (result: ReadResult<UInt8>) in
                    central.recordEvent("first \(result.text)")
                }
            }
            await central.wait(for: "first operationTimedOut")
            await central.run { $0.recordListen("second") }
            await central.settleBehind()
            try await context.simulate {
                $0.device(address)?.release(.subscription, of: "2A37", refusingWith: 0x80)
            }
            try await wait {
                try await connected.peripheral.send([5], on: "2A37")
                return await !central.record(of: "second").isEmpty
            }
        }
    }

    @Test("Thousands of values that arrive during a read of their characteristic stay in order")
    func valuesDuringRead() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: gadget)
            let central = connected.central
            let count = 4_000
            await central.run { central in
                var last = -1
                central.bluejay.listen(to: measurement) { (result: ReadResult<UInt16>) in
                    guard case .success(let value) = result else { return }
                    if Int(value) != last + 1 { central.recordEvent("\(value) after \(last)") }
                    last = Int(value)
                    if last == count - 1 { central.recordEvent("all") }
                }
            }
            await central.settle()
            try await context.simulate { $0.device(address)?.hold(.read, of: "2A37") }
            await central.forget()
            await central.run { central in
                central.recordRead("read", of: measurement)
            }
            try await context.simulate { world in
                for value in 0..<count {
                    let bytes = [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)]
                    world.device(address)?.send(bytes, on: "2A37")
                }
                world.device(address)?.release(.read, of: "2A37")
            }
            await central.wait(for: "all")
            await central.wait(for: "read")
            #expect(await central.record().sorted() == ["all", "read 00"])
        }
    }
}

extension ScenarioContext {
    /// The number of subscriptions to the gadget's measurements.
    fileprivate func listeners() async throws -> Int {
        let system = (testbed as? SimulatedTestbed)?.system
        return await system?.read { $0.device(address)?.listenerCount(of: "2A37") ?? 0 } ?? 0
    }
}

extension RecordingCentral {
    /// Waits for some iterations of the loop; queued operations may still wait.
    fileprivate func settleBehind() async {
        for _ in 0..<3 { await run { _ in } }
    }
}
