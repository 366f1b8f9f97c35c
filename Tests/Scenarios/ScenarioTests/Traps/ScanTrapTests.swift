import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestTraits
import Testing

private let gadgetAddress = "C0:00:00:00:00:01"
private let none = ServiceIdentifier(uuid: "FFE0")

/// A scan with duplicates requests signal strengths, and the kernel then drops reports without one: all of
/// the emulated air.
private let canAskForDuplicates = !isRealBlueZ

@Suite("Known iOS faults: scans", .timeLimit(.minutes(15)))
struct ScanTrapTests {
    @Test("One advertisement is reported once, with the new discovery in the list")
    func oneCall() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.gadget([]))
            let central = await context.availableCentral()
            await central.run { $0.recordScan("scan") { _, _ in .stop } }
            await central.wait(for: "scan stopped")
            await central.expect(["scan found 1", "scan stopped ok"])
        }
    }

    @Test(
        "RSSI changes below the threshold are not reported",
        .enabled(if: !isRealBlueZ, "the emulated radio reports no RSSI")
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

    @Test("Stopping a scan inside the discovery callback prevents further discoveries")
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
            await central.expect(["scan found 1", "scan stopped ok", "returns"])
        }
    }

    @Test("A connect in the stopped callback works, and the scan stops once")
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
                "scan found 1", "scan stopped ok", "connect ok", "connected Gadget",
            ])
        }
    }

    @Test("A scan started in the stopped callback runs")
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
                "first found 1", "first stopped ok", "second found 1",
                "second stopped ok",
            ])
        }
    }

    @Test("A second scan is rejected, and the first one continues")
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
                "first stopped ok",
            ])
        }
    }

    @Test(
        "Answering the expired callback with stop lets the queue continue",
        .enabled(if: !isRealBlueZ, "the emulated radio does not repeat advertisements")
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
        "Answering the expired callback with connect connects and calls its completion",
        .enabled(if: !isRealBlueZ, "the emulated radio does not repeat advertisements")
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
        "A peripheral blacklisted in the expired callback is not reported again",
        .enabled(if: !isRealBlueZ, "the emulated radio does not repeat advertisements")
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

    @Test("A scan for all services reports peripherals", .pitfall(.hiddenDevices))
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

    @Test("A blacklisted peripheral leaves the list and is not reported again")
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
