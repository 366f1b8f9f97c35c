import Bluejay
import BluejayAsync
import BluejaySimulator
import TestSupport
import Testing

/// An actor on the host's loop; its callbacks enter it synchronously.
private actor Diary {
    private let loop: MainLoop
    private(set) var lines: [String] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor }

    init(_ loop: MainLoop) { self.loop = loop }

    nonisolated func enter(_ line: String) {
        assumeIsolated { $0.lines.append(line) }
    }

    func write(_ line: String) { lines.append(line) }

    /// The lines written when an awaited call first suspends, after `posted` if given.
    func linesAtOnce(_ bluejay: Bluejay, behind posted: String? = nil) async -> [String] {
        if let posted { loop.post { self.enter(posted) } }
        let task = Task.immediate { await bluejay.onLoop { _ in self.enter("called") } }
        let lines = lines
        await task.value
        return lines
    }
}

@Suite("Bluetooth hosts", .timeLimit(.minutes(15)))
struct HostTests {
    @Test("A program without a loop uses the background loop")
    func background() async throws {
        let stage = try await AsyncStage(starts: false)
        let host = BluetoothHost(busAddress: stage.system.busAddress)
        #expect(host.mainLoop === MainLoop.background)
        #expect(!host.mainLoop.isCurrent)
        let bluejay = Bluejay(host: host)
        await bluejay.start()
        let gadget = try await bluejay.find()
        try await bluejay.connect(gadget)
        #expect(try await bluejay.read(from: quick) == UInt8(1))
        try await bluejay.disconnect()
    }

    @Test("A host selects the adapter")
    func adapter() async throws {
        let stage = try await AsyncStage(starts: false)
        let bluejay = Bluejay(
            host: BluetoothHost(adapter: "hci7", busAddress: stage.system.busAddress)
        )
        await bluejay.start()
        await #expect(throws: BluejayError.bluetoothUnavailable(.adapterNotFound("hci7"))) {
            try await bluejay.find()
        }
    }

    @Test("A call on the loop runs immediately, but after earlier posts")
    func atOnce() async {
        let loop = MainLoop(threadName: "diary")
        let bluejay = Bluejay(mainLoop: loop)
        #expect(await Diary(loop).linesAtOnce(bluejay) == ["called"])
        let second = Diary(loop)
        #expect(await second.linesAtOnce(bluejay, behind: "posted") == [])
        #expect(await second.lines == ["posted", "called"])
    }

    @Test("Callbacks on the loop enter its actors immediately and in order")
    func actor() async throws {
        let loop = MainLoop(threadName: "diary")
        let diary = Diary(loop)
        for number in 0..<100 {
            loop.post { diary.enter("callback \(number)") }
            await diary.write("asked \(number)")
        }
        #expect(await diary.lines == (0..<100).flatMap { ["callback \($0)", "asked \($0)"] })
    }
}
