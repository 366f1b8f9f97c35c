import BluejayDeviceFile
import BluejaySimulator
import Foundation
import TestSupport
import Testing

/// Tests `DeviceRecorder`.
@Suite("bluejay record and replay", .timeLimit(.minutes(15)))
struct RecordTests {
    private static let address = "C4:7C:8D:6A:1F:02"

    private static func sensor() -> SimulatedDevice {
        let device = SimulatedDevice(address: address, name: "Sensor", advertising: ["180D"])
        device.setManufacturerData(0x0059, [1, 2, 3])
        device.addService(
            "180D",
            [
                ScriptedCharacteristic(
                    "2A37",
                    ["notify"],
                    .replays(
                        [
                            TimedValue(at: .milliseconds(700), [0, 62]),
                            TimedValue(at: .milliseconds(100), [0, 60]),
                            TimedValue(at: .milliseconds(400), [0, 61]),
                        ],
                        holding: nil
                    ),
                    descriptors: [("2901", Array("Beats".utf8))]
                ),
                ScriptedCharacteristic("2A38", ["read"], .value([1])),
                ScriptedCharacteristic("2A39", ["write"], .accepts([[1]], otherwise: 0x80)),
                ScriptedCharacteristic("2A3A", ["read"], .refuses(0x80)),
            ]
        )
        device.addService(
            "6E400001-B5A3-F393-E0A9-E50E24DCCA9E",
            [
                ScriptedCharacteristic("2A29", ["read"], .value(Array("Bluejay".utf8))),
                ScriptedCharacteristic(
                    "2A29",
                    ["read", "indicate"],
                    .replays([TimedValue(at: .milliseconds(200), [7])], holding: [6])
                ),
            ]
        )
        return device
    }

    /// The planned notifications; their order in a recording depends on two clocks.
    private static let planned: [(characteristic: String, value: String)] = [
        ("180D/2A37", "003c"),
        ("6E400001-B5A3-F393-E0A9-E50E24DCCA9E/2A29#1", "07"),
        ("180D/2A37", "003d"),
        ("180D/2A37", "003e"),
    ]

    private static func text(_ times: [Int]) -> String {
        text(zip(times, planned).map { (milliseconds: $0, value: $1.value) })
    }

    private static func text(_ notifications: [(milliseconds: Int, value: String)]) -> String {
        let entries = notifications.map { notification in
            let name = planned.first { $0.value == notification.value }?.characteristic ?? "unknown"
            return """
                    {
                      "characteristic" : "\(name)",
                      "milliseconds" : \(notification.milliseconds),
                      "value" : "\(notification.value)"
                    }
                """
        }
        return """
            {
              "address" : "C4:7C:8D:6A:1F:02",
              "addressType" : "random",
              "advertises" : [
                "180D"
              ],
              "manufacturerData" : [
                {
                  "company" : "0059",
                  "value" : "010203"
                }
              ],
              "name" : "Sensor",
              "notifications" : [
            \(entries.joined(separator: ",\n"))
              ],
              "services" : [
                {
                  "characteristics" : [
                    {
                      "descriptors" : [
                        {
                          "text" : "Beats",
                          "uuid" : "2901"
                        }
                      ],
                      "properties" : [
                        "notify"
                      ],
                      "uuid" : "2A37"
                    },
                    {
                      "properties" : [
                        "read"
                      ],
                      "uuid" : "2A38",
                      "value" : "01"
                    },
                    {
                      "properties" : [
                        "write"
                      ],
                      "uuid" : "2A39"
                    },
                    {
                      "properties" : [
                        "read"
                      ],
                      "uuid" : "2A3A"
                    }
                  ],
                  "uuid" : "180D"
                },
                {
                  "characteristics" : [
                    {
                      "properties" : [
                        "read"
                      ],
                      "text" : "Bluejay",
                      "uuid" : "2A29"
                    },
                    {
                      "properties" : [
                        "read",
                        "indicate"
                      ],
                      "uuid" : "2A29",
                      "value" : "06"
                    }
                  ],
                  "uuid" : "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
                }
              ],
              "version" : 1
            }

            """
    }

    /// Compares a recording, allowing for delays on a busy machine.
    private func expectSensor(_ file: DeviceFile) throws {
        let planned = try DeviceFile(json: Data(Self.text([100, 200, 400, 700]).utf8))
        var timeless = file
        var wanted = planned
        // Each characteristic has its own clock, so a delay may swap notifications of two characteristics.
        timeless.notifications = []
        wanted.notifications = []
        #expect(timeless == wanted)
        for place in Set(planned.notifications.map(\.index)) {
            let seen = file.notifications(at: place)
            let sent = planned.notifications(at: place)
            #expect(seen.map(\.value) == sent.map(\.value))
            for (one, other) in zip(seen, sent) {
                // The recorder notices the subscription a moment after it starts.
                #expect(one.milliseconds > other.milliseconds - 90)
            }
        }
    }

