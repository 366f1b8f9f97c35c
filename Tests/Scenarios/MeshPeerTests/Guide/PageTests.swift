import BluejayGLib
import BluejayTesting
import Foundation
import MeshPeer
import TestSupport
import Testing

@Suite("The program of the page", .timeLimit(.minutes(15)))
struct PageTests {
    @Test("Two nodes become peers, greet each other, and end with their tasks")
    func greets() async throws {
        try await MeshStage.play(adapters: 2) { stage in
            let shown = [Log<String>(), Log<String>()]
            let names = ["Ann", "Ben"]
            let programs = (0..<2).map { number in
                let host = BluetoothHost(
                    mainLoop: stage.world.mainLoop,
                    adapter: "hci\(number)",
                    busAddress: stage.world.busAddress
                )
                return Task(executorPreference: ContextExecutor(stage.mainLoop.context)) {
                    try await runNode(named: names[number], on: host) { shown[number].append($0) }
                }
            }
            for number in 0..<2 {
                let other = 1 - number
                let lines: Set = [
                    "\(names[other]) is a peer",
                    "\(nodeID(other).uuidString): hello from \(names[other])",
                ]
                // The program sleeps in real time, and virtual time does not wait for it.
                while Set(shown[number].all) != lines { try await stage.wait(.milliseconds(50)) }
            }
            for program in programs {
                program.cancel()
                try await program.value
            }
        }
    }

    @Test("The page about the settings lists existing tests only")
    func listedTests() throws {
        let page = try String(
            contentsOf: repositoryFile("Documentation/MeshPeerSettings.md"),
            encoding: .utf8
        )
        let sections = page.split(separator: "\n## ")
        let list = try #require(sections.first { $0.hasPrefix("Tests\n") })
        let items = list.split(separator: "\n- ").dropFirst()
        #expect(items.count == 11)
        var files: Set<String> = []
        for folder in ["MeshPeerTests", "DemoTests"] {
            let place = repositoryFile("Tests/Scenarios/\(folder)").path
            let paths = FileManager.default.enumerator(atPath: place)
            for case let path as String in try #require(paths) {
                files.insert(URL(filePath: path).lastPathComponent)
            }
        }
        for item in items {
            let names = item.matches(of: /`([A-Za-z]+)`/).map { String($0.1) }
            #expect(!names.isEmpty, "\(item)")
            for name in names { #expect(files.contains("\(name).swift"), "\(name)") }
        }
    }
}
