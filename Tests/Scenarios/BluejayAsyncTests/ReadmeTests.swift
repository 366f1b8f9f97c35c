import Bluejay
import BluejaySimulator
import Foundation
import TestSupport
import Testing

@Suite("The example of the README", .timeLimit(.minutes(15)))
struct ReadmeTests {
    @Test("It is a newcomer's program that is built and run, word for word")
    func wordForWord() throws {
        let text = try String(contentsOf: repositoryFile("README.md"), encoding: .utf8)
        let section = text.components(separatedBy: "## async/await\n").last
        let block = section?.components(separatedBy: "```swift\n").dropFirst().first
        let sources = repositoryFile("Tests/Programs/NewcomerPrograms/Package/Sources")
        let example = sources.appending(path: "AsyncOwnLoop/HeartRate.swift")
        #expect(
            try block?.components(separatedBy: "```").first
                == String(contentsOf: example, encoding: .utf8)
        )
    }

    @Test("A function like it finds the sensor, takes as many beats as it wants, and leaves")
    func runs() async throws {
        let stage = try await AsyncStage()
        await stage.system.perform { world in
            world.device(AsyncStage.address)?.goAway()
            world.add(.heartRateSensor())
        }
        #expect(try await beats(5, with: stage.bluejay) == [60, 61, 62, 63, 64])
        #expect(await stage.onLoop { $0.isConnected } == false)
    }
}
