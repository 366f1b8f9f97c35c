import Bluejay
import BluejaySimulator
import BusTrace
import Foundation
import Glibc
import Staging
import TestTraits
import Testing

@Suite("Restoration after a killed run", .timeLimit(.minutes(15)))
struct RestorationTests {
    private let lives: ProgramRuns

    init() throws { lives = try ProgramRuns() }

    private let sensor = "Heart Rate Sensor"

    // MARK: The link

    @Test(
        "A link that bluetoothd kept is adopted without connecting again",
        .pitfall(.linkOutlivesProgram),
        arguments: [SIGKILL, SIGTERM]
    )
    func kept(signal: Int32) async throws {
        try await withTestbed(isRecorded: false) { context in
            let peripheral = try await context.testbed.add(.heartRateSensor())
            try await lives.live(context, until: signal)
            #expect(try await peripheral.isConnected())
            let recorder = try await BusRecorder.start(busAddress: context.testbed.busAddress)
            let life = await lives.next(context)
            await life.central.wait(for: "unhandled 0 ")
            await life.central.wait(for: "connected")
            let record = await life.recordWithoutValues()
            #expect(record == ["available true", "restored \(sensor)", "connected \(sensor)"])
            let calls = await recorder.stop().filter { $0.kind == .call }.map(\.member)
            #expect(!calls.contains("Connect") && !calls.contains("Disconnect"))
            #expect(calls.contains("StartNotify"))
            #expect(try await life.central.value(of: location, as: UInt8.self) == 1)
        }
    }

    @Test(
        "A link that bluetoothd dropped is reconnected, and its listens are restored",
        .fault(.programKilled, during: .listen)
    )
    func notKept() async throws {
        try await withTestbed(isRecorded: false) { context in
            let peripheral = try await context.testbed.add(.heartRateSensor())
            try await lives.live(context)
            try await peripheral.dropLink()
            let recorder = try await BusRecorder.start(busAddress: context.testbed.busAddress)
            let life = await lives.next(context)
            await life.central.wait(for: "unhandled 0 ")
            await life.central.wait(for: "connected")
            let record = await life.recordWithoutValues()
            #expect(record == ["available true", "restored \(sensor)", "connected \(sensor)"])
            let calls = await recorder.stop().filter { $0.kind == .call }.map(\.member)
            #expect(calls.contains("Connect"))
        }
    }

    @Test("If the peripheral is absent, only the restorer is notified, and the state is removed")
    func gone() async throws {
        try await withTestbed(isRecorded: false) { context in
            let peripheral = try await context.testbed.add(.heartRateSensor())
            try await lives.live(context)
            try await peripheral.leaveRange()
            let life = await lives.next(context)
            await life.central.wait(for: "failed")
            #expect(!lives.isLeft())
            let record = await life.record()
            #expect(record.count == 2 && record.first == "available true", "\(record)")
            try await peripheral.returnToRange()
            try await life.central.connect(try await life.central.find())
            #expect(lives.isLeft())
        }
    }

    @Test("Restoring an unreachable peripheral times out after 15 seconds")
    func timeLimit() async throws {
        try await withTestbed(isRecorded: false) { context in
            let unheard = try PeripheralIdentifier(
                address: "C0:00:00:00:00:09",
                isRandomAddress: true,
                name: sensor
            )
            try lives.leave(unheard)
            let start = ContinuousClock.now
            let life = await lives.next(context)
            await life.central.wait(for: "failed")
            let duration = start.duration(to: .now)
            #expect(await life.record().last == "failed \(sensor): connectionTimedOut")
            #expect(duration > .seconds(14.5) && duration < .seconds(25), "\(duration)")
        }
    }

