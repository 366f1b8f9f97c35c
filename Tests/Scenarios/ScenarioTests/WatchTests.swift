import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import TestTraits
import Testing

private let gadget = "C0:00:00:00:00:01"

/// Tests `WatchOperation`, `AdvertisementMonitorSession` and `MonitorManager`.
@Suite("Watching peripherals enter and leave range", .timeLimit(.minutes(15)))
struct WatchTests {
    @Test(
        "A watch uses passive monitors where available, and reports found and lost peripherals",
        .fault(.outOfRange, during: .scan)
    )
    func passive() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { $0.noteWatch("watch", .everything, lostAfter: 2) }
            await central.wait(for: "watch passive")
            let peripheral = try await context.testbed.add(.gadget([]))
            await central.wait(for: "watch found")
            try await peripheral.leaveRange()
            await central.wait(for: "watch lost")
            #expect(await central.state(\.isScanning))
            await central.run { $0.bluejay.stopScanning() }
            await central.wait(for: "watch stopped")
            await central.expect([
                "watch passive", "watch found Gadget", "watch lost Gadget", "watch stopped",
            ])
            #expect(await !central.state(\.isScanning))
        }
    }

    @Test(
        "Without monitors, or with a filter that monitors cannot express, a watch scans actively",
        .pitfall(.experimentalFeatures),
        arguments: [
            "no monitors", "BlueZ 5.55", "name", "either", "excluded", "closure",
        ]
    )
    func active(_ kind: String) async throws {
        guard kind == "name" || !isRealBlueZ else { return }
        try await withTestbed(variant: kind, isRecorded: false) { context in
            try await context.startAnew { options in
                if kind == "no monitors" { options.takesMonitors = false }
                if kind == "BlueZ 5.55" { options.version = .v5_55 }
            }
            let peripheral = try await context.testbed.add(.gadget([]))
            let central = await context.availableCentral(adapter: "hci0")
            // A passive watch receives no scan responses, on which an alternative may depend.
            let filter: ScanFilter =
                switch kind {
                case "name": .namePrefix("Gad")
                case "either": .manufacturer(0x1234) || .name("Gadget")
                case "excluded": !.name("Other")
                case "closure": .where { $0.advertisement.localName == "Gadget" }
                default: .everything
                }
            await central.run { $0.noteWatch("watch", filter, lostAfter: 2) }
            await central.wait(for: "watch active")
            // A discovery with signal strengths receives nothing from the emulated air.
            guard !isRealBlueZ else { return }
            await central.wait(for: "watch found")
            try await peripheral.leaveRange()
            await central.wait(for: "watch lost")
            await central.expect(["watch active", "watch found Gadget", "watch lost Gadget"])
        }
    }

    @Test(
        "Changed data is reported with and without monitors",
        .enabled(if: !isRealBlueZ, "the emulated radio cannot send manufacturer data"),
        arguments: [true, false]
    )
    func changed(_ hasMonitors: Bool) async throws {
        try await withTestbed(variant: "\(hasMonitors)", isRecorded: false) { context in
            try await context.startAnew { $0.takesMonitors = hasMonitors }
            let peripheral = try await context.testbed.add(.gadget([]))
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { $0.noteWatch("watch", .everything, lostAfter: 30) }
            await central.wait(for: "watch found")
            for value in 1...3 as ClosedRange<UInt8> {
                try await context.simulate {
                    $0.device(gadget)?.setManufacturerData(0x0A11, [value])
                }
                await central.wait(for: "watch changed to \(value)")
            }
            try await context.simulate { $0.device(gadget)?.setSignalStrength(-80) }
            try await peripheral.leaveRange()
            await central.wait(for: "watch lost")
            await central.expect([
                "watch \(hasMonitors ? "passive" : "active")", "watch found Gadget",
                "watch changed to 1", "watch changed to 2", "watch changed to 3",
                "watch lost Gadget",
            ])
        }
    }

    @Test(
        "Each watch reports its matching devices, which remain found while they advertise",
        .enabled(if: !isRealBlueZ)
    )
    func fits() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.gadget([]))
            let beacon = PeripheralScript(
                address: "C0:00:00:00:00:02",
                name: "Beacon",
                advertising: [],
                services: []
            )
            _ = try await context.testbed.add(beacon)
            try await context.simulate {
                // Without flags, only its data can match.
                $0.device("C0:00:00:00:00:02")?.isDiscoverable = false
                $0.device("C0:00:00:00:00:02")?.setManufacturerData(0x004C, [2, 0x15])
            }
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { central in
                central.noteWatch("service", .anyService([heartRateService]), lostAfter: 2)
                central.noteWatch("data", .manufacturer(0x004C, prefix: Data([2])), lostAfter: 2)
                central.noteWatch("strong", .minimumRSSI(-50))
            }
            await central.wait(for: "service found")
            await central.wait(for: "data found")
            await central.scan(forSeconds: 3)
            #expect(
                Set(await central.record()) == [
                    "service passive", "data passive", "strong passive", "service found Gadget",
                    "data found Beacon",
                ]
            )
            try await context.simulate {
                $0.device("C0:00:00:00:00:02")?.setManufacturerData(0x004C, [3])
                $0.device(gadget)?.setSignalStrength(-40)
            }
            await central.wait(for: "strong found")
            await central.run { $0.bluejay.cancelEverything() }
            await central.wait(for: "strong stopped")
            await central.wait(for: "data stopped cancelled")
        }
    }

    @Test(
        "If bluetoothd releases the monitors, the watch switches to active scanning",
        .pitfall(.hiddenSignals),
        .enabled(if: !isRealBlueZ)
    )
    func released() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { $0.noteWatch("watch", .everything) }
            await central.wait(for: "watch passive")
            try await context.simulate { $0.releaseMonitors() }
            await central.wait(for: "watch active")
            _ = try await context.testbed.add(.gadget([]))
            await central.wait(for: "watch found")
            await central.expect(["watch passive", "watch active", "watch found Gadget"])
        }
    }

    @Test(
        "A watch continues after Bluetooth was off or bluetoothd restarted",
        .fault(.bluetoothOff, .daemonKilled, during: .scan),
        arguments: ["off", "killed", "ended"]
    )
    func returns(_ way: String) async throws {
        try await withTestbed(variant: way, isRecorded: false) { context in
            _ = try await context.testbed.add(.gadget([]))
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { $0.noteWatch("watch", .everything, lostAfter: 100) }
            await central.wait(for: "watch found")
            if way == "off" {
                try await context.testbed.setPowered(false)
            } else {
                try await context.testbed.endDaemon(politely: way == "ended")
            }
            await central.wait(for: "available false")
            #expect(await central.state(\.isScanning))
            let before = await central.record().filter { $0 != "watch active" }.prefix(4)
            #expect(
                before == [
                    "watch passive", "watch found Gadget", "watch lost Gadget", "available false",
                ]
            )
            await central.forget()
            if way == "off" {
                try await context.testbed.setPowered(true)
            } else {
                try await context.testbed.startDaemon()
            }
            await central.wait(for: "watch found")
            #expect(
                await central.record().filter { $0.hasPrefix("watch") } == [
                    "watch passive", "watch found Gadget",
                ]
            )
        }
    }

    @Test(
        "The answers of a watch stop it, connect, or exclude a peripheral",
        arguments: [
            "stop", "connect", "blacklist",
        ]
    )
    func answers(_ kind: String) async throws {
        try await withTestbed(variant: kind, isRecorded: false) { context in
            let peripheral = try await context.testbed.add(.gadget([]))
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { central in
                central.noteWatch("watch", .everything, lostAfter: 2) { event in
                    guard case .found(let found) = event else { return .continue }
                    return switch kind {
                    case "stop": .stop
                    case "connect":
                        .connect(found, timeout: .seconds(20)) {
                            central.recordEvent("connect \($0.text)")
                        }
                    default: .blacklist
                    }
                }
            }
            switch kind {
            case "stop": await central.wait(for: "watch stopped")
            case "connect": await central.wait(for: "connected")
            default:
                await central.wait(for: "watch found")
                try await peripheral.leaveRange()
                await central.scan(forSeconds: 3)
                try await peripheral.returnToRange()
                await central.scan(forSeconds: 1)
            }
            let rest =
                switch kind {
                case "stop": ["watch stopped"]
                case "connect": ["watch stopped", "connect ok", "connected Gadget"]
                default: [String]()
                }
            await central.expect(["watch passive", "watch found Gadget"] + rest)
        }
    }

    @Test(
        "Stopping a watch during power-off ends its reports, and its connect fails once",
        .enabled(if: !isRealBlueZ, "the emulated radio delivers one advertisement per scan"),
        arguments: ["stop", "connect"]
    )
    func endedByLoss(_ kind: String) async throws {
        try await withTestbed(variant: kind, isRecorded: false) { context in
            for number in 1...3 {
                let gadget = PeripheralScript(
                    address: "C0:00:00:00:00:0\(number)",
                    name: "Gadget",
                    advertising: [],
                    services: []
                )
                _ = try await context.testbed.add(gadget)
            }
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { central in
                central.noteWatch("watch", .everything, lostAfter: 100) { event in
                    guard case .lost(let lost) = event else { return .continue }
                    guard kind == "connect" else { return .stop }
                    return .connect(lost, timeout: .seconds(20)) {
                        central.recordEvent("connect \($0.text)")
                    }
                }
            }
            for _ in 1...3 { await central.wait(for: "watch found") }
            await central.forget()
            try await context.testbed.setPowered(false)
            await central.wait(for: "available false")
            await central.wait(for: kind == "stop" ? "watch stopped" : "connect")
            let connect = kind == "stop" ? [] : ["connect bluetoothUnavailable"]
            #expect(
                await central.record().filter { $0 != "available false" }
                    == ["watch lost Gadget", "watch stopped"] + connect
            )
            try await context.testbed.setPowered(true)
        }
    }

    @Test("Reads, writes and another instance's scan run during a watch")
    func beside() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: echoGadget)
            let central = connected.central
            let second = await context.central(adapter: "hci0", sharing: central)
            await second.wait(for: "available true")
            await central.forget()
            await second.forget()
            await central.run { $0.noteWatch("watch", .everything) }
            await central.wait(for: "watch passive")
            await central.run { central in
                central.recordRead("read")
                central.recordWrite("write", 8)
            }
            await second.run { $0.noteFiltered("scan", .address(gadget)) { _ in .stop } }
            await second.wait(for: "scan stopped")
            await central.wait(for: "write")
            await second.expect(["scan Gadget", "scan stopped"])
            #expect(await central.record().prefix(1) == ["watch passive"])
            #expect(await central.record().suffix(2) == ["read 01", "write ok"])
        }
    }

    @Test("Watches before start, with invalid arguments or with Bluetooth off fail once")
    func badInput() async throws {
        try await withTestbed(isRecorded: false) { context in
            let early = await RecordingCentral.stopped(context.testbed.busAddress)
            await early.run { $0.noteWatch("early", .everything) }
            await early.wait(for: "early stopped")
            await early.expect(["early stopped bluetoothUnavailable"])
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { central in
                central.noteWatch("address", .address(""))
                central.noteWatch("short", .everything, lostAfter: -1) { _ in .stop }
                central.noteWatch("odd", .everything, lostAfter: .nan) { _ in .stop }
                central.recordEvent("called")
            }
            await central.wait(for: "odd stopped")
            #expect(await central.record().first == "called")
            #expect(await central.record().contains("address stopped error 31"))
            try await context.testbed.setPowered(false)
            await central.wait(for: "available false")
            await central.forget()
            await central.run { $0.noteWatch("off", .everything) }
            await central.wait(for: "off stopped")
            await central.expect(["off stopped bluetoothUnavailable"])
            try await context.testbed.setPowered(true)
        }
    }

    @Test("Releasing the instance ends its watch, and a watch started in the stopped callback runs")
    func ends() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = await context.availableCentral(adapter: "hci0")
            let bus = context.testbed.busAddress
            await central.run { central in
                let bluejay = Bluejay(mainLoop: central.loop, busAddress: bus)
                bluejay.start()
                bluejay.watch(for: .everything) { _ in
                    .continue
                } stopped: {
                    central.recordEvent("released \($0.map(errorName) ?? "")")
                }
            }
            await central.wait(for: "released")
            await central.expect(["released cancelled"])
            await central.run { central in
                central.bluejay.watch(for: .everything) { _ in
                    .stop
                } stopped: { _ in
                    central.noteWatch("second", .everything)
                }
            }
            await central.wait(for: "second passive")
        }
    }
}

