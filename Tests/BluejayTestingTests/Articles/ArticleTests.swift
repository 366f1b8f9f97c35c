import Bluejay
import BluejayAsync
import BluejayGATTServer
import BluejaySimulator
import BluejayTesting
import Foundation
import Testing

@Suite("The articles of the documentation", .timeLimit(.minutes(15)))
struct ArticleTests {
    private static let top = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func files(in folder: String, named suffix: String) throws -> [String] {
        let path = top.appending(path: folder).path
        return try FileManager.default.subpathsOfDirectory(atPath: path)
            .filter { $0.hasSuffix(suffix) }.sorted().map { "\(path)/\($0)" }
    }

    /// Whether the lines stand in a row somewhere, all with the same indentation.
    private static func hasBlock(_ block: [Substring], in lines: [Substring]) -> Bool {
        guard let first = block.first, lines.count >= block.count else { return false }
        return (0...lines.count - block.count).contains { start in
            guard lines[start].hasSuffix(first) else { return false }
            let indent = lines[start].dropLast(first.count)
            guard indent.allSatisfy({ $0 == " " }) else { return false }
            return zip(block, lines[start...]).allSatisfy { line, other in
                line.isEmpty ? other.isEmpty : other == indent + line
            }
        }
    }

    @Test("Every block of code in them is compiled, word for word")
    func blocks() throws {
        let compiled = try
            (Self.files(in: "Tests/BluejayTestingTests/Articles", named: ".swift")
            + Self.files(in: "Tests/PocketMeshTests/Guide", named: ".swift")
            + Self.files(in: "Demos/FirstProgram", named: ".swift"))
            .map { try String(contentsOfFile: $0, encoding: .utf8) }
            .map { $0.split(separator: "\n", omittingEmptySubsequences: false) }
        var count = 0
        for page in try Self.files(in: "Sources", named: ".md") {
            let text = try String(contentsOfFile: page, encoding: .utf8)
            for part in text.components(separatedBy: "```swift\n").dropFirst() {
                let code = part.components(separatedBy: "\n```")[0]
                let block = code.split(separator: "\n", omittingEmptySubsequences: false)
                #expect(compiled.contains { Self.hasBlock(block, in: $0) }, "\(page): \(code)")
                count += 1
            }
        }
        #expect(count >= 11)
    }

    /// Runs blocks one after the other, each until something was printed.
    private func printed(
        by bluejay: Bluejay,
        _ play: [(ArticleBlocks) -> Void]
    ) async throws -> [String] {
        let world = try TestWorld.current
        var lines: [String] = []
        var came: () -> Void = {}
        let blocks = ArticleBlocks(bluejay: bluejay) { value in
            lines.append("\(value)")
            came()
        }
        for one in play {
            try await world.expect("a line") { done in
                came = { done() }
                one(blocks)
            }
            came = {}
        }
        return lines
    }

    @Test("Scanning", .simulatedBlueZ { $0.add(.heartRateSensor()) })
    func scanning() async throws {
        let lines = try await printed(by: startedBluejay(), [{ $0.scanWithList() }])
        #expect(lines == ["Heart Rate Sensor, 1 so far"])
        let near = try await printed(by: startedBluejay(), [{ $0.scanBeside() }])
        #expect(near.map { $0.hasPrefix("Heart Rate Sensor at -") } == [true])
    }

    @Test(
        "Connecting, reading, writing, background tasks and listening",
        .simulatedBlueZ { $0.add(.heartRateSensor()) }
    )
    func connected() async throws {
        let lines = try await printed(
            by: startedBluejay(),
            [
                { $0.connect() }, { $0.readAndWrite() }, { $0.runTask() }, { $0.listen() },
            ]
        )
        #expect(
            lines.prefix(4) == [
                "connected to Heart Rate Sensor (C4:7C:8D:6A:1F:02)", "worn at place 1",
                "worn at place 1", "60 beats a minute",
            ]
        )
    }

    @Test("Pairing", .simulatedBlueZ { $0.add(.passkeyLock()) })
    func pairing() async throws {
        let bluejay = try await startedBluejay()
        let service = SimulatedDevice.Lock.service
        try await bluejay.connect(find(service, by: bluejay), timeout: .seconds(10))
        let lines = try await printed(by: bluejay, [{ $0.pair() }])
        #expect(lines == ["paired"])
    }

    @Test("Tasks", .simulatedBlueZ { $0.add(.heartRateSensor()) })
    func tasks() async throws {
        #expect(try await followThree(TestWorld.current.makeBluejay()) == [60, 61, 62])
    }

    @Test("The other side", .simulatedBlueZ)
    func serving() async throws {
        let world = try TestWorld.current
        let server = GATTServer(mainLoop: world.mainLoop)
        try await world.expect("the bell") { done in
            publishBell(with: server) { error in
                #expect(error == nil)
                done()
            }
        }
        let phone = try world.addCentral()
        try await phone.connect()
        #expect(try await phone.read("FFE1") == [5])
    }

    @Test("It knows where it is worn", .simulatedBlueZ { $0.add(.heartRateSensor()) })
    func place() async throws {
        let bluejay = try TestWorld.current.makeBluejay()
        await bluejay.start()
        try await bluejay.connect(toFirst: .anyService([.heartRate]), within: 20)
        let place = try await bluejay.read(from: .bodySensorLocation, as: UInt8.self)
        #expect(place == 1)
    }
}
