import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestTraits
import Testing

/// Tests `ObserverRegistry`.
@Suite(
    "Order of callbacks for connections and lost links",
    .timeLimit(.minutes(15))
)
struct CallbackOrderTests {
    @Test(
        "A connection first calls its completion, then resumes the queue, then notifies observers"
    )
    func connected() async throws {
        try await withTestbed(isRecorded: false) { context in
            let found = try await context.found(silentGadget)
            let (central, peripheral, gadget) = (found.central, found.peripheral, found.identifier)
            let observer = await RecordingObserver.watch(central)
            await central.run { central in
                observer.onEvent = {
                    if $0 == "second: connected" { central.recordWrite("late", 2) }
                }
                central.recordConnect("connect", gadget) { central.recordWrite("early", 1) }
            }
            await central.wait(for: "late")
            await central.expect([
                "connect ok", "connected Gadget", "second: connected", "early ok", "late ok",
            ]
            )
            #expect(try await peripheral.writes() == ["2A39 01", "2A39 02"])
        }
    }

    @Test(
        "A lost link fails the queue, then notifies observers and handler, then reconnects",
        .fault(.linkLost, during: .read, .listen),
        .pitfall(.disconnectDuringCall),
        arguments: [false, true]
    )
    func lost(broadcasts: Bool) async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget, reconnects: true)
            let central = connected.central
            await RecordingObserver.watch(central)
            await central.run { $0.bluejay.broadcastErrorsToListeners = broadcasts }
            await central.fillQueue()
            try await connected.peripheral.dropLink()
            await central.wait(for: "second: connected")
            await central.settle()
            let listen = broadcasts ? ["listen notConnected"] : []
            let queue = [
                "running notConnected", "queued notConnected", "scan stopped notConnected",
            ]
            await central.expect(
                listen + queue + ObservedEvent.end("true linkLost") + ObservedEvent.connected
            )
            #expect(try await connected.peripheral.writes() == [])
        }
    }

    @Test("A lost link fails a listen that is still subscribing, like any other call")
    func lostWhileListenBegins() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget, reconnects: true)
            let central = connected.central
            // The peripheral processes one request at a time, so another instance's read keeps it busy.
            let second = await context.central(adapter: "hci0")
            try await second.connect(connected.identifier)
            await second.run { $0.recordRead("other") }
            await RecordingObserver.watch(central)
            await central.run { central in
                central.recordListen("listen")
                central.recordWrite("queued", 1)
            }
            try await connected.peripheral.dropLink()
            await central.wait(for: "second: connected")
            let queue = ["listen notConnected", "queued notConnected"]
            await central.expect(
                queue + ObservedEvent.end("true linkLost") + ObservedEvent.connected
            )
        }
    }

    @Test(
        "A lost link stops a running scan and the calls queued after it",
        .fault(.linkLost, during: .scan)
    )
    func lostWhileScanning() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget, reconnects: true)
            let central = connected.central
            await RecordingObserver.watch(central)
            await central.run { central in
                central.recordScan("scan", for: ServiceIdentifier(uuid: "FFE0"))
                central.recordRead("queued")
            }
            try await connected.peripheral.dropLink()
            await central.wait(for: "second: connected")
            let queue = ["scan stopped notConnected", "queued notConnected"]
            await central.expect(
                queue + ObservedEvent.end("true linkLost") + ObservedEvent.connected
            )
        }
    }

    @Test("A handler that declines to reconnect receives the last callback of a lost link")
    func lostAndLeft() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget, reconnects: true)
            let central = connected.central
            await RecordingObserver.watch(
                central,
                reconnectMode: .change(shouldAutoReconnect: false)
            )
            try await connected.peripheral.dropLink()
            await central.wait(for: "handler")
            #expect(await central.state(\.shouldAutoReconnect) == false)
            try await central.connect(connected.identifier)
            #expect(await central.state(\.shouldAutoReconnect) == true)
            await central.expect(ObservedEvent.end("true linkLost") + ObservedEvent.connected)
        }
    }

    @Test(
        "Powering off fails the queue, notifies observers and ends the connection, which then returns"
    )
    func switchedOff() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: silentGadget, reconnects: true).central
            await RecordingObserver.watch(central)
            await central.fillQueue()
            try await context.testbed.setPowered(false)
            await central.wait(for: "handler")
            try await context.testbed.setPowered(true)
            await central.wait(for: "second: connected")
            let queue = [
                "running bluetoothUnavailable", "queued bluetoothUnavailable",
                "scan stopped bluetoothUnavailable",
            ]
            let after =
                ObservedEvent.end("true bluetoothUnavailable") + ObservedEvent.on
                + ObservedEvent.connected
            await central.expect(queue + ObservedEvent.off + after)
        }
    }

    @Test(
        "Killing bluetoothd ends a connection in the same order as powering off",
        .fault(.daemonKilled, during: .read)
    )
    func killed() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: silentGadget, reconnects: true).central
            await RecordingObserver.watch(central)
            await central.run { $0.recordRead("running") }
            try await context.testbed.endDaemon(politely: false)
            await central.wait(forState: .serviceNotRunning)
            try await context.testbed.startDaemon()
            await central.wait(for: "second: connected")
            // The unavailability is reported again once its reason is known.
            let after =
                ObservedEvent.end("true bluetoothUnavailable") + ObservedEvent.off
                + ObservedEvent.on + ObservedEvent.connected
            await central.expect(["running bluetoothUnavailable"] + ObservedEvent.off + after)
        }
    }

    @Test("A handler that declines to reconnect prevents a connection after powering on")
    func switchedOffAndLeft() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget, reconnects: true)
            let central = connected.central
            await RecordingObserver.watch(
                central,
                reconnectMode: .change(shouldAutoReconnect: false)
            )
            try await context.testbed.setPowered(false)
            await central.wait(for: "handler")
            try await context.testbed.setPowered(true)
            await central.wait(for: "second: available true")
            await central.run { $0.recordConnect("connect", connected.identifier) }
            await central.wait(for: "second: connected")
            let record =
                ObservedEvent.off + ObservedEvent.end("true bluetoothUnavailable")
                + ObservedEvent.on + ["connect ok"]
            await central.expect(record + ObservedEvent.connected)
        }
    }

    // About one in three runs crashes Debian's kernel 6.1.192: under bluetoothd, l2cap_sock_release() deletes
    // the channel of a closed connection (list_debug.c:56 in hci_chan_del).
    @Test(
        "Powering off fails a connection attempt immediately, without a disconnection callback",
        .fault(.bluetoothOff, during: .connect),
        .enabled(if: !isRealBlueZ, "the kernel of the test machine may crash")
    )
    func switchedOffWhileConnecting() async throws {
        try await withTestbed(isRecorded: false) { context in
            let gone = try await context.foundThenOutOfRange(silentGadget)
            let (central, peripheral, gadget) = (gone.central, gone.peripheral, gone.identifier)
            await RecordingObserver.watch(central)
            await central.run { central in
                central.recordConnect("connect", gadget)
                central.recordScan("scan")
            }
            try await context.testbed.setPowered(false)
            await central.wait(for: "second: available false")
            try await peripheral.returnToRange()
            try await context.testbed.setPowered(true)
            await central.wait(for: "second: available true")
            try await central.connect(gadget)
            let queue = ["connect bluetoothUnavailable", "scan stopped bluetoothUnavailable"]
            await central.expect(
                queue + ObservedEvent.off + ObservedEvent.on + ObservedEvent.connected
            )
        }
    }

    @Test("A timed-out attempt fails queued calls, then calls observers, handler and completion")
    func timedOut() async throws {
        try await withTestbed(isRecorded: false) { context in
            let gone = try await context.foundThenOutOfRange(silentGadget)
            let (central, peripheral, gadget) = (gone.central, gone.peripheral, gone.identifier)
            // A failed first attempt does not count as a lost connection, regardless of the handler.
            await RecordingObserver.watch(
                central,
                reconnectMode: .change(shouldAutoReconnect: true)
            )
            await central.run { central in
                central.recordConnect("connect", gadget, timeout: .seconds(0.2))
                central.recordScan("scan")
            }
            await central.wait(for: "connect")
            try await peripheral.returnToRange()
            try await central.connect(gadget)
            let queue = ["scan stopped connectionTimedOut"]
            let attempt =
                ObservedEvent.end("false connectionTimedOut") + ["connect connectionTimedOut"]
            await central.expect(queue + attempt + ObservedEvent.connected)
        }
    }

    // A real controller tries three times, for 41 s in total.
    @Test(
        "After a rejected attempt, the queue continues",
        .enabled(if: !isRealBlueZ, "a real controller retries for minutes")
    )
    func refused() async throws {
        try await withTestbed(isRecorded: false) { context in
            let found = try await context.found(silentGadget, reconnects: true)
            let (central, gadget) = (found.central, found.identifier)
            try await context.simulate { $0.device("C0:00:00:00:00:01")?.isConnectable = false }
            await RecordingObserver.watch(central)
            await central.run { central in
                central.recordConnect("connect", gadget, timeout: .none)
                central.recordScan("scan") { _, _ in .stop }
            }
            await central.wait(for: "connect")
            await central.wait(for: "scan stopped")
            try await context.simulate { $0.device("C0:00:00:00:00:01")?.isConnectable = true }
            try await central.connect(gadget)
            let attempt =
                ObservedEvent.end("false connectionFailed") + ["connect unexpectedDisconnect"]
            let scan = ["scan found 1", "scan stopped ok"]
            await central.expect(attempt + scan + ObservedEvent.connected)
        }
    }
}
