import Bluejay
import BluejaySimulator
import Staging
import TestSupport
import TestTraits
import Testing

/// Interactions between two instances on one adapter.
@Suite(
    "Several instances on one adapter",
    .timeLimit(.minutes(15)),
    .enabled(if: !isRealBlueZ, "the emulated radio does not repeat advertisements")
)
struct SharedAdapterTests {
    @Test(
        "A scan receives as many advertisements while another instance waits for an absent device",
        .pitfall(.scanSlowsConnect)
    )
    func scanBesideConnect() async throws {
        try await withTestbed(isRecorded: false) { context in
            let peripheral = try await context.testbed.add(
                .heartRateSensor(address: "C4:7C:8D:6A:1F:03", name: "Absent")
            )
            let first = await context.central(adapter: "hci0")
            let absent = try await first.find()
            // bluetoothd keeps connected devices, and connects to a kept device without a discovery.
            try await first.connect(absent)
            try await first.disconnect()
            try await peripheral.leaveRange()
            _ = try await context.testbed.add(.gadget([]))
            try await context.slowDown()
            await first.wait(for: "available true")
            let second = await context.central(adapter: "hci0", sharing: first)
            await second.wait(for: "available true")
            let alone = await second.discoveries(inSeconds: 8)
            await first.run { $0.recordConnect("connect", absent, timeout: .none) }
            try await wait { await first.isConnecting() }
            let beside = await second.discoveries(inSeconds: 8)
            // One advertisement arrives each second; connecting pauses a scan for at most two seconds.
            #expect(alone >= 4)
            #expect(beside >= alone - 3)
            await first.run { $0.recordDisconnect("end", immediate: true) }
            await first.wait(for: "end")
        }
    }

    @Test(
        "Two loops that connect to one device simultaneously both succeed and keep the link",
        .pitfall(.parallelConnects)
    )
    func twoLoops() async throws {
        try await withTestbed(isRecorded: false) { context in
            let found = try await context.found(.gadget([]))
            let first = found.central
            let second = await context.availableCentral(adapter: "hci0")
            for round in 1...5 {
                await first.forget()
                await second.forget()
                await first.run { $0.recordConnect("first", found.identifier) }
                await second.run { $0.recordConnect("second", found.identifier) }
                await first.wait(for: "first")
                await second.wait(for: "second")
                await first.wait(for: "connected")
                await second.wait(for: "connected")
                await first.expect(["first ok", "connected Gadget"])
                await second.expect(["second ok", "connected Gadget"])
                #expect(try await found.peripheral.isConnected(), "round \(round)")
                try await found.peripheral.dropLink()
                await first.wait(for: "disconnected")
                await second.wait(for: "disconnected")
            }
        }
    }
}

extension ScenarioContext {
    /// Runs the simulator in real time, like the clocks of the library.
    fileprivate func slowDown() async throws {
        guard let system = (testbed as? SimulatedTestbed)?.system else { return }
        try await testbed.endDaemon(politely: false)
        try await system.startDaemon()
    }
}

extension RecordingCentral {
    /// The number of advertisements that a scan receives.
    fileprivate func discoveries(inSeconds duration: Double) async -> Int {
        await forget()
        await run { central in
            central.bluejay.scan(
                duration: duration,
                allowDuplicates: true,
                throttleRSSIDelta: 0,
                serviceIdentifiers: [heartRateService]
            ) { _, _ in
                central.recordEvent("received")
                return .continue
            } stopped: { _, _ in
                central.recordEvent("stopped")
            }
        }
        await wait(for: "stopped")
        return await record(of: "received").count
    }
}
