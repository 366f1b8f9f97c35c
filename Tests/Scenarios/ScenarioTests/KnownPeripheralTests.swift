import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@Suite("Peripherals known to bluetoothd", .timeLimit(.minutes(15)))
struct KnownPeripheralTests {
    private let secret = PeripheralScript.gadget([
        ScriptedCharacteristic("2A38", ["encrypt-read"], .value([7]))
    ])

    @Test("All instances can list a connected peripheral, filtered by its services")
    func connected() async throws {
        try await withTestbed(isRecorded: false) { context in
            let encounter = try await context.connected(to: .heartRateSensor())
            let other = await context.availableCentral(adapter: "hci0")
            for central in [encounter.central, other] {
                #expect(try await central.connectedPeripherals() == [encounter.identifier])
                #expect(try await central.connectedPeripherals([]) == [encounter.identifier])
                let either: [ServiceIdentifier] = [.battery, .deviceInformation]
                #expect(try await central.connectedPeripherals(either) == [encounter.identifier])
                #expect(try await central.connectedPeripherals([.battery]) == [])
            }
            await #expect(throws: BluejayError.malformedUUID("heart")) {
                try await other.connectedPeripherals([ServiceIdentifier(uuid: "heart")])
            }
            // The peripheral is usable at once, regardless of the program that connected it.
            let found = try #require(try await other.connectedPeripherals().first)
            try await other.connect(found)
            #expect(try await other.value(of: location, as: UInt8.self) == 1)
            try await encounter.central.disconnect()
            await other.wait(for: "disconnected")
            #expect(try await other.connectedPeripherals() == [])
        }
    }

    @Test("A peripheral remains known after its connection, also while the adapter is off")
    func known() async throws {
        try await withTestbed(isRecorded: false) { context in
            let encounter = try await context.connected(to: .heartRateSensor())
            let central = encounter.central
            let known = try #require(try await central.known().first)
            #expect(known.identifier == encounter.identifier)
            #expect(known.name == "Heart Rate Sensor")
            #expect(known.isConnected)
            #expect(!known.isPaired)
            #expect(!known.isBonded)
            #expect(!known.isTrusted)
            #expect(known.rssi == nil)
            #expect(known.services.contains(.deviceInformation))
            #expect(try await central.known(onlyBonded: true) == [])
            try await context.testbed.setPowered(false)
            await central.wait(for: "available false")
            // bluetoothd reports the adapter first.
            try await wait { try await central.known().map(\.isConnected) == [false] }
            await #expect(throws: BluejayError.bluetoothUnavailable(.poweredOff)) {
                try await central.connectedPeripherals()
            }
            await #expect(throws: BluejayError.bluetoothUnavailable(.poweredOff)) {
                try await central.forget(encounter.identifier)
            }
            try await context.testbed.unplug()
            await central.wait(forState: .adapterNotFound("hci0"))
            await #expect(throws: BluejayError.bluetoothUnavailable(.adapterNotFound("hci0"))) {
                try await central.known()
            }
        }
    }

    @Test("A paired peripheral counts as bonded until it is forgotten")
    func bonded() async throws {
        try await withTestbed(isRecorded: false) { context in
            let agent = try await context.agreeToPairing()
            let encounter = try await context.connected(to: secret)
            let central = encounter.central
            try await agent.pair("/org/bluez/hci0/dev_C0_00_00_00_00_01")
            let bonded = try #require(try await central.known(onlyBonded: true).first)
            #expect(bonded.identifier == encounter.identifier)
            #expect(bonded.isPaired)
            #expect(bonded.isBonded)
            try await central.disconnect()
            try await central.forget(encounter.identifier)
            #expect(try await central.known(onlyBonded: true) == [])
        }
    }

    @Test("Forgetting a peripheral fails while connected, and succeeds once after a disconnect")
    func forgotten() async throws {
        try await withTestbed(isRecorded: false) { context in
            let encounter = try await context.connected(to: .gadget([]))
            let (central, identifier) = (encounter.central, encounter.identifier)
            let error = await #expect(throws: BluejayError.inUse("peripheral \(identifier)")) {
                try await central.forget(identifier)
            }
            #expect(error?.localizedDescription.contains("disconnect, stop scanning") == true)
            #expect(await central.state(\.isConnected))
            try await central.disconnect()
            try await central.forget(identifier)
            #expect(try await central.known().filter { $0.identifier == identifier } == [])
            await #expect(throws: BluejayError.peripheralNotFound(identifier)) {
                try await central.forget(identifier)
            }
            let foreign = PeripheralIdentifier(uuid: UUID(), name: "Foreign")
            await #expect(throws: BluejayError.unexpectedPeripheral(foreign)) {
                try await central.forget(foreign)
            }
            // The connect must discover it again.
            try await central.connect(identifier, timeout: .seconds(30))
        }
    }

    @Test("Forgetting fails while the peripheral is connecting or reconnecting")
    func wanted() async throws {
        try await withTestbed(isRecorded: false) { context in
            let encounter = try await context.found(.gadget([]), reconnects: true)
            let (central, identifier) = (encounter.central, encounter.identifier)
            await central.run { central in
                central.recordConnect("connect", identifier)
                central.bluejay.forget(identifier, completion: central.ended("forget"))
            }
            await central.wait(for: "forget")
            await central.wait(for: "connected")
            #expect(await central.record(of: "forget") == ["forget inUse"])
            try await encounter.peripheral.leaveRange()
            await central.wait(for: "disconnected")
            await #expect(throws: BluejayError.inUse("peripheral \(identifier)")) {
                try await central.forget(identifier)
            }
            try await central.disconnect()
            try await central.forget(identifier)
        }
    }

    @Test(
        "Forgetting a peripheral drops the links of other instances and fails their calls",
        arguments: [true, false]
    )
    func usedByOthers(onOneLoop: Bool) async throws {
        try await withTestbed(variant: "\(onOneLoop)", isRecorded: false) { context in
            let encounter = try await context.connected(to: silentGadget)
            let (user, identifier) = (encounter.central, encounter.identifier)
            let other = await context.central(
                adapter: "hci0",
                sharing: onOneLoop ? user : nil
            )
            await other.wait(for: "available true")
            let observer = await RecordingObserver.watch(user)
            _ = observer
            await user.run { $0.recordRead("read") }
            try await other.forget(identifier)
            await user.wait(for: "handler")
            await user.expect([
                "read notConnected", "disconnected Gadget", "second: disconnected",
                "handler false linkLost",
            ])
            #expect(try await other.known().filter { $0.identifier == identifier } == [])
        }
    }

    @Test("A connect during forget waits for it and then connects")
    func connectedBehind() async throws {
        try await withTestbed(isRecorded: false) { context in
            let encounter = try await context.connected(to: .gadget([]))
            let (user, identifier) = (encounter.central, encounter.identifier)
            let other = await context.central(adapter: "hci0", sharing: user)
            await other.wait(for: "available true")
            await other.forget()
            await other.run { other in
                other.bluejay.forget(identifier, completion: other.ended("forget"))
                other.recordConnect("connect", identifier, timeout: .seconds(30))
            }
            await other.wait(for: "connect")
            await user.wait(for: "disconnected")
            await other.expect(["forget ok", "connect ok", "connected Gadget"])
            #expect(await other.state(\.isConnected))
        }
    }
}
