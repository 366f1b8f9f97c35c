import Bluejay
import BluejayAsync
import BluejaySimulator
import Foundation
import Logging
import TestSupport
import Testing

@Suite("Log of a session", .timeLimit(.minutes(15)))
struct SessionTests {
    private func played(
        _ level: Logger.Level,
        hearing: Bool = false
    ) async throws -> (lines: [Recorder.Line], received: [String], uuid: UUID) {
        let slot = await BusSlot.acquire()
        defer { withExtendedLifetime(slot) {} }
        let system = try await Session.world()
        var result: (lines: [Recorder.Line], received: [String], uuid: UUID) = ([], [], UUID())
        try await Recorder.with(level) { recorder in
            let observer = LineObserver(recorder.loop)
            let bluejay = await recorder.run {
                Bluejay(
                    logObserver: hearing ? observer : nil,
                    mainLoop: recorder.loop,
                    busAddress: system.busAddress
                )
            }
            try await Session.play(bluejay, system)
            // This runs after all events caused by the end of the connection.
            let received = await recorder.run { (observer.received, observer.isOnForeignThread) }
            #expect(!received.1)
            result = (recorder.lines, received.0, bluejay.uuid)
        }
        return result
    }

    @Test("A trace contains no value, and a received name cannot forge a line")
    func secrets() async throws {
        let lines = try await played(.trace).lines
        #expect(lines.count > 60)
        for line in lines {
            for trace in Session.traces { #expect(!line.everything.contains(trace)) }
            let values = [line.message] + line.metadata.values
            #expect(!values.contains { $0.contains { "\n\u{1B}\u{202E}".contains($0) } })
        }
        let shown = #"\u{1B}[2J\u{A}Error: forged\u{202E} (C0:00:00:00:00:01)"#
        #expect(lines.contains { $0.message == "connected" && $0["peripheral"] == shown })
        let length = "\(Session.secret.count)"
        #expect(lines.contains { $0.message == "succeeded" && $0["bytes"] == length })
        #expect(lines.contains { $0["arguments"].contains("\(length) bytes") })
    }

    @Test("A trace has each step of an operation with its number and instance")
    func steps() async throws {
        let (lines, _, uuid) = try await played(.trace)
        let queue = lines.filter { $0.label == "bluejay.queue" }
        #expect(queue.allSatisfy { $0["instance"] == String(uuid.uuidString.prefix(8)) })
        let read = try #require(queue.first { $0["what"] == "read of 2A38" })["operation"]
        let steps = queue.filter { $0["operation"] == read }
        #expect(steps.map(\.message) == ["enqueued", "started", "ended", "succeeded"])
        #expect(steps.allSatisfy { $0.level == .trace })
        let missing = queue.filter { $0["what"] == "read of 2A3A" }
        #expect(missing.map(\.message) == ["enqueued", "started", "failed"])
        #expect(missing.last?["error"].isEmpty == false)
    }

    @Test("A trace has each message of the bus, and replies with their call and duration")
    func messages() async throws {
        let lines = try await played(.trace).lines.filter { $0.label == "bluejay.dbus" }
        #expect(lines.first?.message == "→ call")
        #expect(lines.first?["member"] == "DBus.Hello")
        let calls = lines.filter { $0.message == "→ call" && $0["member"] == "Device1.Connect" }
        #expect(calls.first?["path"] == "/org/bluez/hci0/dev_C0_00_00_00_00_01")
        let serial = try #require(calls.first)["serial"]
        let reply = try #require(
            lines.first { $0.message == "← reply" && $0["serial"] == serial }
        )
        #expect(reply["member"] == "Device1.Connect")
        #expect(reply["took"].hasSuffix("ms"))
        #expect(
            lines.contains { $0.message == "← signal" && $0["arguments"].contains("Value: 8 b") }
        )
        let answered = lines.filter { $0.message == "← reply" || $0.message == "← error" }
        #expect(answered.allSatisfy { !$0["took"].isEmpty })
    }

    @Test("The level debug omits messages of the bus and steps of the queue")
    func debug() async throws {
        let lines = try await played(.debug).lines
        #expect(lines.allSatisfy { $0.level == .debug })
        #expect(!lines.contains { $0.label == "bluejay.dbus" })
        let told = lines.filter { $0.label == "bluejay.connection" }.map(\.message)
        #expect(told == ["Bluetooth state changed", "connected", "disconnected as requested"])
    }

    @Test(
        "A log observer receives the lines from debug upward in order, independent of the log level",
        arguments: [Logger.Level.trace, .debug, .critical]
    )
    func observer(level: Logger.Level) async throws {
        let (lines, received, uuid) = try await played(level, hearing: true)
        let texts = received.map { $0.prefix { $0 != "=" } }
        #expect(texts.contains { $0.hasPrefix("connection: connected peripheral") })
        #expect(texts.contains { $0.hasPrefix("link: link up services") })
        #expect(texts.contains { $0.hasPrefix("scan: discovery call succeeded member") })
        #expect(received.first?.hasPrefix("queue: created uuid=\(uuid)") == true)
        for line in received {
            for trace in Session.traces { #expect(!line.contains(trace)) }
            #expect(!line.contains { "\n\u{1B}\u{202E}".contains($0) })
        }
        guard level != .critical else { return #expect(lines.isEmpty) }
        let written = lines.filter { $0.level >= .debug }
            // Skip lines logged during initialization, before the observer is attached.
            .filter { !$0.message.isEmpty }
        #expect(received.count == written.count)
        for (line, text) in zip(written, received) {
            let component = line.label.split(separator: ".").last ?? ""
            #expect(text.hasPrefix("\(component): \(line.message)"))
        }
    }
}

@Suite("Several instances on one loop", .timeLimit(.minutes(15)))
struct SharedLogTests {
    @Test("An observer receives its instance's lines, and shared lines once")
    func shared() async throws {
        let slot = await BusSlot.acquire()
        defer { withExtendedLifetime(slot) {} }
        let system = try await Session.world()
        try await Recorder.with(.critical) { recorder in
            let loop = recorder.loop
            let (one, other, both) = (LineObserver(loop), LineObserver(loop), LineObserver(loop))
            let first = Bluejay(mainLoop: loop, busAddress: system.busAddress)
            let second = Bluejay(mainLoop: loop, busAddress: system.busAddress)
            await recorder.run {
                first.register(logObserver: one)
                second.register(logObserver: other)
                first.register(logObserver: both)
                second.register(logObserver: both)
                second.start()
            }
            try await Session.play(first, system)
            await recorder.run {
                func count(_ observer: LineObserver, _ beginning: String) -> Int {
                    observer.received.count { $0.hasPrefix(beginning) }
                }
                #expect(count(one, "connection: connected") == 1)
                #expect(count(other, "connection: connected") == 0)
                #expect(count(both, "connection: connected") == 1)
                #expect(count(both, "connection: Bluetooth") == 2)
                for observer in [one, other, both] {
                    #expect(count(observer, "link: link up") == 1)
                }
            }
            await recorder.run { second.unregister(logObserver: other) }
            let before = await recorder.run { other.received.count }
            await recorder.run { second.cancelEverything() }
            #expect(await recorder.run { other.received.count } == before)
        }
    }

    @Test("An observer of an instance created on another thread is called on the loop")
    func madeElsewhere() async throws {
        let loop = MainLoop(threadName: "elsewhere")
        let observer = LineObserver(loop)
        let bluejay = Bluejay(logObserver: observer, mainLoop: loop, busAddress: "unix:path=/none")
        await withCheckedContinuation { continuation in
            loop.post {
                bluejay.cancelEverything()
                continuation.resume()
            }
        }
        await withCheckedContinuation { continuation in
            loop.post {
                #expect(observer.received.count == 2)
                #expect(
                    observer.received.last?.contains("cancelEverything ignored: not started")
                        == true
                )
                #expect(!observer.isOnForeignThread)
                continuation.resume()
            }
        }
    }
}
