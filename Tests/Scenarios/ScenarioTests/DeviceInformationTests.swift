import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

private func script(_ characteristics: [ScriptedCharacteristic]) -> PeripheralScript {
    var script = PeripheralScript.gadget([ScriptedCharacteristic("2A38", ["read"], .value([1]))])
    script.services.append(PeripheralScript.Service("180A", characteristics))
    return script
}

private func text(_ uuid: String, _ text: String) -> ScriptedCharacteristic {
    ScriptedCharacteristic(uuid, ["read"], .value(Array(text.utf8)))
}

/// Has no hardware revision; the serial number is a secret.
private let informed = script([
    text("2A29", "Blue Wing"),
    text("2A24", "Jay 2"),
    ScriptedCharacteristic("2A25", ["read"], .refuses(0x08)),
    text("2A26", "1.0"),
    text("2A28", "2.0\0"),
    ScriptedCharacteristic("2A23", ["read"], .value([1, 2, 3, 4, 5, 6, 7, 8])),
    ScriptedCharacteristic("2A50", ["read"], .value([2, 0x6B, 0x1D, 0x46, 0x02, 0x13, 0x02])),
    ScriptedCharacteristic("2A2A", ["read"], .value([9, 8])),
])

@Suite("Device information of a peripheral", .timeLimit(.minutes(15)))
struct DeviceInformationTests {
    @Test("One call reads the device information; missing and rejected fields are nil")
    func deviceInformation() async throws {
        try await withTestbed { context in
            let central = try await context.connected(to: informed).central
            let information = try await central.deviceInformation()
            #expect(information.manufacturer == "Blue Wing")
            #expect(information.model == "Jay 2")
            #expect(information.serialNumber == nil)
            #expect(information.hardwareRevision == nil)
            #expect(information.firmwareRevision == "1.0")
            #expect(information.softwareRevision == "2.0")
            #expect(information.systemID?.organization == 0x080706)
            #expect(information.plugAndPlayID?.vendor == 0x1D6B)
            #expect(information.regulatoryData == Data([9, 8]))
        }
    }

    @Test("All instances of the service are read, and the first value of each field wins")
    func instances() async throws {
        try await withTestbed(isRecorded: false) { context in
            var two = script([
                text("2A29", "Blue Wing"),
                ScriptedCharacteristic("2A24", ["read"], .refuses(0x02)),
                text("2A26", "\0"),
            ])
            two.services.append(
                PeripheralScript.Service(
                    "180A",
                    [
                        text("2A29", "Another"), text("2A24", "Jay 2"), text("2A26", "1.0"),
                        text("2A25", "7"),
                    ]
                )
            )
            let connected = try await context.connected(to: two)
            let information = try await connected.central.deviceInformation()
            #expect(information.manufacturer == "Blue Wing")
            #expect(information.model == "Jay 2")
            #expect(information.firmwareRevision == "1.0")
            #expect(information.serialNumber == "7")
            let reads = try await connected.peripheral.reads()
            #expect(reads == ["2A29", "2A24", "2A24", "2A25", "2A26", "2A26"])
        }
    }

    @Test("Reading the device information takes one turn in the queue")
    func order() async throws {
        try await withTestbed { context in
            let connected = try await context.connected(to: informed)
            let central = connected.central
            await central.forget()
            await central.run { central in
                central.recordRead("before")
                central.bluejay.deviceInformation {
                    central.recordEvent("information \($0.outcome)")
                }
                central.recordRead("after")
            }
            await central.wait(for: "after")
            await central.expect(["before 01", "information ok", "after 01"])
            // bluetoothd itself also reads the PnP ID.
            let reads = try await connected.peripheral.reads().filter { $0 != "2A50" }
            #expect(
                reads == ["2A38", "2A29", "2A24", "2A25", "2A26", "2A28", "2A23", "2A2A", "2A38"]
            )
        }
    }

    @Test("A missing device information or battery service is reported as missing")
    func missing() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(
                to: .gadget([ScriptedCharacteristic("2A38", ["read"], .value([1]))])
            ).central
            await #expect(throws: BluejayError.missingService(.deviceInformation)) {
                try await central.deviceInformation()
            }
            await #expect(throws: BluejayError.missingService(.battery)) {
                try await central.batteryLevel()
            }
        }
    }

    @Test("One call reads the battery level, whichever way BlueZ exposes it")
    func batteryLevel() async throws {
        try await withTestbed(isRecorded: false) { context in
            var script = script([])
            script.services.append(
                PeripheralScript.Service(
                    "180F",
                    [ScriptedCharacteristic("2A19", ["read", "notify"], .value([77]))]
                )
            )
            let central = try await context.connected(to: script).central
            #expect(try await central.batteryLevel() == 77)
            let information = try await central.deviceInformation()
            #expect(information == DeviceInformation())
        }
    }
}

@Suite(
    "Failures of device information reads",
    .timeLimit(.minutes(15)),
    .enabled(if: !isRealBlueZ)
)
struct DeviceInformationTroubleTests {
    @Test("Each call fails before start and without a connection")
    func notConnected() async throws {
        try await withTestbed(isRecorded: false) { context in
            let stopped = await RecordingCentral.stopped(context.testbed.busAddress)
            let central = await context.availableCentral()
            for (one, error) in [
                (stopped, BluejayError.bluetoothUnavailable), (central, .notConnected),
            ] {
                await #expect(throws: error) { try await one.deviceInformation() }
                await #expect(throws: error) { try await one.batteryLevel() }
            }
        }
    }

    @Test("The timeout covers all reads, and no further field is read afterwards")
    func timeOut() async throws {
        try await withTestbed(isRecorded: false) { context in
            let slow = script([
                text("2A29", "Blue Wing"),
                ScriptedCharacteristic("2A24", ["read"], .repliesLate([0x41], afterSeconds: 2)),
                text("2A26", "1.0"),
            ])
            let connected = try await context.connected(to: slow)
            let central = connected.central
            await #expect(throws: BluejayError.operationTimedOut) {
                try await central.deviceInformation(timeout: .seconds(0.1))
            }
            #expect(try await central.value(of: location, as: UInt8.self) == 1)
            #expect(try await connected.peripheral.reads() == ["2A29", "2A24", "2A38"])
        }
    }

    @Test("A lost link fails the call once")
    func lost() async throws {
        try await withTestbed(isRecorded: false) { context in
            let leaving = script([
                text("2A29", "Blue Wing"), ScriptedCharacteristic("2A24", ["read"], .disconnects),
                text("2A26", "1.0"),
            ])
            let central = try await context.connected(to: leaving).central
            await central.forget()
            await central.run { central in
                central.bluejay.deviceInformation {
                    central.recordEvent("information \($0.outcome)")
                }
            }
            await central.wait(for: "disconnected")
            await central.expect(["information notConnected", "disconnected Gadget"])
        }
    }
}
