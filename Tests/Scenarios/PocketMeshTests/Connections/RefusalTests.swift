import BluejayGLib
import BluejaySimulator
import Foundation
import TestSupport
import Testing

@testable import PocketMesh

@Suite("Failed connections", .timeLimit(.minutes(15)))
struct RefusalTests {
    enum Missing: CaseIterable {
        case service, tx, rx
    }

    @Test(
        "A radio without the service or one of its two characteristics is disconnected",
        arguments: Missing.allCases
    )
    func missing(what: Missing) async throws {
        let device = SimulatedDevice(
            address: RadioStage.address,
            advertising: [NordicUART.serviceUUID.uuidString]
        )
        switch what {
        case .service: device.addService("FFE0", [])
        case .tx:
            device.addService(
                NordicUART.serviceUUID.uuidString,
                [ScriptedCharacteristic(rx, ["notify"], .value([]))]
            )
        case .rx:
            device.addService(
                NordicUART.serviceUUID.uuidString,
                [ScriptedCharacteristic(tx, ["write"], .value([]))]
            )
        }
        try await RadioStage.play(.v5_86, { _, _ in }, device) { stage in
            let error = await failure { _ = try await stage.radio.connect(to: RadioStage.device) }
            #expect(error as? BLEError == .characteristicNotFound)
            #expect(await stage.radio.currentPhase == .idle)
            try await wait { await !stage.isLinked() }
            try await stage.journal.wait(for: "idle")
            let last = what == .service ? "discoveringServices" : "discoveringCharacteristics"
            #expect(stage.journal.lines.suffix(2) == [last, "idle"])
            #expect(stage.journal.count("gone") == 0)
        }
    }

    @Test("A radio with a read-only TX characteristic is not accepted, and receives no value")
    func unwritable() async throws {
        try await RadioStage.play(.v5_86, { _, _ in }, Self.unwritableRadio()) { stage in
            let error = await failure { _ = try await stage.radio.connect(to: RadioStage.device) }
            #expect(error as? BLEError == .characteristicNotFound)
            let transport = BLETransport(deviceID: RadioStage.device, host: stage.radio.host)
            let refused = await failure { try await transport.connect() }
            #expect(refused as? BLEError == .characteristicNotFound)
            #expect(
                await stage.system.read { $0.device(RadioStage.address)?.writeCount } == .some(0)
            )
            try await wait { await !stage.isLinked() }
        }
    }

    private static func unwritableRadio() -> SimulatedDevice {
        let service = NordicUART.serviceUUID.uuidString
        let device = SimulatedDevice(address: RadioStage.address, advertising: [service])
        device.addService(
            service,
            [
                ScriptedCharacteristic(tx, ["read", "notify"], .value([])),
                ScriptedCharacteristic(rx, ["notify"], .value([])),
            ]
        )
        return device
    }

    @Test("A radio unknown to bluetoothd is discovered, and the connect fails only if none appears")
    func unknown() async throws {
        try await RadioStage.play(
            .v5_86,
            { settings, _ in settings.connectionTimeout = .seconds(2) }
        ) { stage in
            let other = RadioStage.id(of: "C0:00:00:00:00:09")
            let error = await failure { _ = try await stage.radio.connect(to: other) }
            #expect(error as? BLEError == .deviceNotFound)
            #expect(await stage.radio.currentPhase == .idle)
            let call = Task { try await stage.radio.connect(to: other) }
            try await stage.wait(for: "connecting")
            let radio = UncheckedTransfer(simulatedRadio(address: "C0:00:00:00:00:09"))
            await stage.system.perform { $0.add(radio.value) }
            _ = try await call.value
        }
    }

    @Test("An identifier without an address is not found, and bluetoothd receives no request")
    func noAddress() async throws {
        let radio = BLEStateMachine()
        let error = await failure { _ = try await radio.connect(to: UUID()) }
        #expect(error as? BLEError == .deviceNotFound)
        #expect(await radio.bluetoothState == .unknown)
    }

    @Test("While Bluetooth is off both calls fail after a second, unless it is switched on before")
    func off() async throws {
        try await RadioStage.play(.v5_86, { _, options in options.isPowered = false }) { stage in
            let start = ContinuousClock.now
            let errors = await (
                failure { _ = try await stage.radio.connect(to: RadioStage.device) },
                failure { try await stage.radio.waitForPoweredOn() }
            )
            #expect(errors.0 as? BLEError == .bluetoothPoweredOff)
            #expect(errors.1 as? BLEError == .bluetoothPoweredOff)
            // The two time limits ran one after the other.
            #expect(ContinuousClock.now - start >= .seconds(2))
            #expect(await stage.radio.currentPhase == .idle)
            let call = Task { try await stage.radio.connect(to: RadioStage.device) }
            try await stage.wait(for: "waitingForBluetooth")
            await stage.setPowered(true)
            _ = try await call.value
            try await stage.radio.waitForPoweredOn()
        }
    }

    enum Lack: CaseIterable {
        case adapter, daemon, bus, namedAdapter
    }

    @Test(
        "Without an adapter, bluetoothd or a bus both calls fail at once with the reason",
        arguments: Lack.allCases
    )
    func lacking(what: Lack) async throws {
        try await RadioStage.play(
            .v5_86,
            { _, options in
                if what == .adapter { options.adapters = 0 }
            }
        ) { stage in
            if what == .daemon { await stage.system.killDaemon() }
            let host = BluetoothHost(
                mainLoop: MainLoop(threadName: "pocket mesh"),
                adapter: what == .namedAdapter ? "hci7" : nil,
                busAddress: what == .bus ? "unix:path=/nowhere/bus" : stage.system.busAddress
            )
            // A long limit, so that the failure has another cause.
            let radio = BLEStateMachine(connectionTimeout: 600, restoreIdentifier: nil, host: host)
            let error = await failure { _ = try await radio.connect(to: RadioStage.device) }
            guard case .bluetoothUnavailable(let state) = error as? BLEError else {
                Issue.record("\(String(describing: error))")
                return
            }
            switch (what, state) {
            case (.adapter, .noAdapter), (.daemon, .serviceNotRunning),
                (.namedAdapter, .adapterNotFound("hci7")), (.bus, .busUnavailable):
                break
            default: Issue.record("\(state)")
            }
            let other = await failure { try await radio.waitForPoweredOn() }
            #expect(other as? BLEError == error as? BLEError)
            #expect(await radio.currentPhase == .idle)
        }
    }

    @Test("Each Bluetooth state has its own error")
    func states() {
        #expect(BLEError(.poweredOff) == .bluetoothPoweredOff)
        #expect(BLEError(.unauthorized("no")) == .bluetoothUnauthorized)
        for state in [.blocked, .noAdapter, .unknown, .resetting] as [BluetoothState] {
            #expect(BLEError(state) == .bluetoothUnavailable(state))
        }
    }

    @Test("A refused subscription fails the connection")
    func refusesValues() async throws {
        try await RadioStage.play(holds: true) { stage in
            await stage.on { $0.hold(.subscription, of: rx) }
            let call = Task { try await stage.radio.connect(to: RadioStage.device) }
            try await wait { await stage.heldCount(.subscription, of: rx) == 1 }
            await stage.on { $0.release(.subscription, of: rx, refusingWith: 0x80) }
            let error = await failure { _ = try await call.value }
            guard case .connectionFailed(let text) = error as? BLEError else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(text.contains("0x80"))
            try await wait { await !stage.isLinked() }
            #expect(await stage.radio.currentPhase == .idle)
        }
    }
}
