import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@Suite("Scans beside the queue", .timeLimit(.minutes(15)))
struct BesideScanTests {
    @Test("A scan beside the queue runs during reads, writes and listens")
    func operations() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: echoGadget)
            let central = connected.central
            await central.forget()
            await central.run { $0.noteFiltered("scan", .everything, besideQueue: true) }
            await central.run { central in
                central.recordListen("listen", to: controlPoint)
                central.recordRead("read")
                central.recordWrite("write", 8)
            }
            await central.wait(for: "write")
            await central.wait(for: "listen 08")
            #expect(await central.state(\.isScanning))
            #expect(await central.state(\.isConnected))
            await central.run { $0.bluejay.stopScanning() }
            await central.wait(for: "scan stopped")
            #expect(
                await central.record().filter { $0 != "listen 08" } == [
                    "read 01", "write ok", "scan stopped",
                ]
            )
            #expect(await !central.state(\.isScanning))
        }
    }

    @Test(
        "A scan beside the queue finds devices while connected, and outlives the link and another scan",
        .enabled(if: !isRealBlueZ, "the emulated radio delivers one advertisement per scan")
    )
    func hears() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: .gadget([]))
            let central = connected.central
            await central.forget()
            await central.run { $0.noteFiltered("scan", .namePrefix("Other"), besideQueue: true) }
            _ = try await context.testbed.add(
                PeripheralScript(
                    address: "C0:00:00:00:00:02",
                    name: "Other",
                    advertising: ["180F"],
                    services: []
                )
            )
            await central.wait(for: "scan Other")
            try await central.disconnect()
            try await central.connect(connected.identifier)
            #expect(await central.state(\.isScanning))
            try await connected.peripheral.dropLink()
            await central.wait(for: "disconnected")
            #expect(await central.state(\.isScanning))
            #expect(await central.record().filter { $0.hasPrefix("scan") } == ["scan Other"])
        }
    }

    @Test(
        "During a background task, the scan's connect action fails, even after the link is lost",
        .enabled(if: !isRealBlueZ, "the emulated radio delivers one advertisement per scan")
    )
    func answersBesideTask() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: .gadget([]))
            let central = connected.central
            await central.forget()
            let mayEnd = DispatchSemaphore(value: 0)
            await central.run { central in
                central.noteFiltered("scan", .namePrefix("Gadget"), besideQueue: true) {
                    guard !$0.isConnected else { return .continue }
                    return .connect($0, .seconds(10), .default) { [weak central] in
                        central?.recordEvent("connect \($0.text)")
                    }
                }
                central.bluejay.run { (_: SynchronizedPeripheral) in
                    mayEnd.wait()
                } completionOnMainThread: { [weak central] (_: RunResult<Void>) in
                    central?.recordEvent("task ended")
                }
            }
            try await connected.peripheral.dropLink()
            await central.wait(for: "connect")
            mayEnd.signal()
            await central.wait(for: "disconnected")
            #expect(
                await central.record().filter { !$0.hasPrefix("scan") } == [
                    "connect backgroundTaskRunning", "task ended", "disconnected Gadget",
                ]
            )
        }
    }

    @Test("A scan beside the queue and one in the queue run and end independently")
    func besideClassic() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.gadget([]))
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { central in
                central.noteFiltered("beside", .namePrefix("Nobody"), besideQueue: true)
                central.noteFiltered("queued", .namePrefix("Gadget")) { _ in .stop }
            }
            await central.wait(for: "queued stopped")
            await central.expect(["queued Gadget", "queued stopped"])
            #expect(await central.state(\.isScanning))
            await central.run {
                $0.noteFiltered("second", .everything, duration: 0.2, besideQueue: true)
            }
            await central.wait(for: "second stopped")
            #expect(await central.state(\.isScanning))
        }
    }

    @Test("The connect action ends the scan and connects through the queue")
    func connects() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.gadget([]))
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { central in
                central.noteFiltered("scan", .namePrefix("Gadget"), besideQueue: true) { found in
                    .connect(found, timeout: .seconds(20)) {
                        central.recordEvent("connect \($0.text)")
                    }
                }
            }
            await central.wait(for: "connected")
            await central.expect([
                "scan Gadget", "scan stopped", "connect ok", "connected Gadget",
            ])
        }
    }

    @Test(
        "A scan beside the queue ends with Bluetooth, with cancelEverything and with its instance",
        arguments: [
            "off", "everything", "stop", "release",
        ]
    )
    func ends(_ way: String) async throws {
        try await withTestbed(variant: way, isRecorded: false) { context in
            let central = await context.availableCentral(adapter: "hci0")
            let expected: String
            switch way {
            case "off":
                await central.run { $0.noteFiltered("scan", .namePrefix("x"), besideQueue: true) }
                try await context.testbed.setPowered(false)
                expected = "bluetoothUnavailable"
            case "everything":
                await central.run { central in
                    central.noteFiltered("scan", .namePrefix("x"), besideQueue: true)
                    central.bluejay.cancelEverything()
                }
                expected = "cancelled"
            case "stop":
                await central.run { central in
                    central.noteFiltered("scan", .namePrefix("x"), besideQueue: true)
                    central.bluejay.stopAndExtractBluetoothState()
                }
                expected = "stopped"
            default:
                await central.scanAndRelease(at: context.testbed.busAddress)
                expected = "cancelled"
            }
            await central.wait(for: "scan stopped")
            let record = await central.record().filter { $0.hasPrefix("scan") }
            #expect(record == ["scan stopped \(expected)"])
            if way == "off" { try await context.testbed.setPowered(true) }
        }
    }

    @Test(
        "A scan beside the queue fails before start, and waits while the Bluetooth state is unknown"
    )
    func early() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.gadget([]))
            let central = await RecordingCentral.stopped(context.testbed.busAddress)
            await central.run { central in
                central.noteFiltered("early", .everything, besideQueue: true)
                central.bluejay.start()
                central.noteFiltered("scan", .namePrefix("Gad"), besideQueue: true) { _ in .stop }
            }
            await central.wait(for: "scan stopped")
            let record = await central.record().filter { !$0.hasPrefix("available") }
            #expect(
                record == ["early stopped bluetoothUnavailable", "scan Gadget", "scan stopped"]
            )
        }
    }
}

extension RecordingCentral {
    /// Scans with an instance that is released at once.
    fileprivate func scanAndRelease(at bus: String) async {
        await run { central in
            let bluejay = Bluejay(mainLoop: central.loop, busAddress: bus)
            bluejay.start()
            bluejay.scan(matching: .everything, besideQueue: true) { _ in
                .continue
            } stopped: {
                central.recordEvent("scan stopped \($0.map(errorName) ?? "")")
            }
        }
    }
}
