import Bluejay
import BluejaySimulator
import Foundation
import Staging
import Testing

private let gadgetAddress = "C0:00:00:00:00:01"
private let none = ServiceIdentifier(uuid: "FFE0")

/// A scan with duplicates requests signal strengths, and the kernel then drops reports without one: all of
/// the emulated air.
private let canAskForDuplicates = !isRealBlueZ

@Suite("Traps of scans", .timeLimit(.minutes(15)))
struct ScanTrapTests {
    @Test("T05: one advertisement is one call, with the new discovery in the list")
    func oneCall() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.gadget([]))
            let central = await context.availableCentral()
            await central.run { $0.recordScan("scan") { _, _ in .stop } }
            await central.wait(for: "scan stopped")
            await central.expect(["scan found 1", "scan stopped by itself"])
        }
    }

    @Test(
        "T05: a change of the signal strength below the threshold is no call",
        .enabled(if: !isRealBlueZ, "the emulated air has no signal strengths")
    )
    func throttled() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.gadget([]))
            let central = await context.availableCentral()
            await central.run { central in
                central.bluejay.scan(
                    allowDuplicates: true,
                    throttleRSSIDelta: 5,
                    serviceIdentifiers: [heartRateService]
                ) { discovery, _ in
                    central.recordEvent("\(discovery.rssi)")
                    return discovery.rssi == -90 ? .stop : .continue
                } stopped: { found, _ in
                    central.recordEvent("stopped \(found.map(\.rssi))")
                }
            }
            await central.wait(for: "-55")
            for strength: Int16 in [-57, -59, -52, -60, -64, -90] {
                try await context.simulate { $0.device(gadgetAddress)?.setSignalStrength(strength) }
            }
            await central.wait(for: "stopped")
            await central.expect(["-55", "-60", "-90", "stopped [-90]"])
        }
    }

    @Test("T05: nothing is discovered after the scan was stopped inside the closure")
    func stopInside() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.gadget([]))
            let central = await context.availableCentral()
            await central.run { central in
                central.recordScan("scan", allowDuplicates: canAskForDuplicates) { _, _ in
                    central.bluejay.stopScanning()
                    central.recordEvent("returns")
                    return .stop
                }
            }
            await central.wait(for: "scan stopped")
            await central.wait(for: "returns")
            _ = try await central.find()
            await central.expect(["scan found 1", "scan stopped by itself", "returns"])
        }
    }

    @Test("T06: a connection asked for in stopped works, and the scan stops once")
    func connectInStopped() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.gadget([]))
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { central in
                var found: PeripheralIdentifier?
                central.recordScan("scan") { discovery, _ in
                    found = discovery.peripheralIdentifier
                    return .stop
                } then: {
                    if let found { central.recordConnect("connect", found) }
                }
            }
            await central.wait(for: "connected")
            await central.expect([
                "scan found 1", "scan stopped by itself", "connect ok", "connected Gadget",
            ])
        }
    }

    @Test("T49: a scan begun in stopped runs")
    func scanInStopped() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.gadget([]))
            let central = await context.availableCentral()
            await central.run { central in
                central.recordScan("first") { _, _ in
                    .stop
                } then: {
                    central.recordScan("second") { _, _ in .stop }
                }
            }
            await central.wait(for: "second stopped")
            await central.expect([
                "first found 1", "first stopped by itself", "second found 1",
                "second stopped by itself",
            ])
        }
    }

    @Test("T07: a second scan is refused, and the first one goes on finding")
    func secondScan() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { central in
                central.recordScan("first") { _, _ in .stop }
                central.recordScan("second")
            }
            await central.wait(for: "second stopped")
            _ = try await context.testbed.add(.gadget([]))
            await central.wait(for: "first stopped")
            await central.expect([
                "second stopped multipleScanNotSupported", "first found 1",
                "first stopped by itself",
            ])
        }
    }

    @Test(
        "T28: stop as the answer of expired lets the queue go on",
        .enabled(if: !isRealBlueZ, "the emulated air has no stream of advertisements")
    )
    func stopInExpired() async throws {
        try await withTestbed(isRecorded: false) { context in
            let peripheral = try await context.testbed.add(.gadget([]))
            let central = await context.availableCentral()
            await central.run { central in
                central.bluejay.scan(allowDuplicates: true, serviceIdentifiers: [heartRateService])
                { _, _ in
                    central.recordEvent("found")
                    return .continue
                } expired: { gone, rest in
                    central.recordEvent(
                        "expired \(gone.peripheralIdentifier.name) of \(rest.count + 1)"
                    )
                    return .stop
                } stopped: { found, _ in
                    central.recordEvent("stopped with \(found.count)")
                }
            }
            await central.wait(for: "found")
            try await peripheral.leaveRange()
            // The scan expires after 15 s of silence.
            await central.wait(for: "stopped")
            #expect(await central.state(\.isScanning) == false)
            await central.run { $0.recordScan("next") }
            try await peripheral.returnToRange()
            await central.wait(for: "next found")
            let record = await central.record().filter { $0 != "found" }
            #expect(record == ["expired Gadget of 1", "stopped with 0", "next found 1"])
        }
    }

    @Test(
        "A connection as the answer of expired is made, and its completion comes",
        .enabled(if: !isRealBlueZ, "the emulated air has no stream of advertisements")
    )
    func connectInExpired() async throws {
        try await withTestbed(isRecorded: false) { context in
            let peripheral = try await context.testbed.add(.gadget([]))
            let central = await context.availableCentral()
            await central.run { central in
                central.bluejay.scan(allowDuplicates: true, serviceIdentifiers: [heartRateService])
                { _, _ in
                    central.recordEvent("found")
                    return .continue
                } expired: { gone, _ in
                    central.recordEvent("expired")
                    return .connect(gone, timeout: .seconds(10)) {
                        central.recordEvent("connect \($0.text)")
                    }
                } stopped: { _, error in
                    central.recordEvent("stopped \(error == nil)")
                }
            }
            await central.wait(for: "found")
            try await peripheral.leaveRange()
            // The discovery expires after 15 s of silence.
            await central.wait(for: "stopped")
            try await peripheral.returnToRange()
            await central.wait(for: "connect")
            let record = await central.record().filter { $0 != "found" }
            #expect(record == ["expired", "stopped true", "connect ok", "connected Gadget"])
        }
    }

    @Test(
        "What is put on the black list as the answer of expired is not told when it comes back",
        .enabled(if: !isRealBlueZ, "the emulated air has no stream of advertisements")
    )
    func blacklistInExpired() async throws {
        try await withTestbed(isRecorded: false) { context in
            let peripheral = try await context.testbed.add(.gadget([]))
            let central = await context.availableCentral()
            await central.run { central in
                central.bluejay.scan(
                    allowDuplicates: true,
                    throttleRSSIDelta: 1000,
                    serviceIdentifiers: [heartRateService]
                ) { found in
                    central.recordEvent("found \(found.peripheralIdentifier.name)")
                    return .continue
                } expired: { _ in
                    central.recordEvent("expired")
                    return .blacklist
                } stopped: { _ in
                }
            }
            await central.wait(for: "found")
            try await peripheral.leaveRange()
            await central.wait(for: "expired")
            try await peripheral.returnToRange()
            _ = try await context.testbed.add(.heartRateSensor())
            await central.wait(for: "found Heart")
            await central.expect(["found Gadget", "expired", "found Heart Rate Sensor"])
        }
    }

    @Test("T47: a scan for all services finds")
    func allServices() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.gadget([]))
            let central = await context.central(adapter: "hci0")
            await central.wait(for: "available")
            for services in [nil, []] as [[ServiceIdentifier]?] {
                await central.forget()
                await central.run { central in
                    central.bluejay.scan(serviceIdentifiers: services) { discovery, _ in
                        let name = discovery.peripheralIdentifier.name
                        central.recordEvent("found \(name)")
                        return name == "Gadget" ? .stop : .continue
                    } stopped: { _, _ in
                        central.recordEvent("stopped")
                    }
                }
                await central.wait(for: "stopped")
                await central.wait(for: "found Gadget")
            }
        }
    }

    @Test("T58: a peripheral that is put on the black list leaves the list, and is not told again")
    func blacklist() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.gadget([]))
            let central = await context.availableCentral()
            await central.run { central in
                central.bluejay.scan(
                    allowDuplicates: canAskForDuplicates,
                    throttleRSSIDelta: 0,
                    serviceIdentifiers: [heartRateService]
                ) { _, all in
                    central.recordEvent("found \(all.count)")
                    return .blacklist
                } stopped: { found, _ in
                    central.recordEvent("stopped with \(found.count)")
                }
            }
            await central.wait(for: "found")
            if !isRealBlueZ {
                try await context.simulate { $0.device(gadgetAddress)?.setSignalStrength(-30) }
            }
            await central.run { $0.bluejay.stopScanning() }
            await central.wait(for: "stopped")
            await central.expect(["found 1", "stopped with 0"])
        }
    }
}
