import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

/// The activity of a peripheral when another adapter is requested.
enum Occupation: String, CaseIterable {
    case connected, connecting, scanning, watching, waiting, reconnecting, disconnecting, told

    /// Starts the activity.
    ///
    /// In the last case, the test drops the link later and calls from an observer.
    func begin(_ context: ScenarioContext, _ encounter: DiscoveredPeripheral) async throws {
        let (central, identifier) = (encounter.central, encounter.identifier)
        switch self {
        case .connected: try await central.connect(identifier)
        case .connecting:
            try await encounter.peripheral.leaveRange()
            await central.run { $0.recordConnect("connect", identifier, timeout: .none) }
        case .scanning: await central.run { $0.recordScan("scan") }
        case .watching:
            await central.run { central in
                central.bluejay.watch(for: .everything) { _ in
                    .continue
                } stopped: { _ in
                }
            }
        case .waiting:
            // bluetoothd does not know the device for a moment, and the call waits for it.
            try await context.testbed.endDaemon(politely: false)
            await central.wait(forState: .serviceNotRunning)
            try await context.simulate { $0.apply(.daemonStarted) }
            await central.wait(forState: .poweredOn)
            await central.run { $0.recordScan("scan") }
            await central.run { $0.recordConnect("connect", identifier) }
        case .reconnecting:
            await central.run { $0.bluejay.reconnectOptions.maximumAttempts = nil }
            try await central.connect(identifier)
            try await encounter.peripheral.leaveRange()
            await central.wait(for: "disconnected")
        case .disconnecting:
            try await central.connect(identifier)
            await central.run { $0.recordDisconnect("disconnect") }
        case .told: try await central.connect(identifier)
        }
    }
}

