import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

/// Two instances on one loop, connected to one gadget: `A` and `B` in the record of `A`.
private struct Pair {
    let first: RecordingCentral
    let context: ScenarioContext
    let identifier: PeripheralIdentifier
    /// The second instance, or `nil` after its release.
    private(set) var second: RecordingCentral?

    init(_ context: ScenarioContext) async throws {
        self.context = context
        let found = try await context.found(
            .gadget([
                ScriptedCharacteristic("2A37", ["notify"], .value([])),
                ScriptedCharacteristic("2A38", ["read"], .value([1])),
            ])
        )
        first = found.central
        identifier = found.identifier
        // Not created by the context, which would retain the instance for too long.
        let second = await RecordingCentral(
            context.testbed.busAddress,
            adapter: "hci0",
            sharing: first.loop
        )
        self.second = second
        try await first.connect(found.identifier)
        try await second.connect(found.identifier)
        await first.forget()
    }

    func listen(_ central: RecordingCentral?, as name: String, option: MultipleListenOption = .trap)
        async
    {
        await central?.run { [first] central in
            central.bluejay.listen(to: measurement, multipleListenOption: option) {
                [weak first] (result: ReadResult<UInt8>) in
                first?.recordEvent("\(name) \(result.text)")
            }
        }
        await central?.settle()
    }

    func send(_ value: UInt8) async throws {
        try await context.simulate { $0.device(gadgetAddress)?.send([value], on: "2A37") }
    }

    /// Waits until the gadget has `count` subscriptions.
    func waitForListeners(_ count: Int) async throws {
        try await wait {
            let system = (context.testbed as? SimulatedTestbed)?.system
            return await system?.read {
                $0.device(gadgetAddress)?.listenerCount(of: "2A37")
            } == count
        }
    }

    mutating func release() {
        second = nil
    }
}

private let gadgetAddress = "C0:00:00:00:00:01"

/// The ways in which one of two listeners leaves.
enum Leaving: String, CaseIterable {
    case endsItsListen, disconnects, disconnectsAtOnce, cancelsEverything, stops, isReleased
}

/// Tests `LinkRegistry`.
@Suite(
    "Two instances connected to one device",
    .timeLimit(.minutes(15)),
    .enabled(if: !isRealBlueZ)
)
struct SharedDeviceTests {
    @Test(
        "Each listener receives each value once, however the other instance leaves",
        arguments: Leaving.allCases
    )
    func leaving(_ leaving: Leaving) async throws {
        try await withTestbed(variant: leaving.rawValue, isRecorded: false) { context in
            var pair = try await Pair(context)
            await pair.listen(pair.first, as: "A")
            await pair.listen(pair.second, as: "B")
            try await pair.send(1)
            await pair.first.wait(for: "A 1")
            await pair.first.wait(for: "B 1")
            let first = pair.first
            await first.expectInAnyOrder(["A 1", "B 1"])
            try await go(leaving, pair.second)
            if leaving == .isReleased { pair.release() }
            await first.settle()
            try await pair.send(2)
            await first.wait(for: "A 2")
            await first.expectInAnyOrder(["A 1", "A 2", "B 1"])
            try await first.endListen(measurement)
            try await pair.waitForListeners(0)
        }
    }

    @Test("When the first listener leaves, the second still receives each value once")
    func firstLeaves() async throws {
        try await withTestbed(isRecorded: false) { context in
            let pair = try await Pair(context)
            await pair.listen(pair.first, as: "A")
            await pair.listen(pair.second, as: "B")
            try await pair.first.disconnect()
            try await pair.send(1)
            await pair.first.wait(for: "B 1")
            try await pair.send(2)
            await pair.first.wait(for: "B 2")
            #expect(await pair.first.record(of: "A ").isEmpty)
            #expect(await pair.first.record(of: "B ") == ["B 1", "B 2"])
            try await pair.second?.disconnect()
            try await wait { try await !pair.isConnected() }
        }
    }

    @Test("A rejected subscription fails for both instances, and both can listen afterwards")
    func refused() async throws {
        try await withTestbed(isRecorded: false) { context in
            let pair = try await Pair(context)
            try await context.simulate {
                $0.device(gadgetAddress)?.setBehavior(.refuses(0x80), of: "2A37")
            }
            await pair.listen(pair.first, as: "A")
            await pair.listen(pair.second, as: "B")
            await pair.first.expectInAnyOrder(["A attribute", "B attribute"])
            try await context.simulate {
                $0.device(gadgetAddress)?.setBehavior(.value([]), of: "2A37")
            }
            await pair.first.forget()
            await pair.listen(pair.first, as: "A")
            await pair.listen(pair.second, as: "B")
            try await pair.send(1)
            await pair.first.wait(for: "A 1")
            await pair.first.wait(for: "B 1")
            await pair.first.expectInAnyOrder(["A 1", "B 1"])
        }
    }

