import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@Suite("bluejay scan, adapters and services", .timeLimit(.minutes(15)))
struct DiscoveryCommandTests {
    private static let sensor = "Heart Rate Sensor (C4:7C:8D:6A:1F:02)"

    private static func thermometer() -> SimulatedDevice {
        let device = SimulatedDevice(
            address: "C0:00:00:00:00:07",
            name: "\u{1B}[31mCellar",
            advertising: ["1809"],
            rssi: -80
        )
        device.setManufacturerData(0x004C, [2, 0x15])
        return device
    }

    @Test("A scan into a pipe prints one line per device and ends after its duration")
    func scan() async throws {
        try await ToolStage.play(.accelerated(), [.heartRateSensor(), Self.thermometer()]) {
            stage in
            let outcome = try await stage.run("scan", "--for", "5")
            #expect(outcome.status == 0)
            #expect(
                Set(outcome.lines) == [
                    "C4:7C:8D:6A:1F:02\t-55\tHeart Rate Sensor\tHeart Rate\t\t",
                    "C0:00:00:00:00:07\t-80\t\u{FFFD}[31mCellar\tHealth Thermometer\t0x004C 0215\t",
                ]
            )
            #expect(outcome.lines.count == 2)
        }
    }

    @Test("A scan with --json prints one object per device")
    func scanAsJSON() async throws {
        try await ToolStage.play(.accelerated(), [.heartRateSensor(), Self.thermometer()]) {
            stage in
            let arguments = ["scan", "--json", "--for", "60", "--service", "health-thermometer"]
            let program = try await stage.begin(arguments)
            try await program.wait(for: "{")
            #expect(
                program.lines.map(withoutTime) == [
                    #"{"address":"C0:00:00:00:00:07","connected":false,"identifier":"#
                        + #""C0000000-0007-8101-8062-6C75656A6179","manufacturerData":{"004C":"0215"},"#
                        + #""name":"\u001b[31mCellar","rssi":-80,"serviceData":{},"services":["1809"],"type":"discovery"}"#
                ]
            )
            let status = await program.end(SIGINT)
            #expect(status == 130)
        }
    }

    @Test("Filters for name, RSSI and service exclude other devices")
    func filters() async throws {
        try await ToolStage.play(.accelerated(), [.heartRateSensor(), Self.thermometer()]) {
            stage in
            let sensor = ["C4:7C:8D:6A:1F:02\t-55\tHeart Rate Sensor\tHeart Rate\t\t"]
            let filters = [["--name", "Heart"], ["--rssi", "-60"], ["--service", "180D"]]
            var programs: [RunningProgram] = []
            for filter in filters {
                programs.append(try await stage.begin(["scan", "--for", "5"] + filter))
            }
            for (program, filter) in zip(programs, filters) {
                try await TestSupport.wait { program.status != nil }
                #expect(program.lines == sensor, "\(filter)")
            }
        }
    }

    @Test("A scan that ends without a device says so, with status 3")
    func nothingFound() async throws {
        let remedy = "check that it is on, in range and advertising"
        try await ToolStage.play { stage in
            let words = "bluejay: no matching device found within 1 s; \(remedy)"
            try await stage.check(
                "scan",
                "--name",
                "Nobody",
                "--for",
                "1",
                gives: [words],
                status: 3
            )
            let output = try await stage.shell("bluejay scan --rssi -1 --for 1 --json 2>/dev/null")
            #expect(output == Outcome([], 3))
            let program = try await stage.begin(["scan", "--name", "Nobody"])
            try await TestSupport.wait {
                try await stage.run("adapters", "--json").lines.first?
                    .contains("\"discovering\":true") == true
            }
            #expect(await program.end(SIGINT) == 130)
            #expect(program.lines.isEmpty)
        }
        try await ToolStage.play(.accelerated(), []) { stage in
            let words = "bluejay: no device found within 0.5 s; \(remedy)"
            try await stage.check("scan", "--for", "0.5", gives: [words], status: 3)
        }
    }

    @Test("A connected device that does not advertise is listed and marked as connected")
    func connected() async throws {
        try await ToolStage.play { stage in
            let services = try await stage.run("services", "Heart Rate Sensor")
            #expect(services.status == 0)
            await stage.system.perform {
                $0.apply(.otherProgramConnects(SimulatedDevice.HeartRateSensor.address))
            }
            try await TestSupport.wait { await stage.isConnected() }
            let program = try await stage.begin(["scan"])
            try await program.wait(for: "C4:7C:8D:6A:1F:02")
            #expect(program.lines.first?.hasSuffix("\tconnected") == true)
            let status = await program.end(SIGTERM)
            #expect(status == 143)
        }
    }

    @Test(
        "A scan with --every prints a line for a lost connection",
        arguments: [[], ["--service", "180D"]]
    )
    func connectionEnds(_ filter: [String]) async throws {
        try await ToolStage.play { stage in
            // bluetoothd remembers a discovered device for a while.
            #expect(try await stage.run("services", "Heart Rate Sensor").status == 0)
            let address = SimulatedDevice.HeartRateSensor.address
            await stage.system.perform { $0.apply(.otherProgramConnects(address)) }
            try await TestSupport.wait { await stage.isConnected() }
            let program = try await stage.begin(["scan", "--every"] + filter)
            try await program.wait(for: address)
            #expect(program.lines.first?.hasSuffix("\tconnected") == true)
            await stage.system.perform { $0.device(address)?.leaveRange() }
            try await TestSupport.wait {
                program.status != nil || program.lines.last?.hasSuffix("\tconnected") == false
            }
            #expect(program.lines.last?.hasPrefix(address) == true)
            #expect(program.lines.last?.hasSuffix("\t") == true)
            #expect(await program.end(SIGTERM) == 143)
        }
    }

    @Test("A scan ends when its reader has closed the pipe, even without another device")
    func head() async throws {
        try await ToolStage.play { stage in
            let outcome = try await stage.shell("bluejay scan | head -n 1")
            #expect(
                outcome == Outcome(["C4:7C:8D:6A:1F:02\t-55\tHeart Rate Sensor\tHeart Rate\t\t"])
            )
        }
    }

    @Test("The adapters command also lists adapters that are off")
    func adapters() async throws {
        var options = SimulatorOptions.accelerated()
        options.adapters = 2
        options.isPowered = false
        try await ToolStage.play(options, []) { stage in
            await stage.system.perform { $0.setPowered(true, ofAdapter: 1) }
            try await TestSupport.wait {
                try await stage.run("adapters").lines.last?.contains(" on ") == true
            }
            let can = "connect, be a peripheral, advertise, monitor"
            try await stage.check(
                "adapters",
                gives: [
                    "NAME  ADDRESS            POWER  ALIAS       CAN",
                    "hci0  00:AA:01:00:00:00  off    BlueZ 5.66  \(can)",
                    "hci1  00:AA:01:01:00:01  on     BlueZ 5.66  \(can)",
                ]
            )
            let object = try await stage.run("adapters", "--json").lines.first.map(withoutTime)
            #expect(
                object
                    == #"{"address":"00:AA:01:00:00:00","alias":"BlueZ 5.66","blueZVersion":"5.66","#
                    + #""can":["connect","be a peripheral","advertise","monitor"],"discovering":false,"#
                    + #""name":"hci0","power":"off","type":"adapter"}"#
            )
        }
    }

    @Test("The services command prints a tree and then disconnects")
    func services() async throws {
        try await ToolStage.play { stage in
            let tree = [
                Self.sensor, "1801 Generic Attribute", "├─ 2A05 Service Changed  indicate",
                "│  └─ 2902 Client Characteristic Configuration",
                "├─ 2B29 Client Supported Features  read, write", "└─ 2B2A Database Hash  read",
                "180D Heart Rate", "├─ 2A37 Heart Rate Measurement  notify",
                "│  └─ 2902 Client Characteristic Configuration",
                "├─ 2A38 Body Sensor Location  read", "└─ 2A39 Heart Rate Control Point  write",
                "180A Device Information", "└─ 2A29 Manufacturer Name String  read",
            ]
            try await stage.check("services", "Heart Rate Sensor", gives: tree)
            let isConnected = await stage.isConnected()
            #expect(!isConnected)
            let note = "bluejay: using the last device, \(Self.sensor)"
            try await stage.check("services", gives: [note] + tree)
            try await stage.check("services", "c4:7c:8d:6a:1f:02", gives: tree)
            let identifier = "C47C8D6A-1F02-8101-8062-6C75656A6179"
            try await stage.check("services", identifier, gives: tree)
            let objects = try await stage.run("services", "-", "--json")
            let last = try #require(objects.lines.last)
            #expect(
                withoutTime(last).replacing(#/"handle":\d+,/#, with: "")
                    == #"""
                    {"address":"C4:7C:8D:6A:1F:02","characteristics":[{"characteristic":"2A29",\#
                    "characteristicName":"Manufacturer Name String","descriptors":[],\#
                    "instance":0,"properties":["read"]}],"name":"Heart Rate Sensor",\#
                    "primary":true,"service":"180A","serviceInstance":0,\#
                    "serviceName":"Device Information","type":"service"}
                    """#
            )
            let isStillConnected = await stage.isConnected()
            #expect(!isStillConnected)
        }
    }
}
