import BluejayDeviceFile
import BluejaySimulator
import Foundation
import TestSupport
import Testing

/// Tests `DeviceFilePeripheral`.
@Suite("bluejay serve", .timeLimit(.minutes(15)))
struct ServeTests {
    private static let file = """
        {
          "version": 1,
          "name": "Sensor",
          "advertises": ["180D"],
          "services": [
            {"uuid": "180D", "characteristics": [
              {"uuid": "2A37", "properties": ["notify"]},
              {"uuid": "2A38", "properties": ["read", "write"], "value": "01",
               "descriptors": [{"uuid": "2901", "text": "Where"}]}
            ]}
          ],
          "notifications": [
            {"characteristic": "2A37", "milliseconds": 50, "value": "003c"},
            {"characteristic": "2A37", "milliseconds": 2000, "value": "003d"}
          ]
        }
        """
    private static let script =
        "connect; read 2A38; write 2A38 0203; read 2A38; subscribe 2A37; expect 2A37; "
        + "unsubscribe 2A37; wait 1; subscribe 2A37; expect 2A37 2; wait 1; leave"

    private func served(_ options: [String]) async throws -> RunningProgram {
        let stage = try await RecordingStage()
        try stage.write(Self.file, to: "sensor.json")
        let tool = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "bluejay").path
        let program = try await RunningProgram(
            "bluez-simulator",
            ["--central", Self.script, "--", tool, "serve", stage.path("sensor.json")] + options,
            environment: stage.environment
        )
        try await program.wait(for: "central 1: done")
        return program
    }

    @Test("Each connection, read, write, subscription and notification is printed as a line")
    func lines() async throws {
        let program = try await served([])
        let gone = { program.lines.contains { $0.hasPrefix("disconnected") } }
        try await wait { gone() || program.status != nil }
        _ = await program.end(SIGTERM)
        let central = "Central 1 (C0:FF:EE:00:00:01)"
        let unnamed = "C0-FF-EE-00-00-01 (C0:FF:EE:00:00:01)"
        let own = program.lines.filter { !$0.hasPrefix("central 1:") }
        #expect(
            own == [
                "advertising Sensor with 180D", "connected by \(unnamed)",
                "read 180D/2A38 01 by \(central)", "written 180D/2A38 0203 by \(central)",
                "read 180D/2A38 0203 by \(central)", "subscribed 180D/2A37 by \(central)",
                "sent 180D/2A37 003c",
                "unsubscribed 180D/2A37 by \(central)", "subscribed 180D/2A37 by \(central)",
                "sent 180D/2A37 003c", "sent 180D/2A37 003d",
                "unsubscribed 180D/2A37 by \(central)", "disconnected by \(unnamed)",
            ]
        )
        #expect(program.status == 143)
        #expect(program.lines.contains("central 1: done, 0 failed"))
    }

    @Test("With --json each event is an object, and --for ends the command")
    func json() async throws {
        let program = try await served(["--json", "--for", "12"])
        try await wait { program.status != nil }
        #expect(program.status == 0)
        let first = program.lines.filter { $0.hasPrefix("{") }.prefix(3).map(withoutTime)
        #expect(
            first == [
                #"{"event":"advertising","note":"Sensor with 180D","type":"serving"}"#,
                #"{"address":"C0:FF:EE:00:00:01","event":"connected","name":"C0-FF-EE-00-00-01","#
                    + #""type":"serving"}"#,
                #"{"address":"C0:FF:EE:00:00:01","characteristic":"2A38","#
                    + #""characteristicName":"Body Sensor Location","event":"read","instance":0,"#
                    + #""name":"Central 1","service":"180D","serviceInstance":0,"type":"serving","#
                    + #""value":"01"}"#,
            ]
        )
    }

    @Test("A recording of a served file matches it, and the services are removed at the end")
    func recorded() async throws {
        let stage = try await RecordingStage()
        try stage.write(Self.file, to: "sensor.json")
        let server = try await stage.started([
            "serve", stage.path("sensor.json"), "--adapter", "hci1",
        ])
        try await server.wait(for: "advertising")
        let peer = RecordingStage.secondAdapter
        let (_, status) = try await stage.bluejay([
            "record", "Sensor", stage.path("seen.json"), "--for", "6", "--adapter", "hci0",
        ])
        #expect(status == 0)
        let planned = try stage.device("sensor.json")
        let seen = try stage.device("seen.json")
        let service = try #require(seen.services.first { $0.uuid.description == "180D" })
        #expect(service == planned.services[0])
        #expect(seen.notifications.map(\.value) == planned.notifications.map(\.value))
        #expect(seen.advertises == planned.advertises)
        #expect(seen.name == "Sensor")
        #expect(await server.end(SIGINT) == 130)
        let again = try await stage.bluejay([
            "record", peer, "-", "--timeout", "2", "--adapter", "hci0",
        ])
        #expect(again.status == 3)
    }

    @Test("A notification truncated to the MTU of a central is marked")
    func cut() async throws {
        let stage = try await RecordingStage()
        let long = String(repeating: "3d", count: 21)
        try stage.write(Self.file.replacing("003d", with: long), to: "sensor.json")
        let server = try await stage.started(["serve", stage.path("sensor.json")])
        try await server.wait(for: "advertising")
        await stage.system.perform { system in
            let central = SimulatedCentral(address: "C0:FF:EE:00:00:01")
            central.mtu = 23
            system.add(central)
            central.play([.connect, .subscribe("2A37")]) { _ in }
        }
        try await server.wait(for: "sent 180D/2A37 \(long)")
        _ = await server.end(SIGTERM)
        let sent = server.lines.filter { $0.hasPrefix("sent") }
        #expect(
            sent == ["sent 180D/2A37 003c", "sent 180D/2A37 \(long) cut to the MTU of a central"]
        )
    }

    @Test("Without Bluetooth the exit status is 2")
    func off() async throws {
        let stage = try await RecordingStage()
        try stage.write(Self.file, to: "sensor.json")
        await stage.system.perform { world in
            for number in 0..<2 { world.unplug(adapter: number) }
        }
        let (lines, status) = try await stage.bluejay(
            ["serve", stage.path("sensor.json")],
            isErrorOutput: true
        )
        #expect(status == 2)
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("bluejay: Bluetooth is not available") == true)
    }
}