/// Tests `AdapterController`.
@Suite(
    "Switching adapters at run time",
    .timeLimit(.minutes(15)),
    .enabled(if: !isRealBlueZ, "the second controller belongs to the peripheral")
)
struct AdapterChoiceScenarios {
    @Test("Calls after useAdapter go to the new adapter, and observers are notified asynchronously")
    func next() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.gadget([]))
            let central = await context.availableCentral(adapter: "hci0")
            await central.watchAdapters()
            await central.forget()
            await central.run { central in
                central.bluejay.useAdapter("hci1", completion: central.ended("use"))
                central.recordEvent("called \(central.bluejay.adapter?.name ?? "none")")
            }
            await central.wait(for: "use")
            await central.expect(["called hci1", "watch uses hci1", "use ok"])
            try await central.connect(try await central.find())
            let handed = await central.read { $0.bluejay.stopAndExtractBluetoothState() }
            #expect(handed.manager.adapterPath == "/org/bluez/hci1")
            #expect(handed.peripheral?.devicePath.hasPrefix("/org/bluez/hci1/") == true)
        }
    }

    @Test("An adapter can be chosen by its address, and nil returns to the first powered adapter")
    func byAddress() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = await context.availableCentral()
            #expect(try await central.useAdapter("00:aa:01:01:00:01").name == "hci1")
            #expect(try await central.useAdapter(nil).name == "hci0")
            // The instance is no longer bound to one adapter.
            try await context.testbed.setPowered(false)
            try await wait { central.bluejay.adapter?.name == "hci1" }
        }
    }

    @Test(
        "Choosing a powered-off adapter makes Bluetooth unavailable, and observers learn it asynchronously"
    )
    func off() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = await context.availableCentral(adapter: "hci1")
            try await context.testbed.setPowered(false)
            try await wait { central.bluejay.adapters.first?.isPowered == false }
            await central.run { central in
                central.bluejay.useAdapter("hci0", completion: central.ended("use"))
                central.recordEvent("called \(central.bluejay.bluetoothState == .poweredOff)")
            }
            await central.wait(for: "use")
            await central.expect(["called true", "available false", "use ok"])
            await central.forget()
            _ = try await central.setPowered(true)
            await central.expect(["available true"])
            _ = try await central.useAdapter("hci1")
            try await context.testbed.setPowered(false)
            await central.expect(["available true"])
        }
    }

    @Test("Choosing an adapter that does not exist fails and changes nothing")
    func missing() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = await context.availableCentral(adapter: "hci1")
            await #expect(throws: BluejayError.bluetoothUnavailable(.adapterNotFound("hci7"))) {
                try await central.useAdapter("hci7")
            }
            #expect(central.bluejay.adapter?.name == "hci1")
            try await context.testbed.unplug()
            await central.wait(forState: .adapterNotFound("hci1"))
            await #expect(throws: BluejayError.bluetoothUnavailable(.noAdapter)) {
                try await central.useAdapter(nil)
            }
            try await context.testbed.plug()
            await central.wait(forState: .poweredOn)
            #expect(central.bluejay.adapter?.name == "hci1")
            try await context.testbed.endDaemon(politely: false)
            await central.wait(forState: .serviceNotRunning)
            await #expect(throws: BluejayError.bluetoothUnavailable(.serviceNotRunning)) {
                try await central.useAdapter("hci0")
            }
        }
    }

    @Test("Calls queued after start and useAdapter use the chosen adapter")
    func early() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.gadget([]))
            let central = await RecordingCentral.stopped(context.testbed.busAddress)
            await central.watchAdapters()
            await central.run { central in
                central.bluejay.start()
                central.bluejay.useAdapter("hci1", completion: central.ended("use"))
                central.recordScan("scan", discovery: { _, _ in .stop })
                // Too late, because the scan already waits in the queue.
                central.bluejay.useAdapter("hci0", completion: central.ended("late"))
            }
            await central.wait(for: "scan stopped")
            #expect(await central.record(of: "late") == ["late inUse"])
            #expect(await central.record(of: "use") == ["use ok"])
            #expect(await central.record(of: "watch uses") == ["watch uses hci1"])
            #expect(central.bluejay.adapters.map(\.name) == ["hci0", "hci1"])
            let known = try await central.known()
            #expect(known.map(\.name) == ["Gadget"])
            let other = await context.availableCentral(adapter: "hci0")
            #expect(try await other.known() == [])
        }
    }

    @Test(
        "While the instance is busy, useAdapter fails with inUse and changes nothing",
        arguments: Occupation.allCases
    )
    func refused(occupation: Occupation) async throws {
        try await withTestbed(variant: occupation.rawValue, isRecorded: false) { context in
            let encounter = try await context.found(.gadget([]))
            let central = encounter.central
            try await occupation.begin(context, encounter)
            if occupation == .told {
                let observer = await RecordingObserver.watch(central)
                await central.run { central in
                    observer.onEvent = { text in
                        guard text == "second: disconnected" else { return }
                        central.bluejay.useAdapter("hci1", completion: central.ended("use"))
                    }
                }
                try await encounter.peripheral.dropLink()
            } else {
                await central.run { central in
                    central.bluejay.useAdapter("hci1", completion: central.ended("use"))
                }
            }
            await central.wait(for: "use")
            #expect(await central.record(of: "use") == ["use inUse"])
            #expect(central.bluejay.adapter?.name == "hci0")
            // The caller can resolve every case in the same way.
            await central.run { $0.bluejay.cancelEverything() }
            await central.run { $0.bluejay.stopScanning() }
            try await wait { await !central.state(\.isConnected) }
            try await wait { await !central.isConnecting() }
            try await wait { (try? await central.useAdapter("hci1")) != nil }
        }
    }

    @Test("useAdapter succeeds in the completions of a disconnect and of a finished scan")
    func inCompletions() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: .gadget([]))
            let central = connected.central
            await central.forget()
            await central.run { central in
                central.recordDisconnect("disconnect") {
                    central.bluejay.useAdapter("hci1", completion: central.ended("first"))
                    central.recordScan("scan", discovery: { _, _ in .stop }) {
                        central.bluejay.useAdapter("hci0", completion: central.ended("second"))
                    }
                }
            }
            await central.wait(for: "second")
            await central.expect([
                "disconnected Gadget", "disconnect ok", "first ok", "scan found 1",
                "scan stopped ok", "second ok",
            ])
            #expect(central.bluejay.adapter?.name == "hci0")
        }
    }

    @Test("Two instances on one loop each use their own adapter")
    func twoInstances() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: .gadget([]))
            let second = await context.central(adapter: "hci0", sharing: connected.central)
            await second.wait(for: "available true")
            #expect(try await second.useAdapter("hci1").name == "hci1")
            #expect(connected.central.bluejay.adapter?.name == "hci0")
            #expect(await connected.central.state(\.isConnected))
        }
    }

    @Test("If the adapter in use is unplugged while connected, another adapter replaces it")
    func pulledOut() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.gadget([]))
            let central = await context.availableCentral()
            try await central.connect(try await central.find())
            await central.watchAdapters()
            await central.forget()
            try await context.simulate { $0.unplug(adapter: 0) }
            await central.wait(for: "watch uses hci1")
            await central.wait(for: "watch vanished hci0")
            let record = await central.record()
            #expect(record.contains("watch changed hci0 on to hci0 off"))
            #expect(record.contains("watch vanished hci0"))
            #expect(record.filter { $0 == "disconnected Gadget" }.count == 1)
            try await central.connect(try await central.find())
        }
    }
}
