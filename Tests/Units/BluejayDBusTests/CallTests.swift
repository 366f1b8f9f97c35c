import BluejayGLib
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import BluejayDBus

/// Received calls that a test answers later.
final class HeldCalls {
    var invocations: [MethodInvocation] = []

    init(_ connection: BusConnection) {
        connection.onMethodCall = { [weak self, unowned connection] message in
            guard let self else { return false }
            invocations.append(MethodInvocation(message, on: connection))
            return true
        }
    }

    var count: Int { invocations.count }
}

@Suite("Method calls", .timeLimit(.minutes(15)))
struct CallTests {
    let fixture: BusFixture
    let client: BusConnection

    init() throws {
        fixture = try BusFixture()
        client = try fixture.connect()
    }

    @Test("A call without a reply times out, and a late reply is ignored")
    func timeout() throws {
        let server = try fixture.connect()
        let held = HeldCalls(server)
        var results: [CallResult] = []
        client.call(.test(server), timeout: .seconds(5)) { results.append($0) }
        try fixture.loop.wait(for: "the call") { held.count == 1 }
        fixture.loop.clock.advance(by: .milliseconds(4999))
        #expect(results == [])
        fixture.loop.clock.advance(by: .milliseconds(1))
        #expect(results == [.failure(.noReply)])
        held.invocations[0].reply([.byte(1)])
        try fixture.settle(server, client)
        #expect(results == [.failure(.noReply)])
    }

    @Test("Each call has its own timeout")
    func timeouts() throws {
        let server = try fixture.connect()
        let held = HeldCalls(server)
        var record: [String] = []
        for seconds in [3, 1, 2, 4] {
            client.call(.test(server), timeout: .seconds(seconds)) { result in
                record.append("\(seconds) \(result == .failure(.noReply))")
            }
        }
        try fixture.loop.wait(for: "the calls") { held.count == 4 }
        held.invocations[2].reply()
        try fixture.loop.wait(for: "the answer") { record.count == 1 }
        fixture.loop.clock.advance(by: .seconds(3))
        #expect(record == ["2 false", "1 true", "3 true"])
        fixture.loop.clock.advance(by: .seconds(1))
        #expect(record == ["2 false", "1 true", "3 true", "4 true"])
    }

    @Test(
        "A reply that arrived while the process was suspended is not too late",
        arguments: [0, 1, 1000]
    )
    func pause(millisecondsOfAnotherTimer: Int) throws {
        let clock = MainContextClock(on: fixture.loop.context)
        let timer = clock.schedule(after: .milliseconds(millisecondsOfAnotherTimer)) {}
        let client = try BusConnection(
            .address(fixture.bus.address),
            on: fixture.loop.context,
            clock: clock
        )
        try fixture.loop.wait(for: "the unique name") { client.uniqueName != nil }
        var results: [CallResult] = []
        client.call(.bus("GetId"), timeout: .milliseconds(50)) { results.append($0) }
        client.call(.bus("NoSuchMethod"), timeout: .milliseconds(60)) { results.append($0) }
        Thread.sleep(forTimeInterval: 0.5)
        try fixture.loop.wait(for: "the answers") { results.count == 2 }
        #expect(results.map(\.errorName) == [nil, errorPrefix + "UnknownMethod"])
        withExtendedLifetime(timer) {}
    }

    @Test("A cancelled call receives no reply, and its closure is released")
    func cancel() throws {
        final class Witness { var answers = 0 }
        weak var witness: Witness?
        let server = try fixture.connect()
        let held = HeldCalls(server)
        let id: CallID
        do {
            let object = Witness()
            witness = object
            id = client.call(.test(server), timeout: .seconds(5)) { _ in object.answers += 1 }
        }
        try fixture.loop.wait(for: "the call") { held.count == 1 }
        client.cancel(id)
        #expect(witness == nil)
        held.invocations[0].reply()
        try fixture.settle(server, client)
        fixture.loop.clock.advance(by: .seconds(10))
    }

    @Test("A call that cannot be sent is cancelled like any other")
    func cancelRefused() throws {
        let bad = MethodCall(to: "no dots", at: "/", "nodots", "a.b")
        let id = client.call(bad, timeout: .seconds(5)) { _ in
            Issue.record("a cancelled call has completed")
        }
        var others = 0
        client.call(bad, timeout: .seconds(5)) { _ in others += 1 }
        client.cancel(id)
        try fixture.settle(client)
        #expect(others == 1)
    }

