import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import TestTraits
import Testing

/// A second peripheral, which no scan searches for.
private let other = PeripheralScript(
    address: "C0:00:00:00:00:02",
    name: "Other",
    advertising: ["180F"],
    services: []
)

/// Tests `ScanOperation`.
@Suite("Scans with filters", .timeLimit(.minutes(15)))
struct FilteredScanTests {
    @Test(
        "A scan reports only devices that match its filter",
        .pitfall(.mergedFilters),
        arguments: [
            "name", "whole name", "address", "any service", "all services", "company",
            "name and service", "either", "excluded", "closure",
        ]
    )
    func fits(_ kind: String) async throws {
        // The real machine has a single controller for peripherals, and they send no manufacturer data.
        guard kind != "company" || !isRealBlueZ else { return }
        try await withTestbed(variant: kind, isRecorded: false) { context in
            if !isRealBlueZ { _ = try await context.testbed.add(other) }
            _ = try await context.testbed.add(.gadget([]))
            if kind == "company" {
                try await context.simulate {
                    $0.device("C0:00:00:00:00:01")?.setManufacturerData(0x1234, [1, 2])
                    $0.device("C0:00:00:00:00:02")?.setManufacturerData(0x1234, [2])
                }
            }
            let filter: ScanFilter =
                switch kind {
                case "name": .namePrefix("Gad")
                case "whole name": .name("Gadget")
                case "address": .address("c0:00:00:00:00:01")
                case "any service":
                    .anyService([heartRateService, ServiceIdentifier(uuid: "FFE0")])
                case "all services": .allServices([heartRateService])
                case "company": .manufacturer(0x1234, prefix: Data([1]))
                case "either": .name("Nobody") || .anyService([heartRateService])
                case "excluded":
                    !.address("C0:00:00:00:00:02") && !.name("Other")
                case "closure": .where { $0.peripheralIdentifier.name.hasPrefix("Gad") }
                default: .namePrefix("Gadget") && .anyService([heartRateService])
                }
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { $0.noteFiltered("scan", filter, duration: 1) }
            await central.wait(for: "scan stopped")
            await central.expect(["scan Gadget", "scan stopped"])
        }
    }

    @Test(
        "Service data alone makes a device match its service",
        .enabled(if: !isRealBlueZ, "the emulated radio cannot send service data"),
        arguments: ["scan", "any service", "all services", "with duplicates", "first"]
    )
    func serviceDataOnly(_ kind: String) async throws {
        try await withTestbed(variant: kind, isRecorded: false) { context in
            let scale = PeripheralScript(
                address: "C0:00:00:00:00:03",
                name: "Scale",
                advertising: [],
                services: []
            )
            _ = try await context.testbed.add(scale)
            try await context.simulate {
                $0.device("C0:00:00:00:00:03")?.setServiceData("FCD2", [0x40, 1])
            }
            let central = await context.availableCentral(adapter: "hci0")
            let service = ServiceIdentifier(uuid: "FCD2")
            await central.run { central in
                switch kind {
                case "scan", "with duplicates":
                    central.bluejay.scan(
                        allowDuplicates: kind != "scan",
                        serviceIdentifiers: [service]
                    ) { [weak central] discovery, _ in
                        central?.recordEvent("found \(discovery.peripheralIdentifier.name)")
                        return .stop
                    } stopped: { _, _ in
                    }
                case "first":
                    central.bluejay.connect(toFirst: .anyService([service])) {
                        [weak central] result in
                        if case .success(let peripheral) = result {
                            central?.recordEvent("found \(peripheral.name)")
                        }
                    }
                default:
                    let filter: ScanFilter =
                        kind == "any service" ? .anyService([service]) : .allServices([service])
                    central.bluejay.scan(matching: filter) { [weak central] discovery in
                        central?.recordEvent("found \(discovery.peripheralIdentifier.name)")
                        return .stop
                    } stopped: { _ in
                    }
                }
            }
            await central.wait(for: "found Scale")
        }
    }

