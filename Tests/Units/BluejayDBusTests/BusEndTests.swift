import BluejayGLib
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import BluejayDBus

@Suite("The end of a connection", .timeLimit(.minutes(15)))
struct BusEndTests {
    let fixture: BusFixture
    let client: BusConnection
    let server: BusConnection
    let held: HeldCalls

    init() throws {
        fixture = try BusFixture()
        client = try fixture.connect()
        server = try fixture.connect()
        held = HeldCalls(server)
    }

    /// Makes calls that are never answered.
    private func callThrice(_ note: @escaping (String) -> Void) throws {
        let before = held.count
        for number in 1...3 {
            client.call(.test(server), timeout: .seconds(5)) {
                note("\(number) \($0.errorName?.split(separator: ".").last ?? "answered")")
            }
        }
        try fixture.loop.wait(for: "the calls") { [held] in held.count == before + 3 }
    }

    @Test("A lost bus is reported once, then each pending call fails once", .pitfall(.busLoss))
    func killed() throws {
        var record: [String] = []
        client.onLost = { record.append("lost \($0.name.split(separator: ".").last ?? "")") }
        try callThrice { record.append($0) }
        try fixture.bus.kill()
        try fixture.loop.wait(for: "the loss") { [client] in !client.isOpen }
        fixture.loop.clock.advance(by: .seconds(60))
        client.close()
        #expect(
            record == [
                "lost Disconnected", "1 Disconnected", "2 Disconnected", "3 Disconnected",
            ]
        )
    }

    @Test("A close fails each pending call once and reports no loss")
    func closed() throws {
        var record: [String] = []
        client.onLost = { _ in record.append("lost") }
        try callThrice { record.append($0) }
        client.close()
        client.close()
        #expect(record == ["1 Disconnected", "2 Disconnected", "3 Disconnected"])
        for invocation in held.invocations { invocation.reply() }
        try fixture.settle(server)
        fixture.loop.clock.advance(by: .seconds(60))
        #expect(record.count == 3)
    }

    @Test("The bus detects the close while a child process still has a copy of the socket")
    func copiedDescriptor() throws {
        let copy = dup(try #require(server.core.descriptor))
        defer { close(copy) }
        let name = try #require(server.uniqueName)
        server.close()
        var owned: CallResult = .success([.boolean(true)])
        for _ in 0..<200 where owned == .success([.boolean(true)]) {
            owned = try fixture.result(client, .bus("NameHasOwner", [.string(name)]))
        }
        #expect(owned == .success([.boolean(false)]))
    }

    @Test("A call on a closed connection fails in a later iteration")
    func callAfterClose() throws {
        client.close()
        var results: [CallResult] = []
        client.call(.bus("GetId"), timeout: .seconds(5)) { results.append($0) }
        #expect(results == [])
        try fixture.loop.wait(for: "the failure") { !results.isEmpty }
        #expect(results == [.failure(.disconnected)])
        #expect(client.subscribe(MatchRule()) { _ in }.rule == MatchRule())
        try client.emit("/", "org.example.Test", "Changed")
    }

    @Test("A call from the completion of a failing call fails, too")
    func callDuringClose() throws {
        var record: [String] = []
        client.call(.test(server), timeout: .seconds(5)) { [client] _ in
            record.append("first")
            client.call(.bus("GetId"), timeout: .seconds(5)) { _ in record.append("second") }
        }
        client.close()
        #expect(record == ["first"])
        try fixture.loop.wait(for: "the failure") { record.count == 2 }
    }

    @Test("A released connection fails its pending calls")
    func released() throws {
        var record: [String] = []
        var own: BusConnection? = try fixture.connect()
        own?.call(.test(server), timeout: .seconds(5)) { record.append($0.errorName ?? "answered") }
        try fixture.loop.wait(for: "the call") { [held] in held.count == 1 }
        own = nil
        #expect(record == [errorPrefix + "Disconnected"])
    }

    @Test("A close in the callback of a reply fails the other calls")
    func closeInReply() throws {
        var record: [String] = []
        let note: (String) -> Void = { [client] in
            record.append($0)
            client.close()
        }
        try callThrice(note)
        for invocation in held.invocations { invocation.reply() }
        try fixture.loop.wait(for: "the failures") { record.count == 3 }
        #expect(record == ["1 answered", "2 Disconnected", "3 Disconnected"])
        try fixture.settle(server)
        #expect(record.count == 3)
    }

    @Test("A close in a signal handler ends all later callbacks")
    func closeInSignal() throws {
        var record: [String] = []
        let rule = MatchRule(interface: "org.example.Test")
        client.subscribe(rule) { [client] _ in
            record.append("first")
            client.close()
        }
        client.subscribe(rule) { _ in record.append("second") }
        try fixture.settle(client)
        for _ in 1...3 { try server.emit("/test", "org.example.Test", "Changed") }
        try fixture.loop.wait(for: "the signal") { !record.isEmpty }
        try fixture.settle(server)
        #expect(record == ["first"])
    }

    @Test("A close inside an incoming call fails that call for its caller")
    func closeInCall() throws {
        server.onMethodCall = { [server] _ in
            server.close()
            return true
        }
        let result = try fixture.result(client, .test(server))
        #expect(result.errorName == errorPrefix + "NoReply")
    }

    enum Place: CaseIterable { case reply, signal, call, ready, lost, timeout }

    @Test("A connection may be released in any of its callbacks", arguments: Place.allCases)
    func releaseInCallback(place: Place) throws {
        var own: BusConnection? = try place == .ready ? fixture.open() : fixture.connect()
        weak let witness = own
        let name = own?.uniqueName
        let release: () -> Void = { own = nil }
        switch place {
        case .reply: own?.call(.bus("GetId"), timeout: .seconds(5)) { _ in release() }
        case .signal: own?.subscribe(MatchRule(interface: "org.example.Test")) { _ in release() }
        case .call:
            own?.onMethodCall = { _ in
                release()
                return true
            }
        case .ready: own?.onReady = { release() }
        case .lost: own?.onLost = { _ in release() }
        case .timeout: own?.call(.test(server), timeout: .seconds(5)) { _ in release() }
        }
        withExtendedLifetime(own) {}
        try fixture.settle(client)
        if place == .signal {
            if let own { try fixture.settle(own) }
            for _ in 1...3 { try server.emit("/test", "org.example.Test", "Changed") }
        }
        if place == .call, let name {
            let call = MethodCall(to: name, at: "/test", "org.example.Test", "Do")
            client.call(call, timeout: .seconds(5)) { _ in }
        }
        if place == .timeout { fixture.loop.clock.advance(by: .seconds(5)) }
        if place == .lost { try fixture.bus.kill() }
        try fixture.loop.wait(for: "the release") { witness == nil }
    }

    @Test("A bus that does not reply to Hello is lost at the timeout")
    func noHello() throws {
        fixture.bus.freeze()
        let mute = try fixture.open()
        var record: [String] = []
        mute.onLost = { record.append("lost \($0.name)") }
        mute.call(.bus("GetId"), timeout: .seconds(60)) { record.append($0.errorName ?? "") }
        fixture.loop.clock.advance(by: .seconds(24))
        #expect(record == [])
        fixture.loop.clock.advance(by: .seconds(1))
        #expect(record == ["lost " + errorPrefix + "NoReply", errorPrefix + "Disconnected"])
        #expect(!mute.isOpen)
        fixture.bus.thaw()
    }

    @Test("A close does not wait for a bus that does not respond")
    func closeFrozen() throws {
        let bus = fixture.bus
        let process = bus.processID
        bus.freeze()
        // If the call waits after all, this resumes the test, which fails.
        let rescue = DispatchWorkItem { kill(process, SIGCONT) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 30, execute: rescue)
        let begun = ContinuousClock.now
        let mute = try fixture.open()
        mute.close()
        let bytes = BusValue.bytes([UInt8](repeating: 0, count: 1 << 20))
        for _ in 0..<4 { client.call(.test(server, "Do", [bytes]), timeout: .seconds(5)) { _ in } }
        client.close()
        #expect(ContinuousClock.now - begun < .seconds(20))
        rescue.cancel()
        bus.thaw()
    }

    @Test("Messages sent before a close still arrive")
    func lastWords() throws {
        var record: [UInt8] = []
        server.subscribe(MatchRule(interface: "org.example.Test")) {
            if case .byte(let number) = try? $0.arguments().first { record.append(number) }
        }
        try fixture.settle(server)
        for number in 0..<100 {
            try client.emit("/test", "org.example.Test", "Changed", [.byte(UInt8(number))])
        }
        client.close()
        try fixture.loop.wait(for: "the signals") { record.count == 100 }
        #expect(record == Array(0..<100))
    }

    @Test(
        "An address without a bus is an error",
        arguments: ["unix:path=/nonexistent/socket", "nonsense", "", "unix:", "unix:path=/a\0b"]
    )
    func noBus(address: String) {
        #expect(throws: BusError.self) {
            try BusConnection(.address(address), on: fixture.loop.context)
        }
    }

    @Test("A restarted bus accepts connections at its old address", .pitfall(.busLoss))
    func restarted() throws {
        try fixture.bus.kill()
        try fixture.loop.wait(for: "the loss") { [client] in !client.isOpen }
        #expect(throws: BusError.self) { try fixture.open() }
        try fixture.bus.start()
        let again = try fixture.connect()
        #expect(try fixture.result(again, .bus("GetId")).errorName == nil)
    }
}
