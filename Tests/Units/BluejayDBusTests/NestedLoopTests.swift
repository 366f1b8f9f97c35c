import BluejayGLib
import TestSupport
import Testing

@testable import BluejayDBus

/// A main loop inside a callback, as a dialog of GTK runs one.
///
/// Tests `ConnectionDriver`.
@Suite("Main loops nested in a callback", .timeLimit(.minutes(15)))
struct NestedLoopTests {
    let fixture: BusFixture
    let client: BusConnection
    let server: BusConnection

    init() throws {
        fixture = try BusFixture()
        client = try fixture.connect()
        server = try fixture.connectEcho()
    }

    private static let changed = MatchRule(interface: "org.example.Test", member: "Changed")

    /// Returns the loop of a dialog, with a timer that ends it if it stays open; the test then fails.
    private func dialog() -> (context: MainContext, rescue: ScheduledTimer) {
        let context = MainContext(nestedIn: fixture.loop.context)
        let rescue = MainContextClock(on: fixture.loop.context).schedule(after: .seconds(10)) {
            Issue.record("nothing was delivered inside the callback")
            context.quit()
        }
        return (context, rescue)
    }

    private func emit(_ numbers: ClosedRange<UInt8>) throws {
        for number in numbers {
            try server.emit("/test", "org.example.Test", "Changed", [.byte(number)])
        }
    }

    private func number(_ message: BusMessage) -> Int { message.reader.integer() ?? -1 }

    @Test("A nested loop delivers later signals and replies, each signal to all handlers first")
    func goesOn() throws {
        let dialog = dialog()
        var record: [String] = []
        client.subscribe(Self.changed) { [client, server] message in
            record.append("first \(number(message))")
            guard number(message) == 1 else { return }
            client.call(.test(server), timeout: .seconds(5)) { _ in
                record.append("answer")
                dialog.context.quit()
            }
            dialog.context.run()
            record.append("closed")
        }
        client.subscribe(Self.changed) { record.append("second \(number($0))") }
        try fixture.settle(client)
        try emit(1...3)
        try fixture.settle(server)
        try fixture.loop.wait(for: "the dialog") { record.contains("closed") }
        try emit(4...4)
        try fixture.settle(server, client)
        dialog.rescue.cancel()
        #expect(
            record == [
                "first 1", "second 1", "first 2", "second 2", "first 3", "second 3", "answer",
                "closed", "first 4", "second 4",
            ]
        )
    }

    @Test("A signal reaches all its handlers before a reply that arrives in a nested loop")
    func signalBeforeAnswer() throws {
        let dialog = dialog()
        var record: [String] = []
        client.subscribe(Self.changed) { [client, server] _ in
            record.append("first")
            client.call(.test(server), timeout: .seconds(5)) { _ in
                record.append("answer")
                dialog.context.quit()
            }
            dialog.context.run()
        }
        client.subscribe(Self.changed) { _ in record.append("second") }
        try fixture.settle(client)
        try emit(1...1)
        try fixture.loop.wait(for: "the answer") { record.contains("answer") }
        dialog.rescue.cancel()
        #expect(record == ["first", "second", "answer"])
    }

    @Test("A loop nested in a reply delivers later replies, also to another nested loop")
    func insideAnswers() throws {
        let dialogs = [dialog(), dialog()]
        var record: [Int] = []
        for number in 0..<4 {
            client.call(.test(server), timeout: .seconds(5)) { _ in
                record.append(number)
                if number < 2 {
                    dialogs[number].context.run()
                    record.append(10 + number)
                } else {
                    dialogs[3 - number].context.quit()
                }
            }
        }
        try fixture.loop.wait(for: "all answers") { record.count == 6 }
        for dialog in dialogs { dialog.rescue.cancel() }
        // The inner loop may deliver the last reply before it ends, because the reply is in the queue
        // already.
        #expect(record.prefix(3) == [0, 1, 2])
        #expect(Set(record) == [0, 1, 2, 3, 10, 11])
        #expect(record.suffix(2) == [11, 10] || record.suffix(3) == [11, 3, 10])
    }

    @Test("A loop nested in an incoming call serves the next calls")
    func insideCalls() throws {
        let dialog = dialog()
        var record: [String] = []
        server.onMethodCall = { [unowned server] message in
            record.append(message.member ?? "")
            if message.member == "Open" { dialog.context.run() }
            if message.member == "Close" { dialog.context.quit() }
            MethodInvocation(message, on: server).reply()
            return true
        }
        for member in ["Open", "Close"] {
            client.call(.test(server, member), timeout: .seconds(5)) { _ in
                record.append("answered " + member)
            }
        }
        try fixture.loop.wait(for: "both answers") { record.count == 4 }
        dialog.rescue.cancel()
        #expect(record.prefix(2) == ["Open", "Close"])
        #expect(Set(record.suffix(2)) == ["answered Open", "answered Close"])
    }

    @Test("A close in a nested loop ends all later callbacks", arguments: [1, 2])
    func closes(handlers: Int) throws {
        let dialog = dialog()
        var record: [String] = []
        client.subscribe(Self.changed) { [client] message in
            record.append("first \(number(message))")
            if number(message) == 1 {
                dialog.context.run()
            } else {
                client.close()
                dialog.context.quit()
            }
        }
        for _ in 1..<handlers {
            client.subscribe(Self.changed) { record.append("second \(number($0))") }
        }
        try fixture.settle(client)
        try emit(1...4)
        try fixture.loop.wait(for: "the close") { [client] in !client.isOpen }
        try fixture.settle(server)
        dialog.rescue.cancel()
        let expected = handlers == 1 ? ["first 1", "first 2"] : ["first 1", "second 1", "first 2"]
        #expect(record == expected)
    }

    @Test("A connection may be released in a nested loop")
    func releases() throws {
        let dialog = dialog()
        var own: BusConnection? = try fixture.connect()
        weak let witness = own
        own?.subscribe(Self.changed) { message in
            if number(message) == 1 {
                dialog.context.run()
            } else {
                own = nil
                dialog.context.quit()
            }
        }
        if let own { try fixture.settle(own) }
        try emit(1...3)
        try fixture.loop.wait(for: "the release") { witness == nil }
        try fixture.settle(server)
        dialog.rescue.cancel()
        #expect(witness == nil)
    }
}