extension ScenarioContext {
    /// Restarts the simulated bluetoothd with other options; no effect on a real one.
    fileprivate func startAnew(_ change: (inout SimulatorOptions) -> Void) async throws {
        guard let system = (testbed as? SimulatedTestbed)?.system else { return }
        var options = SimulatorOptions()
        options.timeScale = 0.1
        change(&options)
        try await testbed.endDaemon(politely: false)
        try await system.startDaemon(options)
    }
}

extension RecordingCentral {
    /// Records `NAME passive`, `NAME found Gadget`, `NAME lost Gadget`, and the end of the watch.
    fileprivate func noteWatch(
        _ name: String,
        _ filter: ScanFilter,
        lostAfter: TimeInterval = 15,
        answer: @escaping (WatchEvent) -> ScanAction = { _ in .continue }
    ) {
        bluejay.watch(for: filter, lostAfter: lostAfter) { [weak self] event in
            switch event {
            case .started(let mode): self?.recordEvent("\(name) \(mode)")
            case .found(let found):
                self?.recordEvent("\(name) found \(found.peripheralIdentifier.name)")
            case .changed(let now):
                let value = now.advertisement.manufacturerData[0x0A11]?.last ?? 0
                self?.recordEvent("\(name) changed to \(value)")
            case .lost(let lost):
                self?.recordEvent("\(name) lost \(lost.peripheralIdentifier.name)")
            }
            return answer(event)
        } stopped: { [weak self] error in
            self?.recordEvent("\(name) stopped\(error.map { " " + errorName($0) } ?? "")")
        }
    }

    /// Runs a scan that finds nothing, to let time pass.
    fileprivate func scan(forSeconds seconds: TimeInterval) async {
        await withCheckedContinuation { continuation in
            loop.post { [self] in
                bluejay.scan(matching: .namePrefix("Nobody"), duration: seconds) { _ in
                    .continue
                } stopped: { _ in
                    continuation.resume()
                }
            }
        }
    }
}
