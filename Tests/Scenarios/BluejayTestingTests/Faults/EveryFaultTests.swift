import BluejayAsync
import BluejayTesting
import Testing

@Suite(
    "Whole programs survive every fault at every message",
    .timeLimit(.minutes(15)),
    .simulatedBlueZ { $0.add(.heartRateSensor()) }
)
struct EveryFaultTests {
    @Test("A program that lists the known peripherals", .everyFault)
    func knownPeripherals() async throws {
        let bluejay = try TestWorld.current.makeBluejay()
        await bluejay.start()
        let peripherals = try await bluejay.knownPeripherals()
        #expect(peripherals.isEmpty)
    }
}