    @Test(
        "A discovery has the flags, the appearance and the raw fields of the advertisement",
        .enabled(if: !isRealBlueZ, "the emulated radio cannot send these fields")
    )
    func everyField() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.gadget([]))
            try await context.simulate {
                let gadget = $0.device("C0:00:00:00:00:01")
                gadget?.setAppearance(0x0341)
                gadget?.setAdvertisingData(0x14, [0x0D, 0x18])
            }
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { central in
                central.bluejay.scan(
                    matching: .where { $0.advertisement.appearance?.category == 0x00D },
                    allowDuplicates: true,
                    throttleRSSIDelta: 0
                ) { [weak central] discovery, _ in
                    let found = discovery.advertisement
                    let flags = found.flags?.description ?? "no flags"
                    let fields = found.rawFields.sorted { $0.key < $1.key }
                    let text = fields.map { "\($0.key): \(Array($0.value))" }
                    central?.recordEvent(
                        "\(flags); \(found.solicitedServiceUUIDs); \(text.joined(separator: ", "))"
                    )
                    return .continue
                } stopped: { _, _ in
                }
            }
            let flags = "general discoverable, no Classic"
            await central.wait(for: "\(flags); [180D]; 20: [13, 24]")
            // A signal with this property alone takes another path than a new device.
            try await context.simulate {
                $0.device("C0:00:00:00:00:01")?.setAdvertisingData(0x15, [UInt8](0...15))
            }
            let uuid = "0F0E0D0C-0B0A-0908-0706-050403020100"
            let bytes = [UInt8](0...15)
            await central.wait(
                for: "\(flags); [180D, \(uuid)]; 20: [13, 24], 21: \(bytes)"
            )
        }
    }

    @Test(
        "Changed data is reported as a discovery even if the RSSI is constant",
        .enabled(if: !isRealBlueZ, "the emulated radio cannot send manufacturer data")
    )
    func changedData() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.gadget([]))
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { central in
                central.bluejay.scan(
                    allowDuplicates: true,
                    serviceIdentifiers: [heartRateService]
                ) { [weak central] discovery, _ in
                    let data = discovery.advertisement.manufacturerData[0x0A11]
                    central?.recordEvent("data \(data?.last ?? 0)")
                    return .continue
                } stopped: { _, _ in
                }
            }
            await central.wait(for: "data 0")
            for value in 1...4 as ClosedRange<UInt8> {
                try await context.simulate {
                    $0.device("C0:00:00:00:00:01")?.setManufacturerData(0x0A11, [value])
                }
                await central.wait(for: "data \(value)")
            }
            await central.expect((0...4).map { "data \($0)" })
        }
    }

    @Test(
        "With duplicates, the packet contains the manufacturer data of the latest advertisement",
        .pitfall(.accumulatedData),
        .enabled(if: !isRealBlueZ, "the emulated radio cannot send manufacturer data")
    )
    func presentData() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.gadget([]))
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { central in
                central.bluejay.scan(
                    allowDuplicates: true,
                    serviceIdentifiers: [heartRateService]
                ) { [weak central] discovery, _ in
                    let key = CBAdvertisementDataManufacturerDataKey
                    let data = discovery.advertisementPacket[key] as? Data
                    central?.recordEvent("company \(data.map { Array($0.prefix(2)) } ?? [])")
                    return .continue
                } stopped: { _, _ in
                }
            }
            await central.wait(for: "company []")
            var last: UInt16?
            for company in [0x0A11, 0x0901, 0x0C33] as [UInt16] {
                let old = last
                try await context.simulate {
                    let device = $0.device("C0:00:00:00:00:01")
                    if let old { device?.setManufacturerData(old, nil) }
                    device?.setManufacturerData(company, [1])
                }
                last = company
                let bytes = [UInt8(company & 0xFF), UInt8(company >> 8)]
                await central.wait(for: "company \(bytes)")
            }
        }
    }

    @Test(
        "A device is reported once its RSSI reaches the minimum, even in small steps",
        .pitfall(.hiddenSignals),
        .enabled(if: !isRealBlueZ, "the emulated radio reports no RSSI")
    )
    func strength() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.gadget([]))
            let address = "C0:00:00:00:00:01"
            try await context.simulate { $0.device(address)?.setSignalStrength(-74) }
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { $0.noteFiltered("far", .everything) }
            await central.wait(for: "far Gadget")
            await central.run { $0.bluejay.stopScanning() }
            await central.wait(for: "far stopped")
            await central.forget()
            await central.run { $0.noteFiltered("near", .minimumRSSI(-70)) }
            for strength in [-73, -72, -71] as [Int16] {
                try await context.simulate { $0.device(address)?.setSignalStrength(strength) }
            }
            // bluetoothd's answer follows all of its earlier signals.
            _ = await central.read { $0.bluejay.isScanning }
            await central.expect([])
            try await context.simulate { $0.device(address)?.setSignalStrength(-70) }
            await central.wait(for: "near")
            await central.expect(["near Gadget"])
        }
    }

    @Test(
        "A device that stops matching the filter expires as if it were out of range",
        .enabled(if: !isRealBlueZ, "the emulated radio does not repeat advertisements")
    )
    func expires() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.gadget([]))
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { central in
                central.bluejay.scan(matching: .minimumRSSI(-70), allowDuplicates: true) {
                    central.recordEvent("found \($0.rssi)")
                    return .continue
                } expired: {
                    central.recordEvent("expired \($0.rssi)")
                    return .stop
                } stopped: { _ in
                    central.recordEvent("stopped")
                }
            }
            await central.wait(for: "found -55")
            try await context.simulate { $0.device("C0:00:00:00:00:01")?.setSignalStrength(-71) }
            await central.wait(for: "stopped")
            await central.expect(["found -55", "expired -55", "stopped"])
        }
    }

    @Test(
        "Two instances on one loop scan with their own filters and receive their own devices",
        .pitfall(.mergedFilters),
        .enabled(if: !isRealBlueZ, "the test machine has one peripheral controller")
    )
    func twoUsers() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.gadget([]))
            let first = await context.availableCentral(adapter: "hci0")
            let second = await context.central(adapter: "hci0", sharing: first)
            await second.wait(for: "available true")
            await second.forget()
            await first.run { $0.noteFiltered("first", .anyService([heartRateService])) }
            await second.run { $0.noteFiltered("second", .namePrefix("Other")) }
            await first.wait(for: "first Gadget")
            _ = try await context.testbed.add(other)
            await second.wait(for: "second Other")
            await first.run { $0.bluejay.stopScanning() }
            await first.wait(for: "first stopped")
            await first.expect(["first Gadget", "first stopped"])
            await second.expect(["second Other"])
        }
    }

    @Test("A scan started in the stopped callback runs, as do those after it")
    func again() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.gadget([]))
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { $0.repeatScan(3) }
            await central.wait(for: "stopped 0")
            await central.expect(["stopped 3", "stopped 2", "stopped 1", "stopped 0"])
        }
    }

    @Test("A filter with an invalid address or UUID fails once, asynchronously")
    func refused() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { central in
                central.noteFiltered("address", .address("C4:7C"))
                central.noteFiltered("service", .anyService([ServiceIdentifier(uuid: "heart")]))
                central.recordEvent("called")
            }
            await central.wait(for: "service stopped")
            await central.expect([
                "called", "address stopped error 31", "service stopped error 30",
            ])
        }
    }
}

extension RecordingCentral {
    /// Records `NAME Gadget` for each discovery, and the end of the scan.
    func noteFiltered(
        _ name: String,
        _ filter: ScanFilter,
        duration: TimeInterval = 0,
        besideQueue: Bool = false,
        discovery: @escaping (ScanDiscovery) -> ScanAction = { _ in .continue }
    ) {
        bluejay.scan(matching: filter, duration: duration, besideQueue: besideQueue) {
            [weak self] in
            self?.recordEvent("\(name) \($0.peripheralIdentifier.name)")
            return discovery($0)
        } stopped: { [weak self] error in
            self?.recordEvent("\(name) stopped\(error.map { " " + errorName($0) } ?? "")")
        }
    }

    fileprivate func repeatScan(_ times: Int) {
        bluejay.scan(matching: .namePrefix("Gadget")) { _ in
            .stop
        } stopped: { [weak self] _ in
            self?.recordEvent("stopped \(times)")
            if times > 0 { self?.repeatScan(times - 1) }
        }
    }
}
