import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import TestTraits
import Testing

private let gadget = PeripheralScript.gadget([
    ScriptedCharacteristic("2A38", ["encrypt-read"], .value([7])),
    ScriptedCharacteristic("2A39", ["read", "write-without-response"], .value([1])),
])

/// Records the calls of a `PeripheralObserver`; used only on its central's loop.
private final class Watcher: PeripheralObserver, @unchecked Swift.Sendable {
    private weak var central: RecordingCentral?
    private let name: String

    init(_ central: RecordingCentral, as name: String = "") {
        self.central = central
        self.name = name
    }

    static func watch(_ central: RecordingCentral) async {
        await central.run { central in
            let watcher = Watcher(central)
            central.retainedObjects.append(watcher)
            central.bluejay.register(peripheralObserver: watcher)
        }
        await central.forget()
    }

    func didUpdateMTU(_ mtu: Int, of peripheral: PeripheralIdentifier) {
        central?.recordEvent("\(name)mtu \(mtu)")
    }

    func didUpdateDetails(_ details: PeripheralDetails, of peripheral: PeripheralIdentifier) {
        central?.recordEvent(
            "\(name)\(details.alias), \(details.isPaired ? "paired" : "not paired")"
        )
    }
}

@Suite("Details of a peripheral", .timeLimit(.minutes(15)))
struct PeripheralDetailsTests {
    @Test("The details of a peripheral form one value, and the MTU is separate")
    func details() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: gadget)
            let details = try await connected.central.details()
            #expect(details.peripheral == connected.identifier)
            #expect(details.name == "Gadget")
            #expect(details.alias == "Gadget")
            #expect(!details.isPaired)
            #expect(details.isBonded == false)
            #expect(!details.isTrusted)
            #expect(details.addressClass == .staticRandom)
            #expect(details.serviceUUIDs.contains(heartRateService.uuid))
            let mtu = try await connected.central.read { try $0.bluejay.mtu() }
            #expect(mtu == 517)
        }
    }

    @Test("An alias applies when its call completes, and an empty alias restores the device name")
    func alias() async throws {
        try await withTestbed { context in
            let connected = try await context.connected(to: gadget)
            let central = connected.central
            await Watcher.watch(central)
            try await central.setAlias("Left wrist")
            #expect(try await central.details().alias == "Left wrist")
            #expect(try await central.details().name == "Gadget")
            try await central.setAlias("")
            #expect(try await central.details().alias == "Gadget")
            await central.wait(for: "Gadget, not paired")
            await central.expect(["Left wrist, not paired", "Gadget, not paired"])
        }
    }

    @Test("A pairing by another program is reported to the observer and shown in the details")
    func pairing() async throws {
        try await withTestbed(isRecorded: false) { context in
            let agent = try await context.agreeToPairing()
            let central = try await context.connected(to: gadget).central
            await Watcher.watch(central)
            try await agent.pair("/org/bluez/hci0/dev_C0_00_00_00_00_01")
            await central.wait(for: "Gadget, paired")
            let details = try await central.details()
            #expect(details.isPaired)
            #expect(details.isBonded == true)
        }
    }
}

@Suite("Observation of a peripheral", .timeLimit(.minutes(15)), .enabled(if: !isRealBlueZ))
struct PeripheralObserverTests {
    private func gadget(
        _ context: ScenarioContext,
        _ work: @escaping @Sendable (SimulatedDevice) -> Void
    ) async throws {
        try await context.simulate { $0.device("C0:00:00:00:00:01").map(work) }
    }

    @Test(
        "An MTU change is reported once to each observer and limits the next write",
        .pitfall(.mtuChanges)
    )
    func mtu() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: ScenarioTests.gadget)
            let first = connected.central
            let second = await context.central(adapter: "hci0", sharing: first)
            try await second.connect(connected.identifier)
            await first.run { [second] first in
                let watchers = [Watcher(first, as: "A "), Watcher(first, as: "B ")]
                first.retainedObjects += watchers
                first.bluejay.register(peripheralObserver: watchers[0])
                second.bluejay.register(peripheralObserver: watchers[1])
            }
            await first.forget()
            try await gadget(context) { $0.mtu = 100 }
            await first.wait(for: "B mtu 100")
            let long = Data(count: 98)
            await #expect(throws: BluejayError.valueTooLong(length: 98, limit: 97)) {
                try await first.write(long, to: controlPoint, type: .withoutResponse)
            }
            let mtu = try await first.read { try $0.bluejay.mtu() }
            #expect(mtu == 100)
            await first.expect(["A mtu 100", "B mtu 100"])
        }
    }

    @Test("Removed and released observers are not called")
    func unregistered() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: ScenarioTests.gadget).central
            await central.run { central in
                let kept = Watcher(central, as: "kept ")
                let removed = Watcher(central, as: "removed ")
                central.retainedObjects += [kept, removed]
                for one in [removed, kept, Watcher(central, as: "gone ")] {
                    central.bluejay.register(peripheralObserver: one)
                }
                central.bluejay.unregister(peripheralObserver: removed)
            }
            await central.forget()
            try await gadget(context) { $0.mtu = 50 }
            await central.wait(for: "kept mtu 50")
            await central.expect(["kept mtu 50"])
        }
    }

    @Test("The appearance consists of a number and a name")
    func appearance() async throws {
        try await withTestbed(isRecorded: false) { context in
            try await context.simulate { world in
                let device = ScenarioTests.gadget.simulated
                device.setAppearance(0x0341)
                world.add(device)
            }
            let central = await context.availableCentral(adapter: "hci0")
            try await central.connect(try await central.find())
            let appearance = try await central.details().appearance
            #expect(appearance == Appearance(rawValue: 0x0341))
            #expect(appearance?.categoryName == "Heart Rate Sensor")
        }
    }

    @Test("Without a connection, details, MTU and alias fail")
    func notConnected() async throws {
        try await withTestbed(isRecorded: false) { context in
            let stopped = await RecordingCentral.stopped(context.testbed.busAddress)
            let central = await context.availableCentral()
            for one in [stopped, central] {
                await #expect(throws: BluejayError.notConnected) { try await one.details() }
                await #expect(throws: BluejayError.notConnected) {
                    try await one.read { try $0.bluejay.mtu() }
                }
            }
            await #expect(throws: BluejayError.notConnected) { try await central.setAlias("A") }
            await #expect(throws: BluejayError.bluetoothUnavailable) {
                try await stopped.setAlias("A")
            }
        }
    }

    @Test("An alias without a reply from bluetoothd fails when the link is lost")
    func aliasWithoutAnswer() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: ScenarioTests.gadget)
            let central = connected.central
            try await context.simulate { $0.apply(.callsHeld("Set")) }
            await central.forget()
            await central.run { central in
                central.bluejay.setAlias("A") { central.recordEvent("alias \($0.text)") }
                central.recordRead("read", of: controlPoint)
            }
            try await connected.peripheral.dropLink()
            await central.wait(for: "disconnected")
            await central.expect(["alias notConnected", "read notConnected", "disconnected Gadget"])
        }
    }
}
