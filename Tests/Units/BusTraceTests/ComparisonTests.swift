import TestSupport
import Testing

@testable import BusTrace

@Suite("Comparison of traces")
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

    @Test("Identical traces have no differences")
    func same() {
        #expect(summaries(Self.connecting, real: [Self.connecting]).isEmpty)
    }

    @Test("A reply before its signal is a difference, reported with the surrounding lines")
    func replyBeforeSignal() {
        let events = connecting { $0.swapAt(1, 2) }
        let comparison = TraceComparison(scenario: "x", real: [Trace(Self.connecting)])
        #expect(
            comparison.compare(Trace(events)).differences.map(\.description) == [
                """
                order: “signal dev Connected=true” must precede “reply Connect dev: ok”, \
                but follows here
                      call Connect dev
                    > reply Connect dev: ok
                    > signal dev Connected=true
                      signal added dev/180D GattService1(UUID=180D)
                      signal dev ServicesResolved=true
                """
            ]
        )
    }

    @Test("A moved event is reported once, with its nearest neighbour")
    func nearest() {
        let events = connecting { $0.insert($0.remove(at: 4), at: 1) }
        #expect(
            summaries(events, real: [Self.connecting]) == [
                "order: “signal dev Connected=true” must precede "
                    + "“signal dev ServicesResolved=true”, but follows here"
            ]
        )
    }

    @Test("An event of each real recording is missing if it does not occur")
    func missing() {
        let events = connecting { $0.remove(at: 6) }
        #expect(
            summaries(events, real: [Self.connecting, Self.connecting]) == [
                "missing: “signal dev ServicesResolved=false” is in every real recording, "
                    + "but not here"
            ]
        )
    }

    @Test("An event of no real recording is unknown, and so is an additional repetition")
    func unknown() {
        let events = connecting { $0.insert(contentsOf: ["signal dev Paired=true", $0[1]], at: 2) }
        #expect(
            summaries(events, real: [Self.connecting]) == [
                "unknown: “signal dev Paired=true” is in no real recording, but here",
                "unknown: “signal dev Connected=true” (for the second time) is in no real "
                    + "recording, but here",
            ]
        )
    }

    @Test("An event of some real recordings is optional at any position")
    func optional() {
        let named = connecting { $0.insert("signal dev Name=\"x\"", at: 4) }
        let elsewhere = connecting { $0.insert("signal dev Name=\"x\"", at: 1) }
        #expect(summaries(Self.connecting, real: [Self.connecting, named]).isEmpty)
        #expect(summaries(elsewhere, real: [Self.connecting, named]).isEmpty)
    }

    @Test("An event of most real recordings must keep its order")
    func mostly() {
        let silent = connecting { $0.remove(at: 1) }
        let late = connecting { $0.swapAt(1, 2) }
        let real = [Self.connecting, Self.connecting, silent]
        #expect(summaries(silent, real: real).isEmpty)
        #expect(summaries(late, real: real).count == 1)
        #expect(summaries(late, real: real + [silent]).isEmpty)
    }

    @Test("Two events in both orders in the real recordings are allowed in either order")
    func allowedSwap() {
        let swapped = connecting { $0.swapAt(3, 4) }
        #expect(summaries(swapped, real: [Self.connecting]).count == 1)
        #expect(summaries(swapped, real: [Self.connecting, swapped]).isEmpty)
        #expect(summaries(Self.connecting, real: [swapped, Self.connecting]).isEmpty)
    }

    @Test("A missing signal after the last reply is allowed; a missing reply is not")
    func cutTail() {
        #expect(summaries(Self.connecting.dropLast(), real: [Self.connecting]).isEmpty)
        #expect(summaries(Self.connecting.dropLast(2), real: [Self.connecting]).count == 1)
    }

    @Test("A call may occur earlier than in the recording, and its effects must follow it")
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
        "A reply may follow a signal that preceded its call, because the client sets the pace"
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
        "Notifications may occur any number of times after the subscription"
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

    @Test("The first few order differences are reported, and the others are counted")
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

    @Test("A trace in the common order passes, however the rest is shuffled", arguments: 0..<100)
    func keepsOrder(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let real = (0..<60).map { _ in Self.shuffled(&random) }
        let comparison = TraceComparison(scenario: "x", real: real.map { Trace($0) })
        let simulated = commonOrder(of: real, &random)
        let found = comparison.compare(Trace(simulated)).differences
        #expect(found.isEmpty, "seed \(seed): \(found)")
    }

    @Test("A swap of neighbours that no real recording has is found", arguments: 0..<100)
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
                "order: “\(simulated[index + 1])” must precede “\(simulated[index])”, "
                    + "but follows here"
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
