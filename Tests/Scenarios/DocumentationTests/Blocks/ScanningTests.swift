import Bluejay
import BluejaySimulator
import Foundation
import Testing

private class ScanningScreen: Screen {
    var discoveries: [ScanDiscovery] = []

    // swift-format-ignore
    func scan() {
        let debugPrint = notes.write
        // document: 9 basic scan
        bluejay.scan(
            serviceIdentifiers: [heartRateService],
            discovery: { [weak self] (discovery, discoveries) -> ScanAction in
                guard let weakSelf = self else {
                    return .stop
                }

                weakSelf.discoveries = discoveries
                weakSelf.tableView.reloadData()

                return .continue
            },
            stopped: { (discoveries, error) in
                if let error = error {
                    debugPrint("Scan stopped with error: \(error.localizedDescription)")
                }
                else {
                    debugPrint("Scan stopped without error.")
                }
        })
        // end
    }

    // swift-format-ignore
    func monitor() {
        let debugPrint = notes.write
        // document: 11 monitoring
        bluejay.scan(
            duration: 15,
            allowDuplicates: true,
            serviceIdentifiers: nil,
            discovery: { [weak self] (discovery, discoveries) -> ScanAction in
                guard let weakSelf = self else {
                    return .stop
                }

                weakSelf.discoveries = discoveries
                weakSelf.tableView.reloadData()

                return .continue
            },
            expired: { [weak self] (lostDiscovery, discoveries) -> ScanAction in
                guard let weakSelf = self else {
                    return .stop
                }

                debugPrint("Lost discovery: \(lostDiscovery)")

                weakSelf.discoveries = discoveries
                weakSelf.tableView.reloadData()

                return .continue
        }) { (discoveries, error) in
                if let error = error {
                    debugPrint("Scan stopped with error: \(error.localizedDescription)")
                }
                else {
                    debugPrint("Scan stopped without error.")
                }
        }
        // end
    }

    func scan(allowDuplicates: Bool, answer: @escaping (ScanDiscovery) -> ScanAction) {
        bluejay.scan(
            allowDuplicates: allowDuplicates,
            serviceIdentifiers: [heartRateService],
            discovery: { [notes] discovery, _ in
                notes.write("discovered at \(discovery.rssi)")
                return answer(discovery)
            },
            stopped: { [notes] _, error in
                notes.write("stopped \(error.map { "\($0)" } ?? "without error")")
            }
        )
    }
}

private enum Document {
    // swift-format-ignore
    // document: 10 ScanAction
    public enum ScanAction {
        case `continue`
        case blacklist
        case stop
        case connect(ScanDiscovery, (ConnectionResult) -> Void)
    }
    // end
}

extension Document.ScanAction {
    fileprivate var ours: ScanAction {
        switch self {
        case .continue: .continue
        case .blacklist: .blacklist
        case .stop: .stop
        case .connect(let discovery, let completion): .connect(discovery, completion)
        }
    }
}

private func name(_ action: ScanAction) -> String {
    // Has no `default`, so the library and the document must have the same actions.
    switch action {
    case .continue: "continue"
    case .blacklist: "blacklist"
    case .stop: "stop"
    case .connect: "connect"
    }
}

