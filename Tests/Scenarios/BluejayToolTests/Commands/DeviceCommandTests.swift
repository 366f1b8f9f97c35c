import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@Suite("bluejay battery, info, pair and forget", .timeLimit(.minutes(15)))
struct DeviceCommandTests {
    private static let lock = "Lock (C4:7C:8D:6A:1F:03)"

    @Test("The battery level is printed in percent; a device without a battery service is an error")
    func battery() async throws {
        let device = SimulatedDevice(
            address: "C0:00:00:00:00:05",
            name: "Box",
            advertising: ["180F"]
        )
        device.addService("180F", [ScriptedCharacteristic("2A19", ["read"], .value([80]))])
        try await ToolStage.play(.accelerated(), [device, .heartRateSensor()]) { stage in
            try await stage.check("battery", "Box", gives: ["80 %"])
            let level = try await stage.run("battery", "Box", "--json").lines.map(withoutTime)
            #expect(
                level == [
                    #"{"address":"C0:00:00:00:00:05","battery":80,"name":"Box","type":"battery"}"#
                ]
            )
            let none = try await stage.run("battery", "Heart Rate Sensor")
            #expect(none.status == 1)
            #expect(none.lines.count == 1)
        }
    }

    @Test("The info command prints the address, the link and the Device Information")
    func info() async throws {
        try await ToolStage.play { stage in
            try await stage.check(
                "info",
                "Heart Rate Sensor",
                gives: [
                    "name           Heart Rate Sensor", "address        C4:7C:8D:6A:1F:02",
                    "kind           static random",
                    "identifier     C47C8D6A-1F02-8101-8062-6C75656A6179", "paired         no",
                    "mtu            517 bytes", "services       3", "manufacturer   Bluejay",
                ]
            )
            let object = try await stage.run("info", "-", "--json").lines.last.map(withoutTime)
            #expect(
                object
                    == #"{"address":"C4:7C:8D:6A:1F:02","addressKind":"static random","#
                    + #""alias":"Heart Rate Sensor","bonded":false,"#
                    + #""identifier":"C47C8D6A-1F02-8101-8062-6C75656A6179","manufacturer":"Bluejay","#
                    + #""mtu":517,"name":"Heart Rate Sensor","paired":false,"services":3,"type":"device"}"#
            )
        }
    }

    @Test("The info command names the appearance and the vendor")
    func names() async throws {
        let device = SimulatedDevice(
            address: "C0:00:00:00:00:05",
            name: "Belt",
            advertising: ["180A"]
        )
        device.setAppearance(0x0341)
        let product: [UInt8] = [1, 0x0F, 0, 0x46, 2, 0x13, 2]
        device.addService("180A", [ScriptedCharacteristic("2A50", ["read"], .value(product))])
        try await ToolStage.play(.accelerated(), [device]) { stage in
            let lines = try await stage.run("info", "Belt").lines
            #expect(lines.contains("appearance     Heart Rate Belt (833)"))
            #expect(
                lines.contains(
                    "product        Bluetooth vendor 0x000F (Broadcom), product 0x0246, "
                        + "version 2.1.3"
                )
            )
        }
    }

    @Test("Typing the passkey of a lock pairs it until the forget command")
    func pair() async throws {
        try await ToolStage.play(.accelerated(), [.passkeyLock()]) { stage in
            let question = "bluejay: enter the passkey shown by \(Self.lock):"
            let wrong = try await stage.shell("echo 1 | bluejay pair Lock")
            #expect(wrong.status == 1)
            #expect(wrong.lines.first == question)
            #expect(wrong.lines.last?.contains("pairing failed") == true)

            let paired = try await stage.shell("printf 'what?\\n123456\\n' | bluejay pair Lock")
            #expect(paired == Outcome([question, question, "paired with \(Self.lock)"]))
            try await stage.check("read", "Lock", "FFE1", gives: ["00"])
            let info = try await stage.run("info", "Lock")
            #expect(info.lines.contains("paired         yes"))

            try await stage.check("forget", "Lock", gives: ["forgot \(Self.lock)"])
            try await stage.check(
                "forget",
                "Lock",
                gives: [
                    "bluejay: unknown device \"Lock\"; `bluejay scan` lists the devices in range"
                ],
                status: 3
            )
            try await stage.check(
                "info",
                gives: ["bluejay: no previous device; specify one"],
                status: 3
            )
        }
    }

    @Test("Numeric comparison pairs after yes and fails after no")
    func compared() async throws {
        let lock = SimulatedDevice.lock()
        lock.pairing = .confirmation(4_711, isAgreed: true)
        try await ToolStage.play(.accelerated(), [lock]) { stage in
            let question = "bluejay: does \(Self.lock) show 004711? yes or no:"
            let refused = try await stage.shell("echo no | bluejay pair Lock")
            #expect(refused.status == 1)
            #expect(refused.lines.first == question)
            #expect(refused.lines.count == 2)
            #expect(refused.lines.last?.contains("handler") == false, "\(refused.lines)")
            let paired = try await stage.shell("echo yes | bluejay pair Lock --json")
            #expect(
                paired.lines.map(withoutTime) == [
                    question,
                    #"{"address":"C4:7C:8D:6A:1F:03","#
                        + #""identifier":"C47C8D6A-1F03-8101-8062-6C75656A6179","#
                        + #""name":"Lock","paired":true,"type":"pairing"}"#,
                ]
            )
        }
    }

    @Test(
        "Reading a protected value without a terminal reports immediately that pairing is required"
    )
    func unpaired() async throws {
        try await ToolStage.play(.accelerated(), [.passkeyLock()]) { stage in
            let outcome = try await stage.shell("bluejay read Lock FFE1 </dev/null")
            let remedy = "run `bluejay pair C4:7C:8D:6A:1F:03`"
            #expect(outcome == Outcome(["bluejay: \(Self.lock) requires pairing; \(remedy)"], 1))
        }
    }

    @Test("Without a terminal and without input a pairing question is rejected in one sentence")
    func withoutInput() async throws {
        let reason =
            "bluejay: \(Self.lock) cannot be paired without an answer, but neither a terminal nor "
            + "input is available; run the command on a terminal"
        try await ToolStage.play(.accelerated(), [.passkeyLock()]) { stage in
            let start = ContinuousClock.now
            #expect(try await stage.shell("bluejay pair Lock </dev/null") == Outcome([reason], 1))
            #expect(ContinuousClock.now - start < .seconds(20))
            #expect(try await stage.shell("bluejay pair Lock <&-") == Outcome([reason], 1))
            let question = "bluejay: enter the passkey shown by \(Self.lock):"
            let invalid = try await stage.shell("echo what | bluejay pair Lock")
            #expect(invalid == Outcome([question, reason], 1))
        }
    }

    @Test("A device that asks nothing is paired without a terminal and without input")
    func withoutQuestion() async throws {
        let lamp = SimulatedDevice(address: "C0:00:00:00:00:10", name: "Lamp")
        try await ToolStage.play(.accelerated(), [lamp]) { stage in
            let outcome = try await stage.shell("bluejay pair Lamp </dev/null")
            #expect(outcome == Outcome(["paired with Lamp (C0:00:00:00:00:10)"]))
        }
    }

    @Test("Ctrl-C rejects a pairing request")
    func interrupted() async throws {
        try await ToolStage.play(.accelerated(), [.passkeyLock()]) { stage in
            let question = "bluejay: enter the passkey shown by \(Self.lock):"
            let program = try await stage.begin(["pair", "Lock"])
            try await program.wait(for: question)
            let status = await program.end(SIGINT)
            #expect(status == 130)
            let isConnected = await stage.isConnected(SimulatedDevice.DoorLock.address)
            #expect(!isConnected)
        }
    }
}
