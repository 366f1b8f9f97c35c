import Bluejay
import BluejayDBus
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@Suite("Known iOS faults: connections", .timeLimit(.minutes(15)))
struct ConnectionTrapTests {
    @Test(
        "A failed connection attempt completes once and does not reconnect",
        .enabled(if: !isRealBlueZ, "a real controller retries for minutes")
    )
    func refusedOnce() async throws {
        try await withTestbed(isRecorded: false) { context in
            let found = try await context.found(silentGadget, reconnects: true)
            let (central, peripheral, gadget) = (found.central, found.peripheral, found.identifier)
            try await context.simulate { $0.device("C0:00:00:00:00:01")?.isConnectable = false }
            await RecordingObserver.watch(central)
            await central.run { $0.recordConnect("connect", gadget, timeout: .none) }
            await central.wait(for: "connect")
            try await context.simulate { $0.device("C0:00:00:00:00:01")?.isConnectable = true }
            _ = try await central.find()
            #expect(try await peripheral.isConnected() == false)
            await central.expect([
                "disconnected Gadget", "second: disconnected", "handler false connectionFailed",
                "connect unexpectedDisconnect",
            ])
        }
    }

    @Test(
        "A connect action of a scan calls its completion when it times out or is cancelled",
        .enabled(if: !isRealBlueZ, "requires a peripheral that advertises and rejects connections"),
        arguments: [true, false]
    )
    func connectAction(timesOut: Bool) async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(silentGadget)
            try await context.simulate { $0.device("C0:00:00:00:00:01")?.isConnectable = false }
            let central = await context.central(adapter: "hci0", reconnects: true)
            await central.wait(for: "available")
            await RecordingObserver.watch(central)
            await central.run { central in
                let timeout: Timeout = timesOut ? .seconds(3) : .none
                central.recordScan("scan") { found, _ in
                    .connect(found, timeout, .default) { central.recordEvent("connect \($0.text)") }
                } then: {
                    central.recordEvent("then")
                }
            }
            await central.wait(for: "then")
            // bluetoothd has forgotten the device, so the connect searches until its limit, in vain.
            try await context.simulate { $0.device("C0:00:00:00:00:01")?.leaveRange() }
            if !timesOut { await central.run { $0.bluejay.cancelEverything() } }
            await central.wait(for: "connect")
            let error = timesOut ? "connectionTimedOut" : "cancelled"
            // bluetoothd forgets such a peripheral when the scan ends.
            let handler = timesOut ? "peripheralNotFound" : "no error"
            await central.expect([
                "scan found 1", "scan stopped ok", "then", "disconnected Gadget",
                "second: disconnected", "handler false \(handler)", "connect \(error)",
            ])
        }
    }

    @Test("A connect made in the completion of a disconnect has its own completion")
    func connectInDisconnect() async throws {
        try await withTestbed(isRecorded: false) { context in
            let found = try await context.found(silentGadget)
            let (central, gadget) = (found.central, found.identifier)
            await central.forget()
            await central.run { central in
                central.recordConnect("old", gadget)
                central.recordDisconnect("disconnect", immediate: true) {
                    central.recordConnect("new", gadget)
                }
            }
            await central.wait(for: "connected")
            await central.expect([
                "disconnected Gadget", "disconnect ok", "old explicitDisconnect", "new ok",
                "connected Gadget",
            ])
        }
    }

    @Test("A first connection that times out does not reconnect, even after a lost connection")
    func timeoutIsNoLoss() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget, reconnects: true)
            let (central, peripheral) = (connected.central, connected.peripheral)
            let observer = await RecordingObserver.watch(
                central,
                reconnectMode: .change(shouldAutoReconnect: false)
            )
            try await peripheral.leaveRange()
            await central.wait(for: "handler")
            await central.forget()
            await central.run { central in
                observer.reconnectMode = .noChange
                central.recordConnect("connect", connected.identifier, timeout: .seconds(0.2))
            }
            await central.wait(for: "connect")
            try await peripheral.returnToRange()
            _ = try await central.find()
            #expect(try await peripheral.isConnected() == false)
            #expect(await central.state(\.shouldAutoReconnect) == false)
            await central.expect([
                "disconnected Gadget", "second: disconnected", "handler false connectionTimedOut",
                "connect connectionTimedOut",
            ])
        }
    }

    @Test("A disconnect that races with a successful attempt always wins")
    func disconnectAgainstSuccess() async throws {
        try await withTestbed(isRecorded: false) { context in
            let found = try await context.found(silentGadget, reconnects: true)
            let (central, peripheral, gadget) = (found.central, found.peripheral, found.identifier)
            let bus = try await TestbedBus(context.testbed.busAddress)
            for moment in 0..<30 {
                await central.forget()
                await central.run { $0.recordConnect("connect", gadget) }
                // Each request gives the simulator or the peripheral one iteration.
                for _ in 0..<moment { _ = try await peripheral.isConnected() }
                await central.run { $0.recordDisconnect("disconnect", immediate: true) }
                await central.wait(for: "disconnect ")
                await central.wait(for: "connect ")
                let record = await central.record()
                let gaveUp = ["disconnected Gadget", "disconnect ok", "connect explicitDisconnect"]
                let succeeded = [
                    "connect ok", "connected Gadget", "disconnected Gadget", "disconnect ok",
                ]
                #expect(record == gaveUp || record == succeeded)
                #expect(await central.state(\.isConnected) == false)
                #expect(await central.state(\.isDisconnecting) == false)
                try await wait { try await bus.property("Connected")?.boolean != true }
                guard try await linkEnds(at: peripheral) else { return }
            }
        }
    }

    /// Whether the link also ends at the peripheral; the kernel keeps an abandoned one for a while.
    ///
    /// Occasionally, only one of the emulated controllers has the link that the kernel cancels. They have no
    /// supervision timeout, which ends such a link at a real peripheral, and accept no further connection.
    private func linkEnds(at peripheral: any TestbedPeripheral) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(60)
        try await wait {
            if isRealBlueZ, ContinuousClock.now > deadline { return true }
            return try await !peripheral.isConnected()
        }
        guard try await peripheral.isConnected() else { return true }
        let line = "only one emulated controller has a link; the test ends\n"
        FileHandle.standardError.write(Data(line.utf8))
        return false
    }

    @Test(
        "Events of another peripheral do not affect a connection",
        .enabled(if: !isRealBlueZ, "the emulated controllers support a single link")
    )
    func foreignPeripheral() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget, reconnects: true)
            let central = connected.central
            let address = "C4:7C:8D:6A:1F:03"
            let other = try await context.testbed.add(
                .heartRateSensor(address: address, name: "Other")
            )
            let second = await context.central(adapter: "hci0", sharing: central)
            await central.forget()
            let identifier = try PeripheralIdentifier(
                address: address,
                isRandomAddress: true,
                name: "Other"
            )
            try await second.connect(identifier)
            try await other.dropLink()
            await second.wait(for: "disconnected Other")
            await central.expect([])
            #expect(try await central.value(of: controlPoint, as: UInt8.self) == 7)
        }
    }

    @Test("An instance can be stopped inside the completion of a connection")
    func stopInCompletion() async throws {
        try await withTestbed(isRecorded: false) { context in
            let found = try await context.found(silentGadget)
            let (central, gadget) = (found.central, found.identifier)
            await RecordingObserver.watch(central)
            await central.run { central in
                central.recordConnect("connect", gadget) {
                    central.recordRead("read")
                    let state = central.bluejay.stopAndExtractBluetoothState()
                    central.recordEvent(
                        "stopped with \(state.peripheral?.identifier?.name ?? "nothing")"
                    )
                }
            }
            await central.wait(for: "read")
            await central.run { $0.bluejay.start() }
            await central.run { $0.recordEvent("started") }
            await central.expect([
                "connect ok", "stopped with Gadget", "read stopped", "started",
            ])
            #expect(await central.state(\.isConnected) == false)
        }
    }

    @Test("A task that throws notConnected does not end the connection")
    func bogusError() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget, reconnects: true)
            let central = connected.central
            await RecordingObserver.watch(central)
            // An earlier task ends with the connection; the reaction to that must not be repeated.
            await central.run { central in
                central.recordTask("before") { peripheral in
                    central.noteLater("begins")
                    let _: UInt8? = try? peripheral.read(from: location)
                }
            }
            await central.wait(for: "begins")
            try await connected.peripheral.dropLink()
            await central.wait(for: "second: connected")
            await central.forget()
            await central.run { $0.recordTask("task") { _ in throw BluejayError.notConnected } }
            await central.wait(for: "task")
            #expect(try await central.value(of: controlPoint, as: UInt8.self) == 7)
            await central.expect(["task notConnected"])
        }
    }

    @Test("A new connection reports the current name of the peripheral")
    func liveName() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(silentGadget)
            let central = await context.central(adapter: "hci0")
            let stale = try PeripheralIdentifier(
                address: "C0:00:00:00:00:01",
                isRandomAddress: true,
                name: "Old name"
            )
            let identifier = try await central.connect(stale)
            #expect(identifier.name == "Gadget")
            #expect(identifier == stale)
            await central.expect(["available true", "connected Gadget"])
        }
    }

    @Test("A handed-over connection reports its loss and reconnects")
    func handOver() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget)
            let second = await RecordingCentral.stopped(context.testbed.busAddress)
            let state = await connected.central.read { $0.bluejay.stopAndExtractBluetoothState() }
            let (manager, peripheral) = (state.manager, state.peripheral)
            await second.run {
                $0.bluejay.start(mode: .use(manager: manager, peripheral: peripheral))
            }
            await second.wait(for: "connected Gadget")
            await RecordingObserver.watch(second)
            try await connected.peripheral.dropLink()
            await second.wait(for: "second: connected")
            await second.expect([
                "disconnected Gadget", "second: disconnected", "handler true linkLost",
                "connected Gadget", "second: connected",
            ])
        }
    }
}