    @Test("A rejected second listen of one instance leaves both instances' listens running")
    func trapped() async throws {
        try await withTestbed(isRecorded: false) { context in
            let pair = try await Pair(context)
            await pair.listen(pair.first, as: "A")
            await pair.listen(pair.second, as: "B")
            await pair.listen(pair.second, as: "C")
            try await pair.send(1)
            await pair.first.wait(for: "A 1")
            await pair.first.wait(for: "B 1")
            await pair.first.expectInAnyOrder(
                ["A 1", "B 1", "C multipleListenTrapped"]
            )
        }
    }

    @Test("A connect cancelled as it succeeds does not keep the link up")
    func givenUpAtOnce() async throws {
        try await withTestbed(isRecorded: false) { context in
            let pair = try await Pair(context)
            let identifier = pair.identifier
            try await pair.second?.disconnect()
            await pair.second?.run { second in
                // The failure is delivered on the iteration in which the connect joins the existing link.
                second.bluejay.endListen(to: measurement) { _ in
                    second.bluejay.cancelEverything()
                }
                second.bluejay.connect(identifier) { second.recordEvent("connect \($0.text)") }
                // Both are due by now and run on the same iteration of the loop.
                Thread.sleep(forTimeInterval: 0.01)
            }
            await pair.second?.wait(for: "connect")
            try await pair.first.disconnect()
            try await wait { try await !pair.isConnected() }
        }
    }

    @Test(
        "Two listeners are each notified once, and can listen again in the callback"
    )
    func installed() async throws {
        try await withTestbed(isRecorded: false) { context in
            let pair = try await Pair(context)
            let first = pair.first
            for (central, name) in [(pair.first, "A"), (pair.second, "B")] {
                await central?.run { central in
                    central.bluejay.listen(to: measurement, as: UInt8.self) { _ in
                        first.recordEvent("\(name) failed")
                    } installed: {
                        first.recordEvent("\(name) subscribed")
                        central.bluejay.endListen(to: measurement)
                        central.bluejay.listen(to: measurement, as: UInt8.self) { result in
                            first.recordEvent("\(name) \(result.text)")
                        } installed: {
                            first.recordEvent("\(name) resubscribed")
                        }
                    }
                }
                await central?.settle()
                await first.wait(for: "\(name) resubscribed")
            }
            try await pair.send(1)
            await first.wait(for: "A 1")
            await first.wait(for: "B 1")
            await first.expectInAnyOrder([
                "A 1", "A resubscribed", "A subscribed", "B 1", "B resubscribed", "B subscribed",
            ])
        }
    }

    @Test("After both instances have ended their listens, the peripheral has no subscriber")
    func lastOne() async throws {
        try await withTestbed(isRecorded: false) { context in
            let pair = try await Pair(context)
            await pair.listen(pair.first, as: "A")
            await pair.listen(pair.second, as: "B")
            try await pair.waitForListeners(1)
            try await pair.first.endListen(measurement)
            try await pair.waitForListeners(1)
            try await pair.second?.endListen(measurement)
            try await pair.waitForListeners(0)
        }
    }
}

extension Pair {
    fileprivate func isConnected() async throws -> Bool {
        let system = (context.testbed as? SimulatedTestbed)?.system
        return await system?.read { $0.device(gadgetAddress)?.isConnected ?? false } ?? false
    }
}

private func go(_ leaving: Leaving, _ central: RecordingCentral?) async throws {
    switch leaving {
    case .endsItsListen: try await central?.endListen(measurement)
    case .disconnects: try await central?.disconnect()
    case .disconnectsAtOnce: try await central?.disconnect(immediate: true)
    case .cancelsEverything:
        await central?.run { $0.bluejay.cancelEverything() }
        try await wait { await central?.state(\.isConnected) == false }
    case .stops: await central?.run { $0.bluejay.stopAndExtractBluetoothState() }
    case .isReleased: break
    }
}

extension RecordingCentral {
    fileprivate func expectInAnyOrder(
        _ expected: [String],
        at place: SourceLocation = #_sourceLocation
    ) async {
        let record = await record().sorted()
        #expect(record == expected, sourceLocation: place)
    }
}
