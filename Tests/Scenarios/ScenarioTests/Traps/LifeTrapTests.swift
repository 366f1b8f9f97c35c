import Bluejay
import BluejaySimulator
import Foundation
import Staging
import Testing

@Suite("Known iOS faults: start, stop and release", .timeLimit(.minutes(15)))
struct LifeTrapTests {
    @Test("An instance that was never started can be released")
    func releasedUnstarted() async throws {
        let loop = MainLoop(threadName: "unstarted")
        let order: String = await withCheckedContinuation { done in
            loop.post {
                var bluejay: Bluejay? = Bluejay(mainLoop: loop)
                weak let released = bluejay
                bluejay = nil
                done.resume(returning: released == nil ? "released" : "held")
            }
        }
        #expect(order == "released")
        loop.stop()
    }

    @Test("Releasing an instance completes each pending call once")
    func releasedWithPending() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(silentGadget)
            let recorder = await context.central(adapter: "hci0")
            let gadget = try await recorder.find()
            await recorder.forget()
            let address = context.testbed.busAddress
            await recorder.run { recorder in
                var bluejay: Bluejay? = Bluejay(
                    mainLoop: recorder.loop,
                    adapter: "hci0",
                    busAddress: address
                )
                bluejay?.start()
                bluejay?.connect(gadget) { recorder.recordEvent("connect \($0.text)") }
                bluejay?.scan(serviceIdentifiers: nil) { _, _ in
                    .stop
                } stopped: { _, error in
                    recorder.recordEvent("scan \(error.map(errorName) ?? "ended")")
                }
                bluejay?.disconnect { recorder.recordEvent("disconnect \($0.text)") }
                bluejay = nil
                recorder.recordEvent("released")
            }
            await recorder.wait(for: "released")
            await recorder.expect([
                "connect cancelled", "scan cancelled", "disconnect cancelled", "released",
            ])
            try await recorder.connect(gadget)
        }
    }

    @Test("Before start, every call completes with an error")
    func beforeStart() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = await context.central()
            await central.wait(for: "available")
            let gadget = try PeripheralIdentifier(
                address: "C0:00:00:00:00:01",
                isRandomAddress: true,
                name: nil
            )
            await central.run { central in
                let bluejay = central.bluejay
                bluejay.stopAndExtractBluetoothState()
                bluejay.stopAndExtractBluetoothState()
            }
            await central.forget()
            await central.run { central in
                let bluejay = central.bluejay
                let states = [
                    bluejay.hasStarted, bluejay.isScanning, bluejay.isConnecting,
                    bluejay.isConnected, bluejay.isDisconnecting, bluejay.isBluetoothAvailable,
                    bluejay.isBluetoothStateUpdateImminent, bluejay.isBackgroundRestorationEnabled,
                ]
                if states.contains(true) { central.recordEvent("a state is true: \(states)") }
                if !bluejay.services.isEmpty { central.recordEvent("services are not empty") }
                bluejay.stopScanning()
                bluejay.cancelEverything()
                central.recordScan("scan")
                central.recordConnect("connect", gadget)
                central.recordDisconnect("disconnect")
                central.recordDisconnect("at once", immediate: true)
                central.recordRead("read")
                central.recordWrite("write", 1)
                central.recordListen("listen")
                central.recordEndListen("end")
                central.recordTask("task") { _ in }
                for attempt in [{ try bluejay.readRSSI() }] {
                    do { try attempt() } catch {
                        central.recordEvent("strength \(errorName(error))")
                    }
                }
            }
            let calls = ["scan stopped", "connect", "disconnect", "at once", "read", "write"]
            let all = (calls + ["listen", "end", "task"]).map { "\($0) bluetoothUnavailable" }
            // An error is thrown inside the call; completions follow later.
            await central.wait(for: "task")
            await central.expect(["strength notConnected"] + all)
        }
    }

    @Test("A second start changes nothing, and pending calls continue")
    func secondStart() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: lateGadget).central
            await central.forget()
            await central.run { central in
                central.recordRead("read")
                central.bluejay.start()
            }
            await central.wait(for: "read")
            await central.expect(["read 09"])
            #expect(await central.state(\.isConnected) == true)
        }
    }

    @Test("Released observers are neither called nor retained")
    func deadObservers() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget)
            let central = connected.central
            await central.forget()
            await central.run { central in
                for _ in 0..<100 {
                    let observer = RecordingObserver(central)
                    central.bluejay.registerDisconnectHandler(handler: observer)
                    central.bluejay.register(connectionObserver: observer)
                }
            }
            await central.forget()
            try await connected.peripheral.dropLink()
            await central.wait(for: "disconnected")
            await central.expect(["disconnected Gadget"])
        }
    }

    @Test("A log line keeps its percent signs")
    func percentSigns() async throws {
        try await withTestbed(isRecorded: false) { context in
            let name = "100% %s%n%@"
            let peripheral = try await context.testbed.add(.gadget([], name: name))
            let central = await context.central(adapter: "hci0")
            let log = Log(central)
            await central.run { central in
                central.retainedObjects.append(log)
                central.bluejay.register(logObserver: log)
            }
            try await central.connect(try await central.find())
            await central.wait(for: "log: connection: connected peripheral=\"\(name) (")
            try await peripheral.dropLink()
            await central.wait(for: "disconnected \(name)")
        }
    }
}

private final class Log: LogObserver, @unchecked Swift.Sendable {
    // Used only on the central's loop, which justifies `@unchecked`.
    private weak var central: RecordingCentral?
    init(_ central: RecordingCentral) { self.central = central }
    func debug(_ text: String) { central?.recordEvent("log: \(text)") }
}
