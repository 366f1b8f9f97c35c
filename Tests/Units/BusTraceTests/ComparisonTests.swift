import TestSupport
import Testing

@testable import BusTrace

@Suite("A comparison")
struct ComparisonTests {
    private static let connecting = [
        "call Connect dev", "signal dev Connected=true", "reply Connect dev: ok",
        "signal added dev/180D GattService1(UUID=180D)", "signal dev ServicesResolved=true",
        "call Disconnect dev", "signal dev ServicesResolved=false", "reply Disconnect dev: ok",
        "signal dev Connected=false",
    ]

    private func summaries(_ simulated: [String], real: [[String]]) -> [String] {
        TraceComparison(scenario: "x", real: real.map { Trace($0) })
            .compare(Trace(simulated)).differences.map(\.summary)
    }

    private func connecting(_ change: (inout [String]) -> Void) -> [String] {
        var events = Self.connecting
        change(&events)
        return events
    }

    @Test("The same differs in nothing")
    func same() {
        #expect(summaries(Self.connecting, real: [Self.connecting]).isEmpty)
    }

    @Test("A reply before its signal is a difference, with the lines around it")
    func replyBeforeSignal() {
        let events = connecting { $0.swapAt(1, 2) }
        let comparison = TraceComparison(scenario: "x", real: [Trace(Self.connecting)])
        #expect(
            comparison.compare(Trace(events)).differences.map(\.description) == [
                """
                order: “signal dev Connected=true” must come before “reply Connect dev: ok”; \
                here it came after
                      call Connect dev
                    > reply Connect dev: ok
                    > signal dev Connected=true
                      signal added dev/180D GattService1(UUID=180D)
                      signal dev ServicesResolved=true
                """
            ]
        )
    }

    @Test("What moved over many is told once, by its nearest")
    func nearest() {
        let events = connecting { $0.insert($0.remove(at: 4), at: 1) }
        #expect(
            summaries(events, real: [Self.connecting]) == [
                "order: “signal dev Connected=true” must come before "
                    + "“signal dev ServicesResolved=true”; here it came after"
            ]
        )
    }

    @Test("What every real recording has may not be missing")
    func missing() {
        let events = connecting { $0.remove(at: 6) }
        #expect(
            summaries(events, real: [Self.connecting, Self.connecting]) == [
                "missing: “signal dev ServicesResolved=false” is in every real recording; "
                    + "here it never came"
            ]
        )
    }

    @Test("What no real recording has may not come, nor more often than there")
    func unknown() {
        let events = connecting { $0.insert(contentsOf: ["signal dev Paired=true", $0[1]], at: 2) }
        #expect(
            summaries(events, real: [Self.connecting]) == [
                "unknown: “signal dev Paired=true” is in no real recording; here it came",
                "unknown: “signal dev Connected=true” (for the second time) is in no real "
                    + "recording; here it came",
            ]
        )
    }

    @Test("What only some real recordings have may come or not, anywhere")
    func optional() {
        let named = connecting { $0.insert("signal dev Name=\"x\"", at: 4) }
        let elsewhere = connecting { $0.insert("signal dev Name=\"x\"", at: 1) }
        #expect(summaries(Self.connecting, real: [Self.connecting, named]).isEmpty)
        #expect(summaries(elsewhere, real: [Self.connecting, named]).isEmpty)
    }

    @Test("What most real recordings have keeps their order where it comes")
    func mostly() {
        let silent = connecting { $0.remove(at: 1) }
        let late = connecting { $0.swapAt(1, 2) }
        let real = [Self.connecting, Self.connecting, silent]
        #expect(summaries(silent, real: real).isEmpty)
        #expect(summaries(late, real: real).count == 1)
        #expect(summaries(late, real: real + [silent]).isEmpty)
    }

    @Test("Two events that the real one has in both orders may come in either")
    func allowedSwap() {
        let swapped = connecting { $0.swapAt(3, 4) }
        #expect(summaries(swapped, real: [Self.connecting]).count == 1)
        #expect(summaries(swapped, real: [Self.connecting, swapped]).isEmpty)
        #expect(summaries(Self.connecting, real: [swapped, Self.connecting]).isEmpty)
    }

    @Test("A signal behind the last answer may have been cut off; an answer may not")
    func cutTail() {
        #expect(summaries(Self.connecting.dropLast(), real: [Self.connecting]).isEmpty)
        #expect(summaries(Self.connecting.dropLast(2), real: [Self.connecting]).count == 1)
    }

    @Test("A client may call earlier than it did, but what the call causes comes behind it")
    func paceOfClient() {
        let real =
            ["call StopDiscovery hci0", "reply StopDiscovery hci0: ok", "call Connect dev"]
            + ["signal dev Connected=true", "reply Connect dev: ok"]
        var hasty = real
        hasty.swapAt(1, 2)
        #expect(summaries(hasty, real: [real]).isEmpty)
        hasty = real
        hasty.swapAt(2, 3)
        #expect(summaries(hasty, real: [real]).count == 1)
    }

    @Test(
        "An answer may come behind a signal that came before its call, which says the client's pace"
    )
    func paceOfReading() {
        let real = [
            "signal hci0 Powered=false", "call GetManagedObjects", "signal dev Connected=false",
            "reply GetManagedObjects: hci0",
        ]
        #expect(summaries([real[1], real[3], real[0], real[2]], real: [real]).count == 1)
        #expect(summaries([real[1], real[2], real[3], real[0]], real: [real]).isEmpty == false)
        #expect(summaries([real[1], real[0], real[2], real[3]], real: [real]).isEmpty)
    }

    @Test(
        "Notifications may come at any time behind the start of notifying, and any number of times"
    )
    func paceOfPeripheral() {
        let real = [
            "reply StartNotify dev/180D/2A37: ok", "signal value… dev/180D/2A37",
            "reply ReadValue dev/180D/2A38: 0x01",
        ]
        #expect(summaries([real[0], real[2], real[1]], real: [real]).isEmpty)
        #expect(summaries([real[1], real[0], real[2]], real: [real]).count == 1)
        #expect(summaries([real[0], real[1], real[2], real[1]], real: [real]).isEmpty)
    }

    @Test("Only the first few in the wrong order are told, the rest are counted")
    func many() {
        let real = (0..<20).map { "signal dev Value=\($0)" }
        let reversed = TraceComparison(scenario: "x", real: [Trace(real)])
            .compare(Trace(real.reversed()))
        #expect(reversed.differences.count == TraceComparison.reportedOrders)
        #expect(reversed.furtherOrders == 19 - TraceComparison.reportedOrders)
    }

    // MARK: Random recordings

    /// Returns a random recording of a partial order: the event 2n precedes 2n+2, the rest is free.
    private static func shuffled(_ random: inout SeededGenerator) -> [String] {
        var even = (0..<8).map { "signal dev Even=\($0)" }
        var odd = (0..<8).map { "reply Odd\($0) dev: ok" }.shuffled(using: &random)
        var events: [String] = []
        while !even.isEmpty || !odd.isEmpty {
            let takesEven = odd.isEmpty || !even.isEmpty && Bool.random(using: &random)
            events.append(takesEven ? even.removeFirst() : odd.removeFirst())
        }
        return events
    }

    @Test("What keeps the common order passes, however else it is shuffled", arguments: 0..<100)
    func keepsOrder(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let real = (0..<60).map { _ in Self.shuffled(&random) }
        let comparison = TraceComparison(scenario: "x", real: real.map { Trace($0) })
        let simulated = commonOrder(of: real, &random)
        let found = comparison.compare(Trace(simulated)).differences
        #expect(found.isEmpty, "seed \(seed): \(found)")
    }

    @Test("One swap of neighbours that the real one never has is found", arguments: 0..<100)
    func findsSwap(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let real = (0..<5).map { _ in Self.shuffled(&random) }
        var simulated = commonOrder(of: real, &random)
        let forbidden = simulated.indices.dropLast().filter { index in
            precedes(simulated[index], simulated[index + 1], in: real)
        }
        let index = try #require(forbidden.randomElement(using: &random), "seed \(seed)")
        simulated.swapAt(index, index + 1)
        let found = summaries(simulated, real: real)
        #expect(
            found == [
                "order: “\(simulated[index + 1])” must come before “\(simulated[index])”; "
                    + "here it came after"
            ],
            "seed \(seed)"
        )
    }

    private func precedes(_ first: String, _ second: String, in real: [[String]]) -> Bool {
        real.allSatisfy { events in
            let positions = (events.firstIndex(of: first), events.firstIndex(of: second))
            guard let earlier = positions.0, let later = positions.1 else { return false }
            return earlier < later
        }
    }

    /// Returns a random sequence that keeps the common order of all recordings.
    private func commonOrder(of real: [[String]], _ random: inout SeededGenerator) -> [String] {
        var left = real.first ?? []
        var events: [String] = []
        while !left.isEmpty {
            let free = left.filter { event in
                !left.contains { $0 != event && precedes($0, event, in: real) }
            }
            guard let next = free.randomElement(using: &random) else { return [] }
            events.append(next)
            left.removeAll { $0 == next }
        }
        return events
    }
}
