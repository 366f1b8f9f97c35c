import Bluejay
import Foundation
import Staging
import Testing

@Suite("A scan, and what is connected already", .timeLimit(.minutes(15)))
struct ConnectedDeviceTests {
    @Test("N2: the run after one that was killed finds the peripheral, and connects")
    func afterKill() async throws {
        try await withTestbed(isRecorded: false) { context in
            let peripheral = try await context.testbed.add(.heartRateSensor())
            let lives = try Lives()
            try await lives.live(context)
            #expect(try await peripheral.isConnected())
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { central in
                central.bluejay.scan(serviceIdentifiers: [heartRateService]) { found, all in
                    central.recordEvent("found \(found.isConnected) of \(all.count)")
                    return .connect(found) { central.recordEvent("connect \($0.text)") }
                } stopped: { _, error in
                    central.recordEvent("stopped \(error == nil)")
                }
            }
            await central.wait(for: "connected")
            await central.expect([
                "found true of 1", "stopped true", "connect ok", "connected Heart Rate Sensor",
            ])
            #expect(try await central.value(of: location, as: UInt8.self) == 1)
        }
    }

    @Test(
        "What is free is told first, for the other one may be in use",
        .enabled(if: !isRealBlueZ, "the machine has one controller for peripherals")
    )
    func freeFirst() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.heartRateSensor())
            let lives = try Lives()
            try await lives.live(context)
            _ = try await context.testbed.add(.gadget([]))
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { central in
                central.bluejay.scan(serviceIdentifiers: [heartRateService]) { found, all in
                    central.recordEvent("found \(found.peripheralIdentifier.name)")
                    return all.count == 2 ? .stop : .continue
                } stopped: { _, _ in
                    central.recordEvent("stopped")
                }
            }
            await central.wait(for: "stopped")
            await central.expect(["found Gadget", "found Heart Rate Sensor", "stopped"])
        }
    }

    @Test("A scan for every device does not tell what is connected")
    func everyDevice() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.heartRateSensor())
            let lives = try Lives()
            try await lives.live(context)
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { central in
                central.bluejay.scan(duration: 2, serviceIdentifiers: nil) { found, _ in
                    central.recordEvent("found \(found.peripheralIdentifier.name)")
                    return .continue
                } stopped: { _, _ in
                    central.recordEvent("stopped")
                }
            }
            await central.wait(for: "stopped")
            #expect(!(await central.record().contains("found Heart Rate Sensor")))
        }
    }

    @Test("What an instance is connected to itself is no discovery for it, but for another one")
    func ownPeripheral() async throws {
        try await withTestbed(isRecorded: false) { context in
            let encounter = try await context.connected(to: .gadget([]))
            let other = await context.central(adapter: "hci0", sharing: encounter.central)
            for central in [encounter.central, other] {
                await central.forget()
                await central.run { central in
                    central.bluejay.scan(duration: 1, serviceIdentifiers: [heartRateService]) {
                        found in
                        central.recordEvent("found \(found.isConnected)")
                        return .continue
                    } stopped: { _ in
                        central.recordEvent("stopped")
                    }
                }
                await central.wait(for: "stopped")
            }
            await encounter.central.expect(["stopped"])
            await other.expect(["found true", "stopped"])
        }
    }
}
