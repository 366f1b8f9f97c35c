import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@Suite("Hand-over, service listing and timeouts", .timeLimit(.minutes(15)))
struct HandOverTests {
    private static let gadget = PeripheralScript.gadget([
        ScriptedCharacteristic("2A37", ["notify"], .value([])),
        ScriptedCharacteristic("2A38", ["read"], .value([7])),
        ScriptedCharacteristic("2A39", ["write"], .neverReplies),
    ])

    @Test("A connection is handed to another instance and back without dropping the link")
    func handOver() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: Self.gadget)
            let (first, peripheral) = (connected.central, connected.peripheral)
            let state = await first.read { first in
                first.bluejay.read(from: location) { (result: ReadResult<UInt8>) in
                    first.recordEvent("read \(result.text)")
                }
                return first.bluejay.stopAndExtractBluetoothState()
            }
            #expect(await first.hasStarted() == false)
            #expect(await first.record().contains("read stopped"))
            #expect(state.manager.adapterPath == "/org/bluez/hci0")
            let handedOver = try #require(state.peripheral)
            #expect(handedOver.identifier == connected.identifier)
            #expect(try await peripheral.isConnected())

            let second = await RecordingCentral.stopped(context.testbed.busAddress)
            await second.run { second in
                second.bluejay.start(mode: .use(manager: state.manager, peripheral: handedOver))
                // The read waits until the connection is taken over.
                second.bluejay.read(from: location) { (result: ReadResult<UInt8>) in
                    second.recordEvent("read \(result.text)")
                }
            }
            await second.wait(for: "connected Gadget")
            await second.wait(for: "read 7")

            let back = await second.read { $0.bluejay.stopAndExtractBluetoothState() }
            await first.forget()
            await first.run { first in
                first.bluejay.register(connectionObserver: first)
                first.bluejay.start(mode: .use(manager: back.manager, peripheral: back.peripheral))
            }
            await first.wait(for: "connected Gadget")
            #expect(try await first.value(of: location, as: UInt8.self) == 7)
            try await first.disconnect()
            try await wait { try await !peripheral.isConnected() }
        }
    }

    @Test("A listen queued during a hand-over receives its values")
    func listenBehindHandOver() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: Self.gadget)
            let (central, peripheral) = (connected.central, connected.peripheral)
            await central.run { central in
                let state = central.bluejay.stopAndExtractBluetoothState()
                central.bluejay.register(connectionObserver: central)
                central.bluejay.start(
                    mode: .use(manager: state.manager, peripheral: state.peripheral)
                )
                central.bluejay.listen(
                    to: measurement,
                    multipleListenOption: .trap,
                    isKept: true
                ) { (result: ReadResult<UInt8>) in
                    central.recordEvent("received \(result.text)")
                }
                // This read waits until the listen is set up.
                central.bluejay.read(from: location) { (result: ReadResult<UInt8>) in
                    central.recordEvent("read \(result.text)")
                }
            }
            await central.wait(for: "read 7")
            try await peripheral.send([5], on: "2A37")
            await central.wait(for: "received 5")
            try await central.disconnect()
        }
    }

    @Test("Handing over an unconnected device fails the queued calls with notConnected")
    func nothingToTakeOver() async throws {
        try await withTestbed(isRecorded: false) { context in
            let second = await RecordingCentral.stopped(context.testbed.busAddress)
            await second.run { second in
                let manager = CentralManager(
                    busAddress: context.testbed.busAddress,
                    adapterPath: "/org/bluez/hci0"
                )
                let absent = ConnectedPeripheral(
                    devicePath: "/org/bluez/hci0/dev_C0_00_00_00_00_99"
                )
                second.bluejay.start(mode: .use(manager: manager, peripheral: absent))
                second.bluejay.read(from: location) { (result: ReadResult<UInt8>) in
                    second.recordEvent("read \(result.text)")
                }
            }
            await second.wait(for: "read notConnected")
        }
    }

    @Test("The connected peripheral lists its services and characteristics")
    func listing() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: Self.gadget).central
            let services = await central.read { $0.bluejay.services }
            let heartRate = try #require(services.first { $0.identifier == heartRateService })
            #expect(heartRate.isPrimary)
            #expect(
                heartRate.characteristics.map(\.identifier) == [
                    measurement, location, controlPoint,
                ]
            )
            #expect(heartRate.characteristics.map(\.properties) == [.notify, .read, .write])
            #expect(
                heartRate.characteristics.first?.descriptors == [BluetoothUUID(string: "2902")]
            )
            let limit = try await central.read {
                try $0.bluejay.maximumWriteValueLength(for: .withResponse)
            }
            #expect(limit == 512)
            try await central.disconnect()
            #expect(await central.services() == [])
        }
    }

    @Test("A write that exceeds its timeout fails, and the next call runs")
    func ownLimit() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: Self.gadget).central
            await central.forget()
            await central.run { central in
                central.bluejay.write(
                    to: controlPoint,
                    value: UInt8(1),
                    timeout: .seconds(0.2)
                ) { result in
                    guard case .failure(let error) = result else { return }
                    central.recordEvent("write \((error as? BluejayError)?.errorCode ?? 0)")
                }
                central.bluejay.endListen(to: measurement) { _ in central.recordEvent("next") }
            }
            await central.wait(for: "next")
            #expect(await central.record() == ["write 33", "next"])
        }
    }

    @Test("Reading the RSSI of a connection notifies the observer that BlueZ does not support it")
    func signalStrength() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: Self.gadget).central
            let observer = await NotingRSSIObserver(central)
            try await central.read { try $0.bluejay.readRSSI() }
            await central.wait(for: "rssi 127 36")
            try await central.disconnect()
            await #expect(throws: BluejayError.notConnected) {
                try await central.read { try $0.bluejay.readRSSI() }
            }
            withExtendedLifetime(observer) {}
        }
    }

    @Test("readRSSI calls its completion on a later iteration, with and without a connection")
    func signalStrengthWithCompletion() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: Self.gadget).central
            func ask() async {
                await central.run { central in
                    central.bluejay.readRSSI { result in
                        guard case .failure(let error) = result else { return }
                        central.recordEvent("rssi \((error as? BluejayError)?.errorCode ?? 0)")
                    }
                    central.recordEvent("asked")
                }
            }
            await ask()
            await central.wait(for: "rssi 36")
            try await central.disconnect()
            await ask()
            await central.wait(for: "rssi 6")
            let record = await central.record().filter { $0 == "asked" || $0.hasPrefix("rssi") }
            #expect(record == ["asked", "rssi 36", "asked", "rssi 6"])
        }
    }

    @Test("A completion can repeat readRSSI and is called again on a later iteration")
    func signalStrengthAgain() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: Self.gadget).central
            await central.forget()
            await central.run { central in
                func ask(_ times: Int) {
                    central.bluejay.readRSSI { result in
                        if times > 1 { ask(times - 1) }
                        guard case .failure(let error) = result else { return }
                        central.recordEvent("rssi \(times) \(errorName(error))")
                    }
                }
                ask(3)
            }
            await central.wait(for: "rssi 1")
            await central.expect((1...3).reversed().map { "rssi \($0) notSupported" })
        }
    }
}

private final class NotingRSSIObserver: RSSIObserver, @unchecked Swift.Sendable {
    private let central: RecordingCentral

    init(_ central: RecordingCentral) async {
        self.central = central
        await central.run { [self] in $0.bluejay.register(rssiObserver: self) }
    }

    func didReadRSSI(
        from peripheral: PeripheralIdentifier,
        RSSI: NSNumber,
        error: (any Error)?
    ) {
        central.recordEvent("rssi \(RSSI) \((error as? BluejayError)?.errorCode ?? 0)")
    }
}
