import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestTraits
import Testing

/// Tests `QueueRunner`.
@Suite(
    "Order of callbacks for disconnects and cancellation",
    .timeLimit(.minutes(15))
)
struct DisconnectOrderTests {
    @Test("A queued disconnect lets earlier calls finish and fails later ones")
    func queued() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget, reconnects: true)
            let (central, gadget) = (connected.central, connected.identifier)
            await RecordingObserver.watch(central)
            await central.run { central in
                central.recordListen("listen")
                central.recordRead("before", of: controlPoint)
                central.recordWrite("before too", 1)
                central.recordDisconnect("disconnect")
                central.recordRead("later", of: controlPoint)
                central.recordListen("later listen")
                central.recordEndListen("later end")
                central.recordDisconnect("second disconnect")
                central.recordTask("task") { _ in }
                central.recordConnect("connect", gadget)
                central.recordRead("last", of: controlPoint)
            }
            await central.wait(for: "last")
            let refused = [
                "later disconnectQueued", "later listen disconnectQueued",
                "later end disconnectQueued",
                "second disconnect multipleDisconnectNotSupported", "task disconnectQueued",
            ]
            let before = ["before 07", "before too ok"]
            let after =
                ["disconnect ok", "connect ok"] + ObservedEvent.connected + ["last 01"]
            await central.expect(refused + before + ObservedEvent.end("false no error") + after)
        }
    }

    @Test("A scan queued after a disconnect waits for the disconnect and then runs")
    func scanBehindDisconnect() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: silentGadget, reconnects: true).central
            await RecordingObserver.watch(central)
            await central.run { central in
                central.recordDisconnect("disconnect")
                central.recordScan("scan") { _, _ in .stop }
            }
            await central.wait(for: "scan stopped")
            let after = ["disconnect ok", "scan found 1", "scan stopped ok"]
            await central.expect(ObservedEvent.end("false no error") + after)
        }
    }

    @Test("A disconnect queued after a connection attempt waits until the attempt succeeds")
    func queuedBehindAttempt() async throws {
        try await withTestbed(isRecorded: false) { context in
            let found = try await context.found(silentGadget, reconnects: true)
            let (central, gadget) = (found.central, found.identifier)
            await RecordingObserver.watch(central)
            await central.run { central in
                central.recordConnect("connect", gadget)
                central.recordDisconnect("disconnect")
            }
            await central.wait(for: "disconnect ok")
            let record =
                ["connect ok"] + ObservedEvent.connected + ObservedEvent.end("false no error") + [
                    "disconnect ok"
                ]
            await central.expect(record)
        }
    }

    @Test("An immediate disconnect fails the queue, then calls observers, handler and completion")
    func immediate() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget, reconnects: true)
            let central = connected.central
            await RecordingObserver.watch(central)
            await central.fillQueue()
            await central.run { $0.recordDisconnect("disconnect", immediate: true) }
            await central.wait(for: "disconnect ")
            #expect(await central.state(\.isDisconnecting) == false)
            #expect(await central.state(\.shouldAutoReconnect) == false)
            let queue = [
                "running explicitDisconnect", "queued explicitDisconnect",
                "scan stopped explicitDisconnect",
            ]
            let after = ObservedEvent.end("false no error") + ["disconnect ok"]
            await central.expect(queue + after)
            #expect(try await connected.peripheral.writes() == [])
        }
    }

    @Test("A handler can request a reconnection even after an explicit disconnect")
    func changedToReconnect() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: silentGadget, reconnects: true).central
            await RecordingObserver.watch(
                central,
                reconnectMode: .change(shouldAutoReconnect: true)
            )
            await central.run { $0.recordDisconnect("disconnect", immediate: true) }
            await central.wait(for: "second: connected")
            await central.expect(
                ObservedEvent.end("false no error") + ["disconnect ok"] + ObservedEvent.connected
            )
        }
    }

    @Test(
        "An immediate disconnect ends a connection attempt, and its completion runs first",
        .pitfall(.disconnectCancelsConnect)
    )
    func immediateWhileConnecting() async throws {
        try await withTestbed(isRecorded: false) { context in
            let gone = try await context.foundThenOutOfRange(silentGadget)
            let (central, gadget) = (gone.central, gone.identifier)
            await RecordingObserver.watch(central)
            await central.run { central in
                central.recordConnect("connect", gadget)
                central.recordDisconnect("disconnect", immediate: true)
            }
            await central.wait(for: "connect")
            let after = ["disconnect ok", "connect explicitDisconnect"]
            await central.expect(ObservedEvent.end("false no error") + after)
        }
    }

    @Test("cancelEverything disconnects immediately and fails all calls with the caller's error")
    func cancelEverything() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: silentGadget, reconnects: true).central
            await RecordingObserver.watch(central)
            await central.run { central in
                central.bluejay.broadcastErrorsToListeners = true
                central.recordListen("listen")
            }
            await central.settle()
            await central.run { central in
                central.recordRead("running")
                central.recordScan("scan")
                central.bluejay.cancelEverything(error: TestbedError("enough"))
            }
            await central.wait(for: "handler")
            let queue = [
                "listen TestbedError", "running TestbedError", "scan stopped TestbedError",
            ]
            await central.expect(queue + ObservedEvent.end("false no error"))
        }
    }

    @Test("cancelEverything completes a connection attempt after observers and handler")
    func cancelWhileConnecting() async throws {
        try await withTestbed(isRecorded: false) { context in
            let gone = try await context.foundThenOutOfRange(silentGadget)
            let (central, gadget) = (gone.central, gone.identifier)
            await RecordingObserver.watch(central)
            for shouldDisconnect in [true, false] {
                await central.forget()
                await central.run { central in
                    central.recordConnect("connect", gadget)
                    central.bluejay.cancelEverything(shouldDisconnect: shouldDisconnect)
                }
                await central.wait(for: "connect")
                let handler = shouldDisconnect ? "false no error" : "false cancelled"
                await central.expect(ObservedEvent.end(handler) + ["connect cancelled"])
            }
        }
    }

    @Test("cancelEverything can keep the connection and its listens")
    func cancelWithoutDisconnect() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget, reconnects: true)
            let central = connected.central
            await RecordingObserver.watch(central)
            await central.run { $0.recordListen("listen") }
            await central.settle()
            await central.run { central in
                central.recordScan("scan", for: ServiceIdentifier(uuid: "FFE0"))
                central.recordRead("queued")
                let error = BluejayError.notSupported("mine")
                central.bluejay.cancelEverything(error: error, shouldDisconnect: false)
                central.recordRead("next", of: controlPoint)
            }
            await central.wait(for: "next")
            try await connected.peripheral.send([1], on: "2A37")
            await central.wait(for: "listen")
            await central.expect([
                "scan stopped notSupported", "queued notSupported", "next 07",
                "listen 01",
            ]
            )
        }
    }

    @Test("A stop fails all calls and notifies no observer")
    func stopped() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: silentGadget, reconnects: true).central
            await RecordingObserver.watch(central)
            await central.run { central in
                central.recordListen("listen")
                central.recordRead("running")
                central.recordWrite("queued", 1)
                central.recordScan("scan")
                central.bluejay.stopAndExtractBluetoothState()
                central.recordEvent("returned")
            }
            await central.wait(for: "returned")
            let queue = ["listen stopped", "running stopped", "queued stopped"]
            await central.expect(queue + ["scan stopped stopped", "returned"])
        }
    }

    @Test("Releasing an instance fails all its calls with cancelled")
    func released() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(silentGadget)
            let recorder = await context.central(adapter: "hci0")
            let gadget = try await recorder.find()
            await recorder.forget()
            var central: RecordingCentral? = await RecordingCentral(
                context.testbed.busAddress,
                adapter: "hci0",
                sharing: recorder.loop
            )
            try await central?.connect(gadget)
            await central?.run { central in
                for name in ["running", "queued"] {
                    central.bluejay.read(from: location) { (result: ReadResult<UInt8>) in
                        recorder.recordEvent("\(name) \(result.text)")
                    }
                }
                let services = [ServiceIdentifier(uuid: "FFE0")]
                central.bluejay.scan(serviceIdentifiers: services) { _, _ in
                    .continue
                } stopped: { _, error in
                    recorder.recordEvent("scan \(error.map(errorName) ?? "no error")")
                }
            }
            central = nil
            await recorder.wait(for: "scan")
            let record = ["running cancelled", "queued cancelled", "scan cancelled"]
            await recorder.expect(record)
        }
    }
}