    @Test("A recording contains services, values, descriptors and notifications in order")
    func recording() async throws {
        let stage = try await RecordingStage()
        await stage.system.perform { $0.add(Self.sensor()) }
        let (lines, status) = try await stage.bluejay(
            ["record", "Sensor", stage.path("sensor.json"), "--for", "3"],
            isErrorOutput: true
        )
        #expect(
            lines == [
                "bluejay: omitted the value of 180D/2A3A: read of 2A3A of Sensor "
                    + "(C4:7C:8D:6A:1F:02): the peripheral rejected the request with ATT 0x80 (defined by the "
                    + "peripheral); see the documentation of the peripheral",
                "bluejay: \(stage.path("sensor.json")) has 2 services, 6 characteristics and "
                    + "4 notifications",
            ]
        )
        #expect(status == 0)
        let file = try stage.device("sensor.json")
        try expectSensor(file)
        let text = try String(contentsOfFile: stage.path("sensor.json"), encoding: .utf8)
        let came = file.notifications.map { notification in
            let value = notification.value.map { String(format: "%02x", $0) }.joined()
            return (milliseconds: notification.milliseconds, value: value)
        }
        #expect(text == Self.text(came))
        let isConnected = await stage.system.read { $0.device(Self.address)?.isConnected }
        #expect(isConnected == false)
    }

    @Test("Recording a replayed device reproduces the file")
    func roundTrip() async throws {
        let stage = try await RecordingStage()
        await stage.system.perform { $0.add(Self.sensor()) }
        let first = try await stage.bluejay(
            ["record", Self.address, stage.path("first.json"), "--for", "3"]
        )
        #expect(first.status == 0)
        let second = try await stage.bluejay([
            "replay", stage.path("first.json"), "--", Self.tool, "record", "Sensor",
            stage.path("second.json"), "--for", "3",
        ])
        #expect(second.status == 0)
        try expectSensor(try stage.device("first.json"))
        try expectSensor(try stage.device("second.json"))
    }

    private static var tool: String {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "bluejay").path
    }

    @Test("Each subscription receives all notifications from the start")
    func again() async throws {
        let stage = try await RecordingStage()
        try stage.write(Self.text([100, 200, 400, 700]), to: "sensor.json")
        // Two recordings in sequence beside one simulator: the second subscribes after the first has left.
        let script = """
            "$0" record Sensor "$1" --for 3 && "$0" record Sensor "$2" --for 3
            """
        let result = try await runProgram(
            "bluez-simulator",
            [
                "--device", stage.path("sensor.json"), "--", "sh", "-c", script, Self.tool,
                stage.path("1.json"), stage.path("2.json"),
            ],
            environment: stage.environment
        )
        #expect(result.status == 0)
        for name in ["1.json", "2.json"] {
            let file = try stage.device(name)
            #expect(file.notifications.count == 4)
        }
    }

    @Test("With - the file goes to standard output, and Ctrl-C keeps the received notifications")
    func interrupted() async throws {
        let stage = try await RecordingStage()
        await stage.system.perform { $0.add(Self.sensor()) }
        let program = try await stage.started(["record", "Sensor", "-", "--for", "3600"])
        try await wait {
            let count = await stage.system.read { $0.device(Self.address)?.sentCount }
            return count == 4 || program.status != nil
        }
        #expect(await program.end(SIGINT) == 130)
        let json = program.lines.filter { !$0.hasPrefix("bluejay:") }.joined(separator: "\n")
        let file = try DeviceFile(json: Data(json.utf8))
        // The last notification may still be on its way.
        #expect(file.notifications.count >= 3)
        #expect(file.services.count == 2)
    }

    @Test("A lost device fails the command, and the file keeps the received notifications")
    func lost() async throws {
        let stage = try await RecordingStage()
        await stage.system.perform { $0.add(Self.sensor()) }
        let program = try await stage.started([
            "record", "Sensor", stage.path("sensor.json"), "--for", "3600",
        ])
        try await wait {
            let count = await stage.system.read { $0.device(Self.address)?.sentCount }
            return count == 4 || program.status != nil
        }
        await stage.system.perform { $0.device(Self.address)?.leaveRange() }
        try await wait { program.status != nil }
        #expect(program.status == 1)
        #expect(try stage.device("sensor.json").notifications.count == 4)
    }

    @Test("A missing folder is reported with exit status 1")
    func unwritable() async throws {
        let stage = try await RecordingStage()
        await stage.system.perform { $0.add(SimulatedDevice(address: Self.address, name: "Still")) }
        let path = stage.path("nowhere/still.json")
        let (lines, status) = try await stage.bluejay(
            ["record", "Still", path],
            isErrorOutput: true
        )
        #expect(status == 1)
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("bluejay: \(path) cannot be written: ") == true)
    }

    @Test("An unwritable file is rejected before connecting")
    func refusedFirst() async throws {
        let stage = try await RecordingStage()
        for path in [stage.path("nowhere/x.json"), stage.folder.path, "/proc/x.json"] {
            let arguments = ["record", "Nobody", path, "--timeout", "600"]
            let (lines, status) = try await stage.bluejay(arguments, isErrorOutput: true)
            #expect(status == 1)
            #expect(lines.first?.hasPrefix("bluejay: \(path) cannot be written: ") == true)
        }
    }

    @Test("A killed recording keeps the received notifications; a failed one keeps the old file")
    func killed() async throws {
        let stage = try await RecordingStage()
        let old = #"{"version":1,"name":"Old"}"#
        try stage.write(old, to: "sensor.json")
        let refused = try await stage.bluejay(
            ["record", "Nobody", stage.path("sensor.json"), "--timeout", "1"]
        )
        #expect(refused.status == 3)
        #expect(try stage.device("sensor.json").name == "Old")
        await stage.system.perform { $0.add(Self.steady()) }
        let program = try await stage.started([
            "record", "Steady", stage.path("sensor.json"), "--for", "3600",
        ])
        try await wait {
            let count = try? stage.device("sensor.json").notifications.count
            return (count ?? 0) > 2 || program.status != nil
        }
        #expect(await program.end(SIGKILL) != 0)
        let file = try stage.device("sensor.json")
        #expect(file.name == "Steady")
        #expect(file.services.count == 1)
        #expect(file.notifications.count > 2)
    }

    private static func steady() -> SimulatedDevice {
        let device = SimulatedDevice(address: address, name: "Steady")
        let values = (0..<600).map {
            TimedValue(at: .milliseconds(500 * $0), [UInt8(truncatingIfNeeded: $0)])
        }
        device.addService(
            "FFE0",
            [ScriptedCharacteristic("FFE1", ["notify"], .replays(values, holding: nil))]
        )
        return device
    }

    @Test("A device without notifying characteristics is recorded immediately")
    func still() async throws {
        let stage = try await RecordingStage()
        await stage.system.perform { $0.add(SimulatedDevice(address: Self.address, name: "Still")) }
        let (lines, status) = try await stage.bluejay(["record", "Still", "-", "--for", "3600"])
        #expect(status == 0)
        let file = try DeviceFile(json: Data(lines.joined(separator: "\n").utf8))
        #expect(
            file
                == DeviceFile(address: .init(text: Self.address, isRandom: true), name: "Still")
        )
    }

    @Test("bluejay and bluez-simulator reject an invalid file with the position of the error")
    func wrong() async throws {
        let stage = try await RecordingStage()
        try stage.write(#"{"version":1,"services":[{"uuid":"x"}]}"#, to: "wrong.json")
        let path = stage.path("wrong.json")
        let words = "\(path): services[0].uuid is not a UUID of 4, 8 or 36 characters: x (line 1)"
        let replay = try await stage.bluejay(["replay", path, "--", "true"], isErrorOutput: true)
        #expect(replay.lines == ["bluejay: \(words)"])
        #expect(replay.status == 1)
        let simulator = try await runProgram(
            "bluez-simulator",
            ["--device", path, "--", "true"],
            isErrorOutput: true
        )
        #expect(simulator.lines.joined().contains(words))
        #expect(simulator.status == 64)
    }

    @Test("replay exits with the status of its program")
    func status() async throws {
        let stage = try await RecordingStage()
        try stage.write(#"{"version":1,"name":"Quiet"}"#, to: "quiet.json")
        let (_, status) = try await stage.bluejay([
            "replay", stage.path("quiet.json"), "--", "sh", "-c", "exit 7",
        ])
        #expect(status == 7)
    }

    @Test("Two devices with the same address are rejected")
    func twice() async throws {
        let stage = try await RecordingStage()
        try stage.write(#"{"version":1,"address":"\#(Self.address)"}"#, to: "one.json")
        let (lines, status) = try await runProgram(
            "bluez-simulator",
            ["--device", stage.path("one.json"), "--heart-rate-sensor", "--", "true"],
            isErrorOutput: true
        )
        #expect(status == 64)
        #expect(lines.joined().contains("two devices have the address \(Self.address)"))
    }
}