    @Test("An error reply has its name and its text")
    func errors() throws {
        let server = try fixture.connect()
        let error = BusError(name: "org.bluez.Error.Failed", message: "ATT error: 0x81 \u{FC}")
        server.onMethodCall = { [unowned server] in
            MethodInvocation($0, on: server).fail(error)
            return true
        }
        #expect(try fixture.result(client, .test(server)) == .failure(error))
        let nobody = MethodCall(to: "org.example.Nobody", at: "/", "org.example.Test", "Do")
        #expect(try fixture.result(client, nobody).errorName == errorPrefix + "ServiceUnknown")
    }

    @Test(
        "Signals and replies arrive in the order in which the peer sent them",
        .pitfall(.coalescedSignals)
    )
    func signalBeforeReply() throws {
        let server = try fixture.connect()
        var record: [String] = []
        client.subscribe(MatchRule(interface: "org.example.Test")) {
            record.append($0.member ?? "")
        }
        server.onMethodCall = { [unowned server] in
            try? server.emit("/test", "org.example.Test", "Before")
            MethodInvocation($0, on: server).reply()
            try? server.emit("/test", "org.example.Test", "After")
            return true
        }
        for number in 1...50 {
            client.call(.test(server), timeout: .seconds(5)) { _ in record.append("\(number)") }
        }
        try fixture.loop.wait(for: "the last signal") { record.count == 150 }
        #expect(record == (1...50).flatMap { ["Before", "\($0)", "After"] })
    }

    @Test("Ten thousand concurrent calls all receive replies, in order", .computing)
    func pipelined() throws {
        let echo = try fixture.connectEcho()
        let count = 10_000
        var answers: [Int] = []
        var failures = 0
        for number in 0..<count {
            client.call(.test(echo, "Do", [.uint32(UInt32(number))]), timeout: .seconds(60)) {
                result in
                if let answer = (try? result.get())?.first?.integer {
                    answers.append(answer)
                } else {
                    failures += 1
                }
            }
        }
        try fixture.loop.wait(for: "all answers", within: .seconds(40)) {
            answers.count + failures == count
        }
        #expect(failures == 0)
        #expect(answers == Array(0..<count))
        #expect(client.pendingCalls.isEmpty)
    }

    @Test("Calls made before the reply to Hello are sent after it, in order")
    func early() throws {
        let echo = try fixture.connectEcho()
        let early = try fixture.open()
        var record: [String] = []
        early.onReady = { record.append("ready") }
        for number in UInt8(0)..<5 {
            early.call(.test(echo, "Do", [.byte(number)]), timeout: .seconds(5)) {
                record.append((try? $0.get())?.first?.integer?.description ?? "failed")
            }
        }
        #expect(early.uniqueName == nil)
        try fixture.loop.wait(for: "the answers") { record.count == 6 }
        #expect(record == ["ready", "0", "1", "2", "3", "4"])
        #expect(early.uniqueName?.hasPrefix(":") == true)
    }

    @Test("Many waiting messages do not delay a timer")
    func fairness() throws {
        let server = try fixture.connect()
        var handled = 0
        var handledAtTimer: Int?
        let clock = MainContextClock(on: fixture.loop.context)
        var timer: ScheduledTimer?
        server.onMethodCall = { [unowned server] in
            handled += 1
            if handled == 1 {
                timer = clock.schedule(after: .zero) { handledAtTimer = handled }
            }
            MethodInvocation($0, on: server).reply()
            return true
        }
        var answers = 0
        for _ in 0..<2000 {
            client.call(.test(server), timeout: .seconds(60)) { _ in answers += 1 }
        }
        try fixture.loop.wait(for: "all answers") { answers == 2000 }
        let atTimer = try #require(handledAtTimer)
        #expect(atTimer <= 2 * 64)
        withExtendedLifetime(timer) {}
    }

    @Test("A name owned by another connection cannot be requested until that connection closes")
    func names() throws {
        let other = try fixture.connect()
        var record: [String] = []
        let note: (BusError?) -> Void = { record.append($0?.name ?? "owned") }
        func request(_ connection: BusConnection, _ name: String) throws {
            let count = record.count
            connection.requestName(name, reply: note)
            try fixture.loop.wait(for: "the name") { record.count > count }
        }
        try request(client, "org.example.Name")
        try request(client, "org.example.Name")
        try request(other, "org.example.Name")
        try request(other, "nodots")
        #expect(
            record == [
                "owned", "owned", errorPrefix + "NameTaken", errorPrefix + "InvalidArgs",
            ]
        )
        client.close()
        record = []
        let owner = MethodCall.bus("NameHasOwner", [.string("org.example.Name")])
        var isOwned = true
        while isOwned { isOwned = try fixture.result(other, owner) == .success([.boolean(true)]) }
        try request(other, "org.example.Name")
        #expect(record == ["owned"])
    }
}
