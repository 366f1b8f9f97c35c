import BluejayGLib
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@testable import PocketMesh

@Suite("A radio on the simulated or real BlueZ", .timeLimit(.minutes(15)))
struct RadioScenarios {
    @Test("A radio is connected, exchanges values and is released")
    func whole() async throws {
        try await play { ground in
            let stream = try await ground.radio.connect(to: RadioStage.device)
            #expect(
                ground.journal.lines.filter { $0 != "on" && !$0.hasPrefix("state") } == [
                    "waitingForBluetooth", "connecting", "discoveringServices",
                    "discoveringCharacteristics", "subscribingToNotifications",
                    "discoveryComplete", "connected",
                ]
            )
            let long = [UInt8](repeating: 7, count: 512)
            for value in [[1, 2], long, [3]] as [[UInt8]] {
                try await ground.radio.send(Data(value))
            }
            let written = try await ground.written()
            #expect(written == ["01 02", hexadecimal(long), "03"])
            for value in [[4], [5, 6]] as [[UInt8]] {
                try await ground.peripheral.send(value, on: rx)
            }
            var iterator = stream.makeAsyncIterator()
            #expect(await iterator.next() == Data([4]))
            #expect(await iterator.next() == Data([5, 6]))
            await ground.radio.disconnect()
            #expect(await iterator.next() == nil)
            try await wait { try await !ground.peripheral.isConnected() }
            #expect(ground.journal.lines.suffix(2) == ["disconnecting", "idle"])
            _ = try await ground.radio.connect(to: RadioStage.device)
            try await ground.radio.send(Data([8]))
        }
    }

    @Test("A scan finds radios, also during a connection")
    func scan() async throws {
        try await play { ground in
            let found = Journal()
            await ground.radio.setDeviceDiscoveredHandler { device, _ in
                found.note(device.uuidString)
            }
            await ground.radio.startScanning()
            try await found.wait(for: RadioStage.device.uuidString)
            _ = try await ground.radio.connect(to: RadioStage.device)
            try await ground.radio.send(Data([1]))
            await ground.radio.stopScanning()
            #expect(Set(found.lines) == [RadioStage.device.uuidString])
        }
    }

    @Test("A radio without one of its characteristics is disconnected")
    func missing() async throws {
        var script = radioScript()
        script.services[0].characteristics.removeFirst()
        try await play(script) { ground in
            let error = await failure { _ = try await ground.radio.connect(to: RadioStage.device) }
            #expect(error as? BLEError == .characteristicNotFound)
            #expect(await ground.radio.currentPhase == .idle)
            try await wait { try await !ground.peripheral.isConnected() }
        }
    }

    @Test("An absent radio is not found")
    func absent() async throws {
        try await play(connectionTimeout: .seconds(4)) { ground in
            let error = await failure {
                _ = try await ground.radio.connect(to: RadioStage.id(of: "C0:00:00:00:00:99"))
            }
            #expect(error as? BLEError == .deviceNotFound)
            _ = try await ground.radio.connect(to: RadioStage.device)
        }
    }

    @Test("A dropped link reconnects, also after the radio was out of range")
    func lost() async throws {
        try await play { ground in
            _ = try await ground.radio.connect(to: RadioStage.device)
            try await ground.peripheral.dropLink()
            try await ground.isBack(1)
            try await ground.peripheral.leaveRange()
            try await ground.journal.wait(for: "lost", count: 2)
            try await ground.peripheral.returnToRange()
            try await ground.isBack(2)
            #expect(ground.journal.count("lost") == 2)
            #expect(ground.journal.count("gone") == 0)
        }
    }

    @Test(
        "A loss of Bluetooth is reported once, and the connected radio returns with Bluetooth",
        arguments: ["off", "killed", "ended"]
    )
    func bluetoothGoes(way: String) async throws {
        try await play(variant: way) { ground in
            _ = try await ground.radio.connect(to: RadioStage.device)
            let testbed = ground.context.testbed
            if way == "off" {
                try await testbed.setPowered(false)
            } else {
                try await testbed.endDaemon(politely: way == "ended")
            }
            try await ground.journal.wait(for: "gone")
            #expect(await ground.radio.currentPhase == .idle)
            if way == "off" {
                try await testbed.setPowered(true)
            } else {
                try await testbed.startDaemon()
            }
            try await ground.isBack(1)
            #expect(ground.journal.count("gone") == 1)
            #expect(ground.journal.count("lost") == 0)
        }
    }

    @Test("A restarted program adopts the link that bluetoothd has kept, without a call of Connect")
    func killed() async throws {
        try await play { ground in
            let first = try await ground.run([])
            try await first.wait(for: "phase connected")
            _ = await first.end(SIGKILL)
            #expect(try await ground.peripheral.isConnected())
            let second = try await ground.run(["--activate"])
            try await second.wait(for: "phase connected")
            try await ground.peripheral.send([7], on: rx)
            try await second.wait(for: "value [7]")
            #expect(second.lines.contains("phase restoringState"))
            #expect(second.lines.contains("back"))
            #expect(!second.lines.contains { $0.contains("is asked to connect") })
            _ = await second.end(SIGKILL)
        }
    }

    @Test("The agent sends the passkey of the provider, and a wrong passkey is refused")
    func passkey() async throws {
        var script = radioScript(["encrypt-authenticated-write"], ["encrypt-authenticated-notify"])
        script.pairing = .passkey(123_456)
        try await play(script) { ground in
            let number = Journal()
            await ground.radio.setPasskeyProvider { _ in number.count("wrong") == 0 ? 1 : 123_456 }
            let error = await failure { _ = try await ground.radio.connect(to: RadioStage.device) }
            #expect(
                (error as? BLEError).map(caseName) == "pairingFailed",
                "\(String(describing: error))"
            )
            #expect(await ground.radio.currentPhase == .idle)
            try await wait { try await !ground.peripheral.isConnected() }
            number.note("wrong")
            _ = try await ground.radio.connect(to: RadioStage.device)
            try await ground.radio.send(Data([1]))
            #expect(try await ground.written() == ["01"])
            await ground.radio.disconnect()
            // The radio is paired, so the provider is not called again.
            await ground.radio.setPasskeyProvider { _ in nil }
            _ = try await ground.radio.connect(to: RadioStage.device)
            try await ground.radio.send(Data([2]))
        }
    }

    private func play(
        _ script: PeripheralScript = radioScript(),
        variant: String? = nil,
        connectionTimeout: Duration = .seconds(10),
        _ body: (Ground) async throws -> Void
    ) async throws {
        try await withTestbed(variant: variant, isRecorded: false) { context in
            let ground = try await Ground(context, script, connectionTimeout)
            do {
                try await body(ground)
            } catch {
                await ground.end()
                throw error
            }
            await ground.end()
        }
    }
}