@Suite("Blocks of the iOS README: scanning", .timeLimit(.minutes(15)))
struct ScanningTests {
    @Test("Block 9 lists peripherals with the service until the scan is stopped")
    func basicScan() async throws {
        try await with(ScanningScreen.self) { stage in
            await stage.add {
                SimulatedDevice(
                    address: "C0:00:00:00:00:02",
                    name: "Thermometer",
                    advertising: ["1809"]
                )
            }
            await stage.add { gadget() }
            await stage.on { $0.scan() }
            await stage.notes.wait(for: "table reloaded")
            let names = await stage.read { $0.discoveries.map(\.peripheralIdentifier.name) }
            #expect(names == ["Gadget"])
            check(await stage.read { $0.bluejay.isScanning }, is: true)
            await stage.on { $0.bluejay.stopScanning() }
            await stage.notes.wait(for: "Scan stopped")
            #expect(
                stage.notes.lines == [
                    "available true", "table reloaded", "Scan stopped without error.",
                ]
            )
        }
    }

    @Test("Block 9 reports an error if Bluetooth is switched off")
    func failingScan() async throws {
        try await with(ScanningScreen.self) { stage in
            await stage.add { gadget() }
            await stage.on { $0.scan() }
            await stage.notes.wait(for: "table reloaded")
            await stage.system.perform { $0.setPowered(false, ofAdapter: 0) }
            await stage.system.perform { $0.setPowered(false, ofAdapter: 1) }
            await stage.notes.wait(for: "Scan stopped")
            let line = stage.notes.lines.first { $0.hasPrefix("Scan stopped") }
            #expect(line?.hasPrefix("Scan stopped with error: ") == true)
        }
    }

    @Test("Block 10 names the four scan actions")
    func actions() {
        let discovery = ScanDiscovery(
            peripheralIdentifier: PeripheralIdentifier(uuid: UUID(), name: "Gadget"),
            advertisement: Advertisement(),
            rssi: -50
        )
        let connect = Document.ScanAction.connect(discovery) { _ in }
        let all: [Document.ScanAction] = [.continue, .blacklist, .stop, connect]
        #expect(all.map(\.ours).map(name) == ["continue", "blacklist", "stop", "connect"])
    }

    @Test("Block 10 reports further packets after continue and none after blacklist")
    func goOn() async throws {
        try await with(ScanningScreen.self) { stage in
            await stage.add { gadget() }
            await stage.on { screen in
                screen.scan(allowDuplicates: true) { discovery in
                    (discovery.rssi == -55 ? Document.ScanAction.continue : .blacklist).ours
                }
            }
            await stage.notes.wait(for: "discovered at -55")
            await stage.device { $0.setSignalStrength(-70) }
            await stage.notes.wait(for: "discovered at -70")
            await stage.device { $0.setSignalStrength(-90) }
            await stage.add {
                SimulatedDevice(
                    address: "C0:00:00:00:00:03",
                    name: "Other",
                    advertising: ["180D"],
                    rssi: -40
                )
            }
            await stage.notes.wait(for: "discovered at -40")
            #expect(!stage.notes.lines.contains("discovered at -90"))
        }
    }

    @Test("Block 10 ends the scan with stop")
    func stop() async throws {
        try await with(ScanningScreen.self) { stage in
            await stage.add { gadget() }
            await stage.on {
                $0.scan(allowDuplicates: false) { _ in Document.ScanAction.stop.ours }
            }
            await stage.notes.wait(for: "stopped")
            #expect(
                stage.notes.lines == [
                    "available true", "discovered at -55", "stopped without error",
                ]
            )
            check(await stage.ask { $0.isConnected }, is: false)
        }
    }

    @Test("Block 10 ends the scan with connect and connects")
    func connect() async throws {
        try await with(ScanningScreen.self) { stage in
            await stage.add { gadget() }
            await stage.on { screen in
                let notes = screen.notes
                screen.scan(allowDuplicates: false) { discovery in
                    Document.ScanAction.connect(discovery) { result in
                        if case .success(let peripheral) = result {
                            notes.write("completed \(peripheral.name)")
                        }
                    }.ours
                }
            }
            await stage.notes.wait(for: "completed Gadget")
            #expect(stage.notes.lines.contains("stopped without error"))
            check(await stage.ask { $0.isConnected }, is: true)
        }
    }

    @Test("Block 11 reports each change of the signal and ends after 15 seconds")
    func monitoring() async throws {
        try await with(ScanningScreen.self) { stage in
            let begin = ContinuousClock.now
            await stage.add { gadget() }
            await stage.on { $0.monitor() }
            await stage.notes.wait(for: "table reloaded")
            await stage.device { $0.setSignalStrength(-80) }
            await stage.notes.wait(for: "table reloaded", count: 2)
            check(await stage.read { $0.discoveries.map(\.rssi) }, is: [-80])
            await stage.notes.wait(for: "Scan stopped")
            #expect(stage.notes.lines.last == "Scan stopped without error.")
            #expect(ContinuousClock.now - begin >= .seconds(15))
            check(await stage.read { $0.bluejay.isScanning }, is: false)
        }
    }
}
