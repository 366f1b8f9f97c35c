import BluejaySimulator
import TestSupport
import Testing

@Suite("Logging with BLUEJAY_LOG", .timeLimit(.minutes(15)))
struct ProgramLogTests {
    private static func hasForm(_ line: String) -> Bool {
        let form = #/\d{4}(-\d\d){2}T\d\d(:\d\d){2}\.\d{3}Z (trace|debug) bluejay\.[a-z]+: \S.*/#
        return line.wholeMatch(of: form) != nil
    }

    @Test("The level debug writes time, level, label, message and details to standard error")
    func debug() async throws {
        let lines = try await errors(["BLUEJAY_LOG": "debug"])
        #expect(lines.count > 8)
        #expect(lines.allSatisfy(Self.hasForm))
        #expect(lines.contains { $0.contains(" debug bluejay.connection: connected peripheral=") })
        #expect(!lines.contains { $0.contains(" trace ") || $0.contains("\u{1B}") })
    }

    @Test("The level trace adds the queue and the bus, and only the length of values")
    func trace() async throws {
        let lines = try await errors(["BLUEJAY_LOG": "trace"])
        #expect(lines.allSatisfy(Self.hasForm))
        #expect(lines.contains { $0.contains(" trace bluejay.queue: started operation=") })
        #expect(
            lines.contains { $0.contains("bluejay.dbus: → call member=Device1.Connect path=/org/") }
        )
        #expect(lines.contains { $0.contains("{Value: 2 bytes}") })
        #expect(!lines.contains { $0.contains("0x003c") })
    }

    @Test("With BLUEJAY_LOG_VALUES=1 a trace shows values in hexadecimal")
    func values() async throws {
        let lines = try await errors(["BLUEJAY_LOG": "trace", "BLUEJAY_LOG_VALUES": "1"])
        #expect(lines.contains { $0.contains("{Value: 0x003c}") })
    }

    @Test("An unknown level gives one line with the accepted levels")
    func unknown() async throws {
        let lines = try await errors(["BLUEJAY_LOG": "loud"])
        let levels = "trace, debug, info, notice, warning, error, critical"
        #expect(lines == ["BLUEJAY_LOG=loud is not a log level; use one of \(levels)"])
    }

    @Test("Without BLUEJAY_LOG a successful session writes nothing")
    func silent() async throws {
        #expect(try await errors(["BLUEJAY_LOG_VALUES": "1"]).isEmpty)
    }

    /// The standard error of a program that prints three heart rates.
    private func errors(_ environment: [String: String]) async throws -> [String] {
        let slot = await BusSlot.acquire()
        defer { withExtendedLifetime(slot) {} }
        let system = try await SimulatedSystem.start(SimulatorOptions())
        await system.perform { $0.add(.heartRateSensor()) }
        let bus = ["DBUS_SYSTEM_BUS_ADDRESS": system.busAddress]
        let (lines, status) = try await runProgram(
            "async-program",
            environment: environment.merging(bus) { $1 },
            isErrorOutput: true
        )
        #expect(status == 0)
        return lines
    }
}
