import Bluejay
import BluejaySimulator
import Testing

@Suite("The program in the README", .timeLimit(.minutes(15)))
struct ReadmeTests {
    @Test("The program finds the sensor, receives five heart rates and disconnects")
    func runs() async throws {
        let stage = try await AsyncStage()
        await stage.system.perform { world in
            world.device(AsyncStage.address)?.leaveRange()
            world.add(.heartRateSensor())
        }
        #expect(try await beats(5, with: stage.bluejay) == [60, 61, 62, 63, 64])
        #expect(await stage.onLoop { $0.isConnected } == false)
    }
}
