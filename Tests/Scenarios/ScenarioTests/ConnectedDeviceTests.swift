import Bluejay
import Foundation
import Staging
import TestTraits
import Testing

@Suite("Scans and devices that are already connected", .timeLimit(.minutes(15)))
struct ConnectedDeviceTests {
    @Test(
        "After a killed run, a scan finds the connected peripheral, and connecting succeeds",
        .pitfall(.linkOutlivesProgram, .connectOfConnectedDevice)
    )
    func afterKill() async throws {
        try await withTestbed(isRecorded: false) { context in
            let peripheral = try await context.testbed.add(.heartRateSensor())
            let lives = try ProgramRuns()
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
        "A scan reports unconnected devices first, because connected ones may be in use",
        .enabled(if: !isRealBlueZ, "the test machine has one peripheral controller")
    )
    func freeFirst() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.heartRateSensor())
            let lives = try ProgramRuns()
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

    @Test("A scan without services does not report connected devices")
    func everyDevice() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.heartRateSensor())
            let lives = try ProgramRuns()
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

    @Test("A scan reports a device connected by another instance, but not by the same instance")
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
