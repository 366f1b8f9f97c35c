import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import TestTraits
import Testing

/// Tests `ConnectionController`.
@Suite("Reconnection", .timeLimit(.minutes(15)))
struct ReconnectScenarioTests {
    private static let gadget = PeripheralScript.gadget([
        ScriptedCharacteristic("2A37", ["notify"], .value([])),
        ScriptedCharacteristic("2A38", ["read"], .value([7])),
    ])

    /// A connected central that reconnects quickly, with an empty record.
    private func connected(_ context: ScenarioContext) async throws -> DiscoveredPeripheral {
        let connected = try await context.connected(to: Self.gadget)
        await connected.central.run { central in
            central.bluejay.reconnectOptions = ReconnectOptions(initialDelay: .milliseconds(50))
        }
        await connected.central.forget()
        return connected
    }

    @Test("A lost connection is restored after the observers and the handler have been notified")
    func lost() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await connected(context)
            let central = connected.central
            let handler = await NotingHandler(central)
            try await connected.peripheral.dropLink()
            await central.wait(for: "connected Gadget")
            #expect(
                await central.record()
                    == ["disconnected Gadget", "handler true", "connected Gadget"]
            )
            #expect(try await central.value(of: location, as: UInt8.self) == 7)
            withExtendedLifetime(handler) {}
        }
    }

    @Test("Reconnecting ends at the limit if the peripheral drops each new link immediately")
    func flapping() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await connected(context)
            let central = connected.central
            await central.run { central in
                central.bluejay.reconnectOptions = ReconnectOptions(
                    maximumAttempts: 3,
                    initialDelay: .milliseconds(50)
                )
            }
            let handler = await NotingHandler(central)
            for count in 1...3 {
                try await connected.peripheral.dropLink()
                try await wait { await central.record(of: "connected Gadget").count == count }
            }
            try await connected.peripheral.dropLink()
            try await wait { await central.record(of: "handler").count == 4 }
            #expect(
                await central.record(of: "handler")
                    == ["handler true", "handler true", "handler true", "handler false"]
            )
            #expect(await central.isConnecting() == false)
            withExtendedLifetime(handler) {}
        }
    }

    @Test("The handler can veto the reconnection, and a later connect still works")
    func veto() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await connected(context)
            let central = connected.central
            let handler = await NotingHandler(
                central,
                answer: .change(shouldAutoReconnect: false)
            )
            try await connected.peripheral.dropLink()
            await central.wait(for: "handler")
            #expect(await central.reconnects() == false)
            #expect(await central.isConnecting() == false)
            try await central.connect(connected.identifier)
            #expect(await central.reconnects())
            withExtendedLifetime(handler) {}
        }
    }

    @Test("An explicit disconnect prevents reconnecting, also during the attempts")
    func explicit() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await connected(context)
            let central = connected.central
            try await central.disconnect()
            #expect(await central.reconnects() == false)
            try await central.connect(connected.identifier)
            try await connected.peripheral.leaveRange()
            await central.wait(for: "disconnected Gadget")
            // Disconnecting ends a running attempt or pause, and nothing follows.
            try await central.disconnect()
            await #expect(throws: BluejayError.notConnected) { try await central.disconnect() }
            #expect(await central.isConnecting() == false)
        }
    }

    @Test("Reconnecting ends at the attempt limit, and the handler is called for each attempt")
    func limit() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await connected(context)
            let central = connected.central
            // The first connection had no time limit.
            try await central.disconnect()
            try await central.connect(connected.identifier, timeout: .none)
            await central.run {
                $0.bluejay.reconnectOptions.maximumAttempts = 1
                $0.bluejay.reconnectOptions.attemptTimeout = .seconds(1)
            }
            await central.forget()
            let handler = await NotingHandler(central)
            try await connected.peripheral.leaveRange()
            await central.wait(for: "handler false")
            #expect(
                await central.record() == [
                    "disconnected Gadget", "handler true", "disconnected Gadget", "handler false",
                ]
            )
            withExtendedLifetime(handler) {}
        }
    }

    @Test(
        "Reconnecting continues while the peripheral is absent, without delaying a scan",
        .fault(.outOfRange, during: .reconnectPause)
    )
    func staysAway() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await connected(context)
            let central = connected.central
            try await central.disconnect()
            try await central.connect(connected.identifier, timeout: .none)
            await central.run {
                $0.bluejay.reconnectOptions.attemptTimeout = .milliseconds(300)
                $0.bluejay.reconnectOptions.maximumDelay = .milliseconds(100)
            }
            await central.forget()
            let handler = await NotingHandler(central)
            try await connected.peripheral.leaveRange()
            try await wait { await central.record(of: "handler true").count >= 4 }
            // This attempt outlasts the test, so no attempt ends during the scan.
            await central.run { $0.bluejay.reconnectOptions.attemptTimeout = .seconds(200) }
            try await wait { await central.isConnecting() }
            await central.forget()
            await central.run { central in
                central.bluejay.scan(duration: 0.2, serviceIdentifiers: nil) { _, _ in
                    .continue
                } stopped: { _, error in
                    central.recordEvent("scan stopped \(error == nil)")
                }
            }
            #expect(await central.state(\.isScanning))
            await central.wait(for: "scan stopped true")
            try await connected.peripheral.returnToRange()
            await central.wait(for: "connected Gadget")
            #expect(try await central.value(of: location, as: UInt8.self) == 7)
            #expect(await central.record(of: "handler") == [])
            withExtendedLifetime(handler) {}
        }
    }

    @Test(
        "A connect to another peripheral replaces the reconnection",
        .enabled(if: !isRealBlueZ, "the test machine has one peripheral controller")
    )
    func connectsElsewhere() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await connected(context)
            let central = connected.central
            let other = try await context.testbed.add(.heartRateSensor())
            try await connected.peripheral.leaveRange()
            try await wait { await central.isConnecting() }
            let sensor = try await central.find()
            let found = try await central.connect(sensor)
            #expect(found == sensor)
            try await connected.peripheral.returnToRange()
            #expect(await central.state(\.isConnected))
            withExtendedLifetime(other) {}
        }
    }

    @Test("The handler can request a retry of a failed first connection")
    func firstConnection() async throws {
        try await withTestbed(isRecorded: false) { context in
            let found = try await context.foundThenOutOfRange(Self.gadget)
            let central = found.central
            await central.run { central in
                central.bluejay.reconnectOptions = ReconnectOptions(initialDelay: .milliseconds(50))
            }
            let handler = await NotingHandler(central, answer: .change(shouldAutoReconnect: true))
            await #expect(throws: BluejayError.connectionTimedOut) {
                try await central.connect(found.identifier, timeout: .seconds(0.3))
            }
            try await found.peripheral.returnToRange()
            await central.wait(for: "connected Gadget")
            #expect(await central.record(of: "handler").first == "handler false")
            withExtendedLifetime(handler) {}
        }
    }

    @Test("A disconnect between two attempts ends the reconnection")
    func disconnectInPause() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await connected(context)
            let central = connected.central
            await central.run { central in
                central.bluejay.reconnectOptions = ReconnectOptions(
                    initialDelay: .seconds(200),
                    maximumDelay: .seconds(200),
                    attemptTimeout: .milliseconds(100)
                )
            }
            let handler = await NotingHandler(central)
            try await connected.peripheral.leaveRange()
            try await wait { await central.record(of: "handler").count == 2 }
            #expect(await central.reconnects())
            try await central.disconnect()
            #expect(await central.reconnects() == false)
            withExtendedLifetime(handler) {}
        }
    }

    @Test("The log distinguishes expected from unexpected disconnections")
    func log() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await connected(context)
            let central = connected.central
            await central.run { central in
                let lines = Lines(central)
                central.retainedObjects.append(lines)
                central.bluejay.register(logObserver: lines)
            }
            try await central.disconnect()
            try await central.connect(connected.identifier)
            try await connected.peripheral.dropLink()
            try await wait { await central.record(of: "log connection: disconnected").count == 2 }
            let lines = await central.record(of: "log connection: disconnected")
            #expect(lines.first?.contains("disconnected as requested ") == true)
            #expect(lines.last?.contains("disconnected unexpectedly ") == true)
        }
    }

    @Test("The connection is restored when Bluetooth is powered on again")
    func switchedOff() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await connected(context)
            let central = connected.central
            let handler = await NotingHandler(central)
            try await context.testbed.setPowered(false)
            await central.wait(for: "handler")
            try await context.testbed.setPowered(true)
            await central.wait(for: "connected Gadget")
            #expect(
                await central.record() == [
                    "available false", "disconnected Gadget", "handler true", "available true",
                    "connected Gadget",
                ]
            )
            withExtendedLifetime(handler) {}
        }
    }

    @Test(
        "The connection is restored after bluetoothd was killed and restarted",
        .pitfall(.daemonRestart)
    )
    func daemonRestart() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await connected(context)
            let central = connected.central
            try await context.testbed.endDaemon(politely: false)
            await central.wait(for: "disconnected Gadget")
            try await context.testbed.startDaemon()
            await central.wait(for: "connected Gadget")
            #expect(try await central.value(of: location, as: UInt8.self) == 7)
        }
    }

    @Test("A kept listen continues after the reconnection", .fault(.linkLost, during: .listen))
    func keptListen() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await connected(context)
            let (central, peripheral) = (connected.central, connected.peripheral)
            await central.run { central in
                central.bluejay.listen(to: measurement, isKept: true) {
                    (result: ReadResult<UInt8>) in
                    central.recordEvent("kept \(result.text)")
                }
            }
            await central.settle()
            try await peripheral.dropLink()
            await central.wait(for: "connected Gadget")
            await central.settle()
            #expect(await central.isListening(to: measurement) == true)
            try await peripheral.send([5], on: "2A37")
            await central.wait(for: "kept 5")
            // After a requested disconnect, the listen ends with the connection.
            try await central.disconnect()
            try await central.connect(connected.identifier)
            #expect(await central.isListening(to: measurement) == false)
        }
    }
}

