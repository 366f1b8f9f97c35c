import BluejayCore
import BluejaySimulator
import Foundation
import TestSupport
import Testing

@testable import BluejayTool

@Suite("Device arguments", .timeLimit(.minutes(15)))
struct DeviceArgumentTests {
    private static let polar = device("Polar H10 1234", "C0:00:00:00:00:01")
    private static let other = device("Polar H10 5678", "C0:00:00:00:00:02")
    private static let exact = device("polar", "C0:00:00:00:00:03")
    private static let loud = device("POLAR", "C0:00:00:00:00:04")
    private static let all = [polar, other, exact, loud]

    @Test("An argument is an address, identifier or name; without one, or with -, the last device")
    func kinds() throws {
        #expect(try DeviceArgument(nil) == .last)
        #expect(try DeviceArgument("-") == .last)
        #expect(try DeviceArgument("c0:00:00:00:00:0a") == .address("C0:00:00:00:00:0A"))
        #expect(try DeviceArgument("c0-00-00-00-00-0a") == .address("C0:00:00:00:00:0A"))
        #expect(try DeviceArgument("c0000000000A") == .address("C0:00:00:00:00:0A"))
        #expect(try DeviceArgument("c0-00:00-00-00-0a") == .name("c0-00:00-00-00-0a"))
        #expect(try DeviceArgument("c0000000000") == .name("c0000000000"))
        #expect(try DeviceArgument(Self.polar.uuid.uuidString) == .identifier(Self.polar))
        let digits = Self.polar.uuid.uuidString.replacing("-", with: "")
        #expect(try DeviceArgument(digits) == .identifier(Self.polar))
        #expect(try DeviceArgument("C0:00:00") == .name("C0:00:00"))
    }

    @Test("An identifier that belongs to no device is rejected")
    func foreign() {
        let text = "00000000-0000-0000-0000-000000000001"
        let failure = #expect(throws: ToolFailure.self) { try DeviceArgument(text) }
        #expect(failure?.status == .noDevice)
    }

    static let choices: [(String, [PeripheralIdentifier])] = [
        ("polar", [exact]), ("POLAR", [loud]), ("Polar", [exact, loud]),
        ("Polar H10", [polar, other]), ("polar h10 5", [other]), ("H10", []), ("", []),
        ("C0:00:00:00:00:02", [other]), (polar.uuid.uuidString, [polar]),
    ]

    @Test(
        "An exact name precedes another case of the name, which precedes prefixes",
        arguments: choices
    )
    func best(text: String, expected: [PeripheralIdentifier]) throws {
        #expect(try DeviceArgument(text).best(of: Self.all) == expected)
    }

    @Test("A name with control characters is printed and matched without them")
    func printable() throws {
        let evil = device("\u{1B}[2Jx")
        #expect(evil.displayText == "\u{FFFD}[2Jx (C0:00:00:00:00:01)")
        #expect(try DeviceArgument("\u{FFFD}[2Jx").matchQuality(evil) == .exact)
        #expect("\(try DeviceArgument("\u{1B}a"))" == "\"\u{FFFD}a\"")
    }

    @Test("The last device is stored per bus, and entries of old buses are removed")
    func buses() throws {
        let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: home) }
        func memory(_ bus: String?) -> LastDevice {
            var environment = ["XDG_STATE_HOME": home.path]
            environment["DBUS_SYSTEM_BUS_ADDRESS"] = bus
            return LastDevice(environment: environment)
        }
        memory(nil).save(Self.polar)
        memory("unix:path=/tmp/a/bus").save(Self.other)
        #expect(memory(nil).device == Self.polar)
        #expect(memory("").device == Self.polar)
        #expect(memory("unix:path=/var/run/dbus/system_bus_socket").device == Self.polar)
        #expect(memory("unix:path=/tmp/a/bus,guid=1234").device == Self.other)
        #expect(memory("unix:path=/tmp/b/bus").device == nil)
        memory("unix:path=/tmp/a/bus").forget(Self.polar)
        #expect(memory("unix:path=/tmp/a/bus").device == Self.other)
        for number in 0..<40 { memory("unix:path=/tmp/\(number)").save(Self.exact) }
        #expect(memory(nil).device == Self.polar)
        let files = try FileManager.default.contentsOfDirectory(
            atPath: home.appending(path: "bluejay").path
        )
        #expect(files.count == 17)
    }

    @Test("The entry of a simulated BlueZ is removed after its bus has ended")
    func simulatedBuses() async throws {
        let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: home) }
        func memory(_ bus: String) -> LastDevice {
            LastDevice(
                environment: ["XDG_STATE_HOME": home.path, "DBUS_SYSTEM_BUS_ADDRESS": bus]
            )
        }
        let (first, second) = (
            try await SimulatedSystem.start(SimulatorOptions()),
            try await SimulatedSystem.start(SimulatorOptions())
        )
        let firstBus = first.busAddress
        memory(firstBus).save(Self.polar)
        memory(second.busAddress).save(Self.other)
        #expect(memory(firstBus).device?.displayText == Self.polar.displayText)
        #expect(memory(second.busAddress).device == Self.other)
        first.stop()
        try await wait {
            memory("").save(Self.exact)
            return memory(firstBus).device == nil
        }
        #expect(memory(second.busAddress).device == Self.other)
        #expect(memory("").device == Self.exact)
        second.stop()
    }

    @Test("Other users can neither read the last device nor open its folder")
    func privacy() throws {
        let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: home) }
        let folder = home.appending(path: "bluejay")
        let file = folder.appending(path: "last-device")
        func mode(_ url: URL) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
        }
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755]
        )
        try Data().write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        let memory = LastDevice(environment: ["XDG_STATE_HOME": home.path])
        memory.save(Self.polar)
        #expect(memory.device == Self.polar)
        #expect(try mode(file) == 0o600)
        #expect(try mode(folder) == 0o700)
        try FileManager.default.removeItem(at: home)
        memory.save(Self.polar)
        #expect(try mode(file) == 0o600)
        #expect(try mode(folder) == 0o700)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
    }

    @Test("The last device is stored in the folder named by the environment until it is forgotten")
    func memory() throws {
        let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: home) }
        let memory = LastDevice(environment: ["HOME": home.path, "XDG_STATE_HOME": "state"])
        #expect(memory.device == nil)
        memory.save(Self.polar)
        #expect(memory.device?.displayText == Self.polar.displayText)
        let file = home.appending(path: ".local/state/bluejay/last-device")
        #expect(FileManager.default.fileExists(atPath: file.path))
        memory.forget(Self.other)
        #expect(memory.device == Self.polar)
        memory.forget(Self.polar)
        #expect(memory.device == nil)
        try Data("foreign content".utf8).write(to: file)
        #expect(memory.device == nil)
        let state = LastDevice(environment: ["XDG_STATE_HOME": home.appending(path: "s").path])
        state.save(device(nil))
        #expect(FileManager.default.fileExists(atPath: home.appending(path: "s/bluejay").path))
    }
}
