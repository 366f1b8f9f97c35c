import BluejaySimulator
import Testing

@Suite("Document: initialization", .timeLimit(.minutes(15)))
struct StartingTests {
    @Test("2, 3, 4: a program makes an instance and starts it, on the system bus and the main loop")
    func firstSteps() async throws {
        let system = try await SimulatedSystem.start()
        let program = try await Program(["first-steps"], bus: system.busAddress)
        await program.notes.wait(for: "available true")
        #expect(program.notes.lines == ["started false", "started true", "available true"])
        await program.kill()
        system.stop()
    }
}