@Suite("The arguments of the disconnect handler", .timeLimit(.minutes(15)))
struct DisconnectReasonTests {
    @Test(
        "The handler receives no reason after a requested disconnect, otherwise BlueZ's",
        .pitfall(.disconnectReason)
    )
    func reasons() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: .heartRateSensor())
            let central = connected.central
            let handler = await ReasonHandler(central)
            try await central.disconnect()
            try await central.connect(connected.identifier)
            try await connected.peripheral.leaveRange()
            await central.wait(for: "reason linkLost")
            let nobody = try PeripheralIdentifier(
                address: "C0:00:00:00:00:77",
                isRandomAddress: true,
                name: "Nobody"
            )
            await #expect(throws: BluejayError.connectionTimedOut) {
                try await central.connect(nobody, timeout: .seconds(0.5))
            }
            let reasons = await central.record(of: "reason")
            #expect(reasons == ["reason nil", "reason linkLost", "reason peripheralNotFound"])
            withExtendedLifetime(handler) {}
        }
    }
}

private final class Lines: LogObserver {
    private weak var central: RecordingCentral?

    init(_ central: RecordingCentral) { self.central = central }

    func debug(_ text: String) { central?.recordEvent("log \(text)") }
}

private final class ReasonHandler: DisconnectHandler, @unchecked Swift.Sendable {
    private let central: RecordingCentral

    init(_ central: RecordingCentral) async {
        self.central = central
        await central.run { [self] in $0.bluejay.registerDisconnectHandler(handler: self) }
    }

    func didDisconnect(
        from peripheral: PeripheralIdentifier,
        with error: (any Error)?,
        willReconnect autoReconnect: Bool
    ) -> AutoReconnectMode {
        switch error as? BluejayError {
        case nil: central.recordEvent("reason \(error == nil ? "nil" : "foreign")")
        case .linkLost: central.recordEvent("reason linkLost")
        case .peripheralNotFound: central.recordEvent("reason peripheralNotFound")
        case let other?: central.recordEvent("reason \(other.errorCode)")
        }
        return .noChange
    }
}
