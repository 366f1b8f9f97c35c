import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

/// Tests `FindAndConnectOperation`.
@Suite("Connecting to the first matching peripheral", .timeLimit(.minutes(15)))
struct FirstConnectTests {
    @Test("connect(toFirst:) finds a matching peripheral and connects to it in one operation")
    func connects() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(
                .gadget([
                    ScriptedCharacteristic("2A38", ["read"], .value([1]))
                ])
            )
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { central in
                central.noteFirst("first", .anyService([heartRateService]), within: 20)
                #expect(central.bluejay.isConnecting)
                #expect(!central.bluejay.isScanning)
            }
            await central.wait(for: "connected")
            let byte: UInt8 = try await central.value(of: location)
            #expect(byte == 1)
            await central.expect(["first Gadget", "connected Gadget"])
        }
    }

    @Test(
        "If no peripheral matches in time, the search fails with noPeripheralFound and the queue continues"
    )
    func nobody() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.gadget([]))
            let central = await context.availableCentral(adapter: "hci0")
            let observer = await RecordingObserver.watch(central)
            defer { withExtendedLifetime(observer) {} }
            await central.run { central in
                central.noteFirst("first", .namePrefix("Nobody"), within: 0.3)
                central.recordScan("next") { _, _ in .stop }
            }
            await central.wait(for: "next stopped")
            await central.expect([
                "first noPeripheralFound", "next found 1", "next stopped ok",
            ])
        }
    }

    @Test("Without its own timeout, the search uses the default connection timeout")
    func standardLimit() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { central in
                central.bluejay.defaultTimeouts.connect = .seconds(0.2)
                central.bluejay.connect(toFirst: .namePrefix("Nobody")) {
                    central.recordEvent("first \($0.text)")
                }
            }
            await central.wait(for: "first")
            await central.expect(["first noPeripheralFound"])
        }
    }

    @Test("The search connects to a peripheral that another instance is already connected to")
    func sharedLink() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: .gadget([]))
            let second = await context.central(adapter: "hci0", sharing: connected.central)
            await second.wait(for: "available")
            await second.forget()
            await second.run { $0.noteFirst("first", .address("C0:00:00:00:00:01"), within: 20) }
            await second.wait(for: "connected")
            await second.expect(["first Gadget", "connected Gadget"])
        }
    }

    @Test("The search ends a scan in the queue, but not one beside the queue")
    func endsScan() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.gadget([]))
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { central in
                central.recordScan("scan", for: ServiceIdentifier(uuid: "FFE0"))
                central.noteFiltered("beside", .namePrefix("Nobody"), besideQueue: true)
                central.noteFirst("first", .namePrefix("Gadget"), within: 20)
            }
            await central.wait(for: "connected")
            await central.expect([
                "scan stopped ok", "first Gadget", "connected Gadget",
            ])
            #expect(await central.state(\.isScanning))
        }
    }

    @Test(
        "A search joins an attempt or connection that matches, and a callback-based connect is rejected"
    )
    func refused() async throws {
        try await withTestbed(isRecorded: false) { context in
            let found = try await context.found(.gadget([]))
            let central = found.central
            await central.forget()
            await central.run { central in
                central.noteFirst("first", .namePrefix("Gadget"), within: 20)
                central.noteFirst("second", .namePrefix("Gadget"), within: 20)
                central.recordConnect("third", found.identifier)
                central.recordEvent("called")
            }
            await central.wait(for: "connected")
            await central.run { $0.noteFirst("fourth", .everything, within: 1) }
            await central.wait(for: "fourth")
            let record = await central.record().filter { !$0.hasPrefix("available") }
            #expect(
                record == [
                    "called", "third multipleConnectNotSupported", "first Gadget",
                    "connected Gadget", "second Gadget", "fourth Gadget",
                ]
            )
        }
    }

    @Test("Searches with an invalid filter and searches before start fail asynchronously")
    func badInput() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = await context.availableCentral(adapter: "hci0")
            let early = await RecordingCentral.stopped(context.testbed.busAddress)
            await central.run { central in
                central.noteFirst("address", .address("x"), within: 1)
                central.noteFirst(
                    "service",
                    .allServices([ServiceIdentifier(uuid: "heart")]),
                    within: 1
                )
                central.recordEvent("called")
            }
            await early.run { $0.noteFirst("early", .everything, within: 1) }
            await central.wait(for: "service")
            await early.wait(for: "early")
            await central.expect(["called", "address error 31", "service error 30"])
            await early.expect(["early bluetoothUnavailable"])
        }
    }

    @Test(
        "Everything that ends a connection attempt also ends a search, once",
        arguments: ["off", "everything", "disconnect", "stop", "release"]
    )
    func ends(_ way: String) async throws {
        try await withTestbed(variant: way, isRecorded: false) { context in
            let central = await context.availableCentral(adapter: "hci0")
            let expected: [String]
            switch way {
            case "off":
                await central.run { $0.noteFirst("first", .namePrefix("x")) }
                try await context.testbed.setPowered(false)
                expected = ["first bluetoothUnavailable", "available false"]
                await central.wait(for: "available false")
                try await context.testbed.setPowered(true)
                await central.wait(for: "available true")
                await central.expect(expected + ["available true"])
                return
            case "everything":
                await central.run { central in
                    central.noteFirst("first", .namePrefix("x"))
                    central.bluejay.cancelEverything()
                }
                expected = ["first cancelled"]
            case "disconnect":
                await central.run { central in
                    central.noteFirst("first", .namePrefix("x"))
                    central.recordDisconnect("end", immediate: true)
                }
                await central.wait(for: "first")
                expected = ["end notConnected", "first explicitDisconnect"]
            case "stop":
                await central.run { central in
                    central.noteFirst("first", .namePrefix("x"))
                    central.bluejay.stopAndExtractBluetoothState()
                }
                expected = ["first stopped"]
            default:
                await central.searchAndRelease(at: context.testbed.busAddress)
                expected = ["first cancelled"]
            }
            await central.wait(for: "first")
            #expect(await central.record().filter { !$0.hasPrefix("available") } == expected)
        }
    }

    @Test("Cancelling a search reports no disconnection of a previously connected peripheral")
    func endsQuietly() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: .gadget([]))
            let central = connected.central
            try await central.disconnect()
            await central.forget()
            await central.run { central in
                central.noteFirst("first", .namePrefix("x"))
                central.recordDisconnect("end", immediate: true)
            }
            await central.wait(for: "first")
            await central.expect(["end notConnected", "first explicitDisconnect"])
        }
    }

    @Test("A search started in the completion of another one runs")
    func again() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.gadget([]))
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { central in
                central.noteFirst("first", .namePrefix("Nobody"), within: 0.1) {
                    central.noteFirst("second", .namePrefix("Nobody"), within: 0.1) {
                        central.noteFirst("third", .namePrefix("Gadget"), within: 20)
                    }
                }
            }
            await central.wait(for: "connected")
            await central.expect([
                "first noPeripheralFound", "second noPeripheralFound", "third Gadget",
                "connected Gadget",
            ])
        }
    }

    @Test(
        "A peripheral that is found but cannot be connected to in time fails with connectionTimedOut",
        .enabled(if: !isRealBlueZ, "only a simulated peripheral advertises and rejects links")
    )
    func found() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.gadget([]))
            try await context.simulate { $0.device("C0:00:00:00:00:01")?.answersDiscovery = false }
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { $0.noteFirst("first", .namePrefix("Gadget"), within: 1) }
            await central.wait(for: "first")
            await central.expect(["disconnected Gadget", "first connectionTimedOut"])
        }
    }

    @Test("A search that finds nothing discards the kept listens of the lost connection")
    func keptListen() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: echoGadget, reconnects: true)
            let central = connected.central
            await central.run { $0.recordListen("kept", to: controlPoint, isKept: true) }
            await central.settle()
            await central.forget()
            try await connected.peripheral.leaveRange()
            await central.wait(for: "disconnected")
            await central.run { $0.noteFirst("first", .namePrefix("Nobody"), within: 0.2) }
            await central.wait(for: "first")
            let record = await central.record()
            #expect(record.filter { $0.hasPrefix("first") } == ["first noPeripheralFound"])
            #expect(record.filter { $0.hasPrefix("kept") }.count <= 1)
            #expect(await !central.state(\.isConnecting))
            try await connected.peripheral.returnToRange()
        }
    }
}

extension RecordingCentral {
    /// Records `NAME Gadget`, or the error.
    fileprivate func noteFirst(
        _ name: String,
        _ filter: ScanFilter,
        within seconds: TimeInterval = 0,
        then: @escaping () -> Void = {}
    ) {
        bluejay.connect(toFirst: filter, within: .seconds(seconds)) { [weak self] result in
            switch result {
            case .success(let found): self?.recordEvent("\(name) \(found.name)")
            case .failure(let error): self?.recordEvent("\(name) \(errorName(error))")
            }
            then()
        }
    }

    /// Starts a search with an instance that is released at once.
    fileprivate func searchAndRelease(at bus: String) async {
        await run { central in
            let bluejay = Bluejay(mainLoop: central.loop, busAddress: bus)
            bluejay.start()
            bluejay.connect(toFirst: .everything) { central.recordEvent("first \($0.text)") }
        }
    }
}
