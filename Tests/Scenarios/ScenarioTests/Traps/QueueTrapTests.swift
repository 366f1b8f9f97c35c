import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@Suite("Known iOS faults: the queue", .timeLimit(.minutes(15)))
struct QueueTrapTests {
    @Test(
        "Cancelling three queued writes sends only the first",
        arguments: [true, false]
    )
    func cancelStartsNothing(disconnects: Bool) async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget)
            let central = connected.central
            await central.forget()
            await central.run { central in
                for value in UInt8(1)...3 { central.recordWrite("write", value) }
                if disconnects {
                    central.recordDisconnect("end", immediate: true)
                } else {
                    central.bluejay.cancelEverything(shouldDisconnect: false)
                    central.recordRead("end", of: controlPoint)
                }
            }
            await central.wait(for: "end")
            let error = disconnects ? "explicitDisconnect" : "cancelled"
            let ends = disconnects ? ["disconnected Gadget", "end ok"] : ["end 01"]
            await central.expect(["write \(error)", "write \(error)", "write \(error)"] + ends)
            try await wait { try await !connected.peripheral.writes().isEmpty }
            #expect(try await connected.peripheral.writes() == ["2A39 01"])
        }
    }

    @Test("The late response to a cancelled read does not complete another call")
    func lateAnswer() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: lateGadget).central
            await central.forget()
            await central.run { central in
                central.recordRead("cancelled")
                central.bluejay.cancelEverything(shouldDisconnect: false)
                central.recordRead("second", of: controlPoint)
                central.recordWrite("third", 8)
                central.recordRead("fourth")
                central.recordRead("fifth", of: controlPoint)
            }
            await central.wait(for: "fifth")
            await central.expect([
                "cancelled cancelled", "second 07", "third ok", "fourth 09", "fifth 08",
            ])
        }
    }

    @Test("A failing call's completion can queue calls during cancelEverything")
    func callInFailure() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: lateGadget).central
            await central.forget()
            await central.run { central in
                central.bluejay.read(from: location) { (_: ReadResult<UInt8>) in
                    central.recordEvent("first failed")
                    central.recordRead("again", of: controlPoint)
                    central.recordScan("scan", for: ServiceIdentifier(uuid: "FFE0"))
                }
                central.recordRead("second")
                central.bluejay.cancelEverything(shouldDisconnect: false)
                central.bluejay.stopScanning()
            }
            await central.wait(for: "again")
            await central.settle()
            await central.expect([
                "first failed", "second cancelled", "scan stopped ok", "again 07",
            ])
        }
    }

    @Test("A failing call's completion can start a scan while the connection is being lost")
    func callInLoss() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget)
            let central = connected.central
            await central.forget()
            await central.run { central in
                central.bluejay.read(from: location) { (_: ReadResult<UInt8>) in
                    central.recordEvent("first failed")
                    central.recordRead("again", of: controlPoint)
                    central.recordScan("scan") { _, _ in .stop }
                }
                central.recordRead("second")
            }
            try await connected.peripheral.dropLink()
            await central.wait(for: "scan stopped")
            await central.expect([
                "first failed", "second notConnected", "disconnected Gadget", "again notConnected",
                "scan found 1", "scan stopped ok",
            ])
        }
    }

    @Test("A rejected connect leaves no entry in the queue")
    func refusedConnect() async throws {
        try await withTestbed(isRecorded: false) { context in
            let found = try await context.found(silentGadget)
            let (central, peripheral, gadget) = (found.central, found.peripheral, found.identifier)
            try await peripheral.leaveRange()
            await central.forget()
            await central.run { central in
                central.recordConnect("first", gadget, timeout: .seconds(0.2))
                central.recordConnect("second", gadget)
            }
            await central.wait(for: "first")
            try await peripheral.returnToRange()
            await central.run { $0.recordConnect("third", gadget) }
            await central.wait(for: "connected")
            await central.expect([
                "second multipleConnectNotSupported", "disconnected Gadget",
                "first connectionTimedOut", "third ok", "connected Gadget",
            ])
        }
    }

    @Test("A connect made by the disconnect handler replaces the reconnection")
    func connectInHandler() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget, reconnects: true)
            let (central, gadget) = (connected.central, connected.identifier)
            let observer = await RecordingObserver.watch(central)
            await central.run { _ in
                observer.onEvent = {
                    if $0.hasPrefix("handler") { central.recordConnect("own", gadget) }
                }
            }
            try await connected.peripheral.dropLink()
            await central.wait(for: "second: connected")
            await central.settle()
            await central.expect([
                "disconnected Gadget", "second: disconnected", "handler true linkLost", "own ok",
                "connected Gadget", "second: connected",
            ])
        }
    }

    @Test("A rejected scan does not hide the running one")
    func refusedScan() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = await context.availableCentral()
            await central.run { central in
                central.recordScan("first")
                central.recordScan("second")
            }
            await central.wait(for: "second stopped")
            #expect(await central.state(\.isScanning) == true)
            await central.run { $0.bluejay.stopScanning() }
            await central.wait(for: "first stopped")
            #expect(await central.state(\.isScanning) == false)
            await central.expect([
                "second stopped multipleScanNotSupported", "first stopped ok",
            ])
        }
    }

    @Test("Twenty thousand operations that fail immediately do not exhaust the stack")
    func noRecursion() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: lateGadget).central
            await central.run { central in
                let missing = CharacteristicIdentifier(uuid: "2A3A", service: heartRateService)
                var count = 0
                // All other reads wait for this one.
                central.recordRead("late")
                for _ in 0..<20_000 {
                    central.bluejay.read(from: missing) { (_: ReadResult<UInt8>) in
                        count += 1
                        if count == 20_000 { central.recordEvent("done") }
                    }
                }
            }
            await central.wait(for: "done")
        }
    }

    // Tests/Benchmarks cancels a million reads.
    @Test("Fifty thousand cancelled reads complete once each, in order and without recursion")
    func manyCancelled() async throws {
        let count = 50_000
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: lateGadget).central
            await central.forget()
            await central.run { central in
                var ends: [Int] = []
                var depth = 0
                func read(_ number: Int) {
                    central.bluejay.read(from: location) { (result: ReadResult<UInt8>) in
                        depth += 1
                        defer { depth -= 1 }
                        guard depth == 1, result.text == "cancelled" else {
                            return central.recordEvent("\(number) at \(depth): \(result.text)")
                        }
                        ends.append(number)
                        switch ends.count {
                        // Reads that are being cancelled are not cancelled twice, and new reads follow them.
                        case 100: central.bluejay.cancelEverything(shouldDisconnect: false)
                        case 200, 300: read(count + ends.count)
                        case count: central.bluejay.cancelEverything(shouldDisconnect: false)
                        case count + 2:
                            let isInOrder = ends == Array(0..<count) + [count + 200, count + 300]
                            central.recordEvent("all, in order: \(isInOrder)")
                        default: break
                        }
                    }
                }
                for number in 0..<count { read(number) }
                central.bluejay.cancelEverything(shouldDisconnect: false)
            }
            await central.wait(for: "all")
            await central.settle()
            await central.expect(["all, in order: true"])
        }
    }

    @Test("A thousand writes without response arrive in order")
    func manyWrites() async throws {
        try await withTestbed(isRecorded: false) { context in
            let flags = ["write-without-response"]
            let connected = try await context.connected(
                to: .gadget([ScriptedCharacteristic("2A39", flags, .value([]))])
            )
            await connected.central.run { central in
                // One message for each write is a pace that the real machine's air sustains.
                central.bluejay.usesWriteSockets = !isRealBlueZ
                for number in 0..<1_000 {
                    let value = UInt8(number % 256)
                    central.recordWrite("\(number)", value, type: .withoutResponse)
                }
            }
            await connected.central.wait(for: "999")
            // Writes without response have no confirmation of their arrival.
            try await wait { try await connected.peripheral.writes().count == 1_000 }
            let writes = try await connected.peripheral.writes()
            #expect(writes == (0..<1_000).map { "2A39 " + hexadecimal([UInt8($0 % 256)]) })
        }
    }

    @Test("Twenty thousand operations that wait for a hand-over fail with it")
    func failedHandover() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = await context.central()
            await central.wait(for: "available")
            await central.run { central in
                let manager = central.bluejay.stopAndExtractBluetoothState().manager
                let nobody = ConnectedPeripheral(
                    devicePath: "/org/bluez/hci0/dev_C0_00_00_00_00_09"
                )
                central.bluejay.start(mode: .use(manager: manager, peripheral: nobody))
                var count = 0
                for _ in 0..<20_000 {
                    central.bluejay.read(from: location) { (result: ReadResult<UInt8>) in
                        count += 1
                        if count == 20_000 { central.recordEvent("all \(result.text)") }
                    }
                }
            }
            await central.wait(for: "all notConnected")
        }
    }

    @Test("Queued calls complete in the order in which they were made")
    func firstInFirstOut() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: lateGadget).central
            await central.forget()
            await central.run { central in
                central.recordRead("read")
                central.recordWrite("before", 2)
                central.recordListen("listen")
                let none = [ServiceIdentifier(uuid: "FFE0")]
                central.bluejay.scan(duration: 0.1, serviceIdentifiers: none) { _, _ in
                    .continue
                } stopped: { _, _ in
                    central.recordEvent("scan")
                }
                central.recordWrite("write", 3)
                central.recordEndListen("end")
                central.recordDisconnect("disconnect")
            }
            await central.wait(for: "disconnect ")
            await central.expect([
                "read 09", "before ok", "scan", "write ok", "end ok", "disconnected Gadget",
                "disconnect ok",
            ])
        }
    }

    @Test("A disconnect queued after an attempt that times out prevents reconnecting")
    func disconnectBehindTimeout() async throws {
        try await withTestbed(isRecorded: false) { context in
            let gone = try await context.foundThenOutOfRange(silentGadget)
            let (central, peripheral, gadget) = (gone.central, gone.peripheral, gone.identifier)
            await RecordingObserver.watch(central)
            await central.run { central in
                central.recordConnect("connect", gadget, timeout: .seconds(0.2))
                central.recordDisconnect("disconnect")
            }
            await central.wait(for: "disconnect ok")
            try await peripheral.returnToRange()
            _ = try await central.find()
            #expect(try await peripheral.isConnected() == false)
            await central.expect([
                "disconnected Gadget", "second: disconnected", "handler false connectionTimedOut",
                "connect connectionTimedOut", "disconnect ok",
            ])
        }
    }

    @Test("After a timeout, the next call waits for the outstanding response")
    func silence() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: lateGadget)
            let central = connected.central
            await central.forget()
            await central.run { central in
                central.bluejay.read(from: location, timeout: .seconds(0.1)) {
                    (result: ReadResult<UInt8>) in central.recordEvent("read \(result.text)")
                }
                central.recordWrite("write", 1)
                let missing = CharacteristicIdentifier(uuid: "2A3A", service: heartRateService)
                central.recordRead("next", of: missing)
            }
            await central.wait(for: "read")
            // The peripheral is still busy with the read; two requests would overlap.
            #expect(try await connected.peripheral.writes() == [])
            await central.expect(["read operationTimedOut"])
            await central.wait(for: "next")
            await central.expect([
                "read operationTimedOut", "write ok", "next missingCharacteristic",
            ])
        }
    }

    @Test("Powering off ends the connection for observers and the disconnect handler")
    func switchedOff() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: silentGadget).central
            await RecordingObserver.watch(central)
            try await context.testbed.setPowered(false)
            await central.wait(for: "handler")
            #expect(await central.state(\.isConnected) == false)
            await central.expect([
                "available false", "second: available false", "disconnected Gadget",
                "second: disconnected", "handler false bluetoothUnavailable",
            ])
        }
    }
}