private func radioScript(
    _ txFlags: [String] = ["write"],
    _ rxFlags: [String] = ["notify"]
) -> PeripheralScript {
    let service = NordicUART.serviceUUID.uuidString
    return PeripheralScript(
        address: RadioStage.address,
        name: "Radio",
        advertising: [service],
        services: [
            PeripheralScript.Service(
                service,
                [
                    ScriptedCharacteristic(tx, txFlags, .value([])),
                    ScriptedCharacteristic(rx, rxFlags, .value([])),
                ]
            )
        ]
    )
}

private final class Ground: Sendable {
    let context: ScenarioContext
    let peripheral: any TestbedPeripheral
    let radio: BLEStateMachine
    let journal = Journal()
    private let directory = FileManager.default.temporaryDirectory
        .appending(path: "pocketmesh-\(UUID().uuidString)")

    init(
        _ context: ScenarioContext,
        _ script: PeripheralScript,
        _ connectionTimeout: Duration
    ) async throws {
        self.context = context
        peripheral = try await context.testbed.add(script)
        var settings = RadioSettings()
        settings.connectionTimeout = connectionTimeout
        settings.restoreIdentifier = "radio"
        settings.stateDirectory = directory
        radio = BLEStateMachine(
            settings,
            host: BluetoothHost(
                mainLoop: MainLoop(threadName: "pocket mesh"),
                adapter: "hci0",
                busAddress: context.testbed.busAddress
            )
        )
        await radio.note(in: journal)
    }

    func end() async {
        await radio.disconnect()
        await radio.shutdown()
        try? FileManager.default.removeItem(at: directory)
    }

    func written() async throws -> [String] {
        try await peripheral.writes().map { String($0.drop { $0 != " " }.dropFirst()) }
    }

    /// Waits until the connection has returned `count` times and works.
    func isBack(_ count: Int) async throws {
        try await journal.wait(for: "back", count: count)
        try await TestSupport.wait { await self.radio.isConnected }
        let before = try await written().count
        try await radio.send(Data([UInt8(count)]))
        #expect(try await written().count == before + 1)
        try await peripheral.send([UInt8(count)], on: rx)
        try await journal.wait(for: "value [\(count)]")
    }

    func run(_ options: [String]) async throws -> RunningProgram {
        try await RunningProgram(
            "radio-program",
            [RadioStage.device.uuidString] + options,
            environment: [
                "DBUS_SYSTEM_BUS_ADDRESS": context.testbed.busAddress,
                "XDG_STATE_HOME": directory.path, "BLUEJAY_LOG": "debug",
            ]
        )
    }
}
