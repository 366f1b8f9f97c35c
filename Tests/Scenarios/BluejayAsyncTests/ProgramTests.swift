import BluejaySimulator
import TestSupport
import Testing

@Suite("A program that is async from its first line", .timeLimit(.minutes(15)))
struct ProgramTests {
    @Test("The program connects, prints three heart rates, disconnects and ends")
    func threeBeats() async throws {
        let slot = await BusSlot.acquire()
        defer { withExtendedLifetime(slot) {} }
        let system = try await SimulatedSystem.start(SimulatorOptions())
        await system.perform { $0.add(.heartRateSensor()) }
        let (lines, status) = try await runProgram(
            "async-program",
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": system.busAddress]
        )
        #expect(lines == ["60", "61", "62"])
        #expect(status == 0)
        let sensor = await system.read { $0.device("C4:7C:8D:6A:1F:02")?.isConnected }
        #expect(sensor == false)
    }
}