    @Test("If Bluetooth is off at the start, restoration waits for it")
    func offAtFirst() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.heartRateSensor())
            try await lives.live(context)
            try await context.testbed.setPowered(false)
            let life = await lives.next(context)
            await life.central.wait(for: "available false")
            #expect(lives.isLeft())
            try await context.testbed.setPowered(true)
            await life.central.wait(for: "connected")
            let record = await life.recordWithoutValues()
            #expect(
                record == [
                    "available false", "available true", "restored \(sensor)",
                    "connected \(sensor)",
                ]
            )
        }
    }

    @Test("A restored connection that is lost reconnects like any other")
    func lostAgain() async throws {
        try await withTestbed(isRecorded: false) { context in
            let peripheral = try await context.testbed.add(.heartRateSensor())
            try await lives.live(context)
            let life = await lives.next(context, reconnects: true)
            await life.central.wait(for: "connected")
            await life.central.forget()
            try await peripheral.dropLink()
            await life.central.wait(for: "connected")
            let record = await life.recordWithoutValues()
            #expect(record == ["disconnected \(sensor)", "connected \(sensor)"])
        }
    }

    // MARK: State for the next run

    @Test("A disconnect leaves no state to restore")
    func disconnected() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.heartRateSensor())
            let life = await lives.next(context)
            try await life.central.connect(try await life.central.find())
            #expect(lives.isLeft())
            try await life.central.disconnect()
            #expect(!lives.isLeft())
            let after = await lives.next(context)
            try await after.central.connect(try await after.central.find())
            let record = await after.record()
            #expect(record == ["available true", "connected \(sensor)"])
        }
    }

    @Test(
        "A connection attempt is saved for the next run until it fails",
        .fault(.programKilled, during: .connect)
    )
    func attempt() async throws {
        try await withTestbed(isRecorded: false) { context in
            let life = await lives.next(context)
            await life.central.wait(for: "available true")
            let gadget = try PeripheralIdentifier(
                address: "C0:00:00:00:00:09",
                isRandomAddress: true,
                name: "Gadget"
            )
            await life.central.run { central in
                central.bluejay.connect(gadget) { _ in central.recordEvent("over") }
            }
            await life.central.run { _ in }
            #expect(lives.isLeft())
            await life.central.run { $0.bluejay.disconnect(immediate: true) }
            await life.central.wait(for: "over")
            #expect(!lives.isLeft())
        }
    }

    @Test(
        "A lost connection is saved while it reconnects",
        .fault(.programKilled, during: .reconnectPause)
    )
    func reconnecting() async throws {
        try await withTestbed(isRecorded: false) { context in
            let peripheral = try await context.testbed.add(.heartRateSensor())
            let life = try await KilledRun(
                "demo",
                in: lives.home.url,
                bus: context.testbed.busAddress
            )
            try await peripheral.leaveRange()
            await life.end()
            try await peripheral.returnToRange()
            let second = await lives.next(context)
            await second.central.wait(for: "unhandled 0 ")
        }
    }

    @Test("A lost connection that does not reconnect is removed from the saved state")
    func lostForGood() async throws {
        try await withTestbed(isRecorded: false) { context in
            let peripheral = try await context.testbed.add(.heartRateSensor())
            let life = await lives.next(context)
            try await life.central.connect(try await life.central.find())
            try await peripheral.dropLink()
            await life.central.wait(for: "disconnected")
            await life.central.run { _ in }
            #expect(!lives.isLeft())
        }
    }

    @Test(
        "Several restore identifiers are independent",
        .enabled(if: !isRealBlueZ, "the test machine has one peripheral controller")
    )
    func sideBySide() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.heartRateSensor())
            try await lives.live(context, as: "a")
            let other = PeripheralScript.heartRateSensor(
                address: "C4:7C:8D:6A:1F:03",
                name: "Other"
            )
            _ = try await context.testbed.add(other)
            try await lives.live(context, as: "a/b")
            let first = await lives.next(context, as: "a")
            let second = await lives.next(context, as: "a/b")
            await first.central.wait(for: "connected \(sensor)")
            await second.central.wait(for: "connected Other")
            try await first.central.disconnect()
            #expect(!lives.isLeft("a") && lives.isLeft("a/b"))
        }
    }

    // MARK: Calls during restoration

    @Test("With Bluetooth off, calls fail with bluetoothUnavailable even during a restoration")
    func bluetoothOff() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.heartRateSensor())
            try await lives.live(context)
            try await context.testbed.setPowered(false)
            let life = await ProgramRun(context)
            await life.start("demo", in: lives.home.url) { _ in }
            await life.central.wait(for: "available false")
            await life.central.run { central in
                central.recordRead("read")
                central.recordTask("task") { _ in }
            }
            await life.central.wait(for: "task")
            let record = await life.central.record().suffix(2)
            #expect(record == ["read bluetoothUnavailable", "task bluetoothUnavailable"])
            try await context.testbed.setPowered(true)
        }
    }

    @Test(
        "Calls fail until the restorer has been called, and the restorer's completion may make calls"
    )
    func meanwhile() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.heartRateSensor())
            try await lives.live(context)
            let life = await ProgramRun(context)
            life.restorer.then = { central in
                central.bluejay.read(from: location) { (result: ReadResult<UInt8>) in
                    central.recordEvent("late read \(result.text)")
                }
            }
            await life.start("demo", in: lives.home.url) { central in
                let bluejay = central.bluejay
                bluejay.read(from: location) { (result: ReadResult<UInt8>) in
                    central.recordEvent("read \(result.text)")
                }
                bluejay.scan(serviceIdentifiers: [heartRateService]) { _, _ in
                    .stop
                } stopped: { _, error in
                    central.recordEvent("scan \(error.map(errorName) ?? "")")
                }
                bluejay.disconnect { result in
                    if case .failure(let error) = result {
                        central.recordEvent("disconnect \(errorName(error))")
                    }
                }
            }
            await life.central.wait(for: "late read")
            let record = await life.recordWithoutValues()
            #expect(
                record == [
                    "read backgroundRestorationInProgress", "scan backgroundRestorationInProgress",
                    "disconnect backgroundRestorationInProgress", "available true",
                    "restored \(sensor)", "connected \(sensor)", "late read 1",
                ]
            )
        }
    }

    @Test("cancelEverything ends a restoration, also while it waits for Bluetooth")
    func cancelled() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.heartRateSensor())
            try await lives.live(context)
            try await context.testbed.setPowered(false)
            let life = await lives.next(context)
            await life.central.wait(for: "available false")
            await life.central.run { $0.bluejay.cancelEverything() }
            #expect(!lives.isLeft())
            try await context.testbed.setPowered(true)
            await life.central.wait(for: "available true")
            _ = try await life.central.find()
            let record = await life.record()
            #expect(record == ["available false", "failed \(sensor): cancelled", "available true"])
        }
    }
}
