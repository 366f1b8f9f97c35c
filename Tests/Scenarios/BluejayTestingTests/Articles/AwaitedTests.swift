import Bluejay
import BluejayAsync
import BluejaySimulator
import BluejayTesting
import Foundation
import Testing

@Suite("Code blocks of the articles, with await", .timeLimit(.minutes(15)))
struct AwaitedTests {
    private typealias Sensor = SimulatedDevice.HeartRateSensor
    private let connected = "connected to Heart Rate Sensor (C4:7C:8D:6A:1F:02)"

    /// Collects the printed lines of blocks.
    private struct Output {
        let lines: AsyncStream<String>
        let blocks: AwaitedBlocks
        private let feed: AsyncStream<String>.Continuation

        init(of bluejay: Bluejay) {
            let (lines, feed) = AsyncStream<String>.makeStream()
            self.lines = lines
            self.feed = feed
            blocks = AwaitedBlocks(bluejay: bluejay) { feed.yield("\($0)") }
        }

        /// Returns all lines that the finished blocks have printed.
        func all() async -> [String] {
            feed.finish()
            return await lines.reduce(into: []) { $0.append($1) }
        }

        /// Returns the first lines of a block that runs until it is cancelled.
        func first(
            _ count: Int,
            of block: @escaping @Sendable (AwaitedBlocks) async throws -> Void
        ) async throws -> [String] {
            let task = Task { [blocks] in try await block(blocks) }
            let printed = await lines.prefix(count).reduce(into: []) { $0.append($1) }
            task.cancel()
            _ = await task.result
            return printed
        }
    }

    private func printed(
        by bluejay: Bluejay,
        _ play: [(AwaitedBlocks) async throws -> Void]
    ) async throws -> [String] {
        let output = Output(of: bluejay)
        for one in play { try await one(output.blocks) }
        return await output.all()
    }

    @Test("Scanning", .simulatedBlueZ { $0.add(.heartRateSensor()) })
    func scanning() async throws {
        let bluejay = try await startedBluejay()
        let lines = try await printed(by: bluejay, [{ try await $0.scan() }])
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("Heart Rate Sensor (C4:7C:8D:6A:1F:02), -") == true)
        let near = try await printed(by: bluejay, [{ try await $0.scanBeside() }])
        #expect(near.map { $0.hasPrefix("Heart Rate Sensor at -") } == [true])
    }

    @Test("A watch", .simulatedBlueZ { $0.add(.heartRateSensor()) })
    func watching() async throws {
        let world = try TestWorld.current
        let output = Output(of: try await startedBluejay())
        let task = Task { [blocks = output.blocks] in try await blocks.watch() }
        var lines = output.lines.makeAsyncIterator()
        #expect(await lines.next() == "here: Heart Rate Sensor")
        try world.perform { $0.device(Sensor.address)?.leaveRange() }
        #expect(await lines.next() == "gone: Heart Rate Sensor")
        task.cancel()
        _ = await task.result
    }

    @Test("Connection scopes", .simulatedBlueZ { $0.add(.heartRateSensor()) })
    func scope() async throws {
        let bluejay = try TestWorld.current.makeBluejay()
        let lines = try await printed(by: bluejay, [{ try await $0.withConnection() }])
        #expect(lines == ["worn at place 1"])
        #expect(!bluejay.isConnected)
    }

    @Test(
        "Connecting, reading, writing and background tasks",
        .simulatedBlueZ { $0.add(.heartRateSensor()) }
    )
    func values() async throws {
        let bluejay = try await startedBluejay()
        let lines = try await printed(
            by: bluejay,
            [
                { try await $0.connect() }, { try await $0.readAndWrite() },
                { try await $0.runTask() },
            ]
        )
        #expect(lines == [connected, "worn at place 1", "worn at place 1"])
    }

    @Test("Connecting to an address, and listening", .simulatedBlueZ { $0.add(.heartRateSensor()) })
    func listening() async throws {
        let output = Output(of: try await startedBluejay())
        try await output.blocks.connectByAddress()
        let lines = try await output.first(2) { try await $0.listen() }
        #expect(lines == ["60 beats per minute", "61 beats per minute"])
    }

    @Test(
        "The events of a connection, as a stream and with an observer",
        .simulatedBlueZ { $0.add(.heartRateSensor()) }
    )
    func events() async throws {
        let world = try TestWorld.current
        let output = Output(of: try await startedBluejay())
        let bluejay = output.blocks.bluejay
        output.blocks.reconnectLess()
        var observed: [String] = []
        let reporter = ArticleBlocks(bluejay: bluejay) { observed.append("\($0)") }.observe()
        let task = Task { [blocks = output.blocks] in await blocks.followConnection() }
        try await bluejay.connect(toFirst: .anyService([.heartRate]), within: 20)
        var lines = output.lines.makeAsyncIterator()
        #expect(await lines.next() == connected)
        try world.perform { $0.device(Sensor.address)?.leaveRange() }
        #expect(await lines.next()?.hasPrefix("disconnected: ") == true)
        var attempts: [String] = []
        while attempts.count < 5, let line = await lines.next() {
            // A failed attempt is a disconnection, too.
            if !line.hasPrefix("disconnected: ") { attempts.append(line) }
        }
        #expect(attempts == (1...5).map { "attempt \($0)" })
        task.cancel()
        await task.value
        withExtendedLifetime(reporter) {
            #expect(observed.first == connected)
            #expect(observed.dropFirst().first?.hasPrefix("disconnected: ") == true)
        }
    }

    @Test("Restoration", .simulatedBlueZ { $0.add(.heartRateSensor()) })
    func restoration() async throws {
        let world = try TestWorld.current
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "bluejay-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        /// The output of a run up to its first heart rate, and the state that a kill would leave.
        func run() async throws -> (lines: [String], state: Data) {
            let (lines, feed) = AsyncStream<String>.makeStream()
            let bluejay = world.makeBluejay()
            let task = Task {
                try await follow(bluejay, keeping: folder) { feed.yield($0) }
            }
            var printed: [String] = []
            for await line in lines {
                printed.append(line)
                if line.hasSuffix("per minute") { break }
            }
            let state = try Data(contentsOf: folder.appending(path: "heart.json"))
            task.cancel()
            _ = await task.result
            _ = try await bluejay.disconnect()
            return (printed, state)
        }
        let first = try await run()
        #expect(first.lines == ["60 beats per minute"])
        // The disconnect has removed the file; a kill would have left it.
        try first.state.write(to: folder.appending(path: "heart.json"))
        let second = try await run().lines
        #expect(second.first == "reconnected to Heart Rate Sensor")
        #expect(second.last?.hasSuffix(" beats per minute") == true)
    }
}
