import Bluejay
import BluejayAsync
import BluejayTesting
import Testing

@Suite("A world of a test", .timeLimit(.minutes(1)))
struct WorldTests {
    @Test("The body runs on the loop", .simulatedBlueZ)
    func onLoop() async throws {
        #expect(try TestWorld.current.mainLoop.isCurrent)
        await Task.yield()
        #expect(try TestWorld.current.mainLoop.isCurrent)
    }

    @Test("A connect to nobody", .simulatedBlueZ { $0.add(.heartRateSensor()) })
    func connect() async throws {
        let world = try TestWorld.current
        let bluejay = world.makeBluejay()
        await bluejay.start()
        let began = ContinuousClock.now
        for try await found in bluejay.scan(serviceIdentifiers: [.heartRate]) {
            try await bluejay.connect(found.peripheralIdentifier, timeout: .seconds(10))
            break
        }
        print("connected", ContinuousClock.now - began, world.clock.now)
        try await world.clock.sleep(for: .seconds(600))
        print("slept", ContinuousClock.now - began, world.clock.now)
    }
}
