import Bluejay
import Staging
import TestSupport
import Testing

@Suite("Test helpers of the scenarios", .timeLimit(.minutes(15)))
struct CentralTests {
    @Test("A wait returns when the test is cancelled, even if it starts afterwards")
    func outOfTime() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = await context.central()
            let waits = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                await central.wait(for: "nothing of the kind")
                await central.wait(forState: .noAdapter)
                await central.wait(for: "nothing of the kind")
            }
            await waits.value
            #expect(await central.record().contains { $0.hasPrefix("nothing") } == false)
        }
    }
    @Test("Polling ends when the test is cancelled or when the condition throws")
    func askedInVain() async {
        let asking = Task { try await wait { false } }
        asking.cancel()
        let error = await #expect(throws: (any Error).self) { try await asking.value }
        #expect("\(error as Any)".contains("ScenarioTests/CentralTests.swift:"))
        await #expect(throws: TestbedError.self) { try await wait { throw TestbedError("ended") } }
    }
}
