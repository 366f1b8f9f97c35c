import BluejaySimulator
import Testing

@Suite("Blocks of the iOS README: initialization", .timeLimit(.minutes(15)))
struct StartingTests {
    @Test("Blocks 2, 3 and 4 create and start an instance on the system bus and the main loop")
    func firstSteps() async throws {
        let system = try await SimulatedSystem.start()
        let program = try await Program(["first-steps"], bus: system.busAddress)
        await program.notes.wait(for: "available true")
        #expect(program.notes.lines == ["started false", "started true", "available true"])
        await program.kill()
        system.stop()
    }
}
