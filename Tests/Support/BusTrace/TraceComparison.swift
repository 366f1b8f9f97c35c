/// Compares a recording of the simulated BlueZ with recordings of the real one.
///
/// Equal lines are numbered. An event in every real recording is required, one in some of them is optional,
/// and any other is a difference. If more than half of the real recordings contain two events, always in the
/// same order, this order is required, except in two cases:
///
/// - an event of BlueZ, followed by a call of the client: a client that waits for the event cannot call too
///   early, and the pace of a client is independent of BlueZ;
/// - a run of notifications, and an event of another object: the pace of the peripheral is independent of
///   BlueZ.
package struct TraceComparison {
    /// The maximum number of reported differences in the order, per recording.
    package static let reportedOrders = 5

    private let scenario: String
    private let real: [NumberedTrace]
    private let quirks: [Quirks.Quirk]
    private var required: Set<NumberedEvent>
    private var known: Set<NumberedEvent>
    // The positions of the events in each real recording, and the number of equal recordings.
    private let positions: [[NumberedEvent: Int]]
    private let counts: [Int]
    // The positions of the calls in each recording, by answer.
    private let callPositions: [[NumberedEvent: Int]]

    /// Creates a comparison with the real recordings of a scenario, one of each.
    package init(scenario: String, real traces: [Trace], quirks: Quirks = Quirks()) {
        self.init(scenario: scenario, real: traces.map { .init($0) }, quirks: quirks)
    }

    /// Creates a comparison with the real recordings of a scenario.
    package init(
        scenario: String,
        real recordings: [TraceFile.Recording],
        quirks: Quirks = Quirks()
    ) {
        self.scenario = scenario
        real = recordings.map { NumberedTrace($0.trace) }
        counts = recordings.map(\.count)
        self.quirks = quirks.of(scenario)
        positions = real.map(\.positions)
        callPositions = real.map(\.callPositions)
        known = positions.reduce(into: []) { $0.formUnion($1.keys) }
        required = known
        for position in positions { required.formIntersection(position.keys) }
    }

    package struct Result: Equatable, Swift.Sendable {
        /// The differences that no quirk excuses.
        package var differences: [TraceDifference] = []
        /// The number of further pairs in the wrong order.
        package var furtherOrders = 0
        /// The line numbers of the quirks that excused a difference.
        package var usedQuirks: Set<Int> = []
    }

    /// Returns the differences of one recording of the simulated BlueZ.
    package func compare(_ simulated: Trace) -> Result {
        let trace = NumberedTrace(simulated)
        var result = Result()
        let orders = orders(trace)
        for difference in missing(trace) + unknown(trace) + orders {
            let excuse = quirks.first { $0.excuses(difference) }
            if let excuse {
                result.usedQuirks.insert(excuse.line)
            } else {
                result.differences.append(difference)
            }
        }
        limitReportedOrders(&result)
        return result
    }

    private func limitReportedOrders(_ result: inout Result) {
        var left = Self.reportedOrders
        let kept = result.differences.filter { difference in
            guard case .order = difference.kind else { return true }
            left -= 1
            return left >= 0
        }
        result.furtherOrders = result.differences.count - kept.count
        result.differences = kept
    }

    // A signal after the last answer to a client may have been cut off.
    private func missing(_ trace: NumberedTrace) -> [TraceDifference] {
        guard let model = real.first else { return [] }
        let present = Set(trace.events)
        return model.events.enumerated().compactMap { index, event in
            guard required.contains(event), !present.contains(event), !isTail(event) else {
                return nil
            }
            return TraceDifference(
                kind: .missing(event.text),
                occurrence: event.occurrence,
                context: model.context(index...index)
            )
        }
    }

    private func isTail(_ event: NumberedEvent) -> Bool {
        guard EventKind.isSignal(event.text) else { return false }
        return zip(real, positions).contains { trace, positions in
            (positions[event] ?? 0) > trace.lastReply
        }
    }

    private func unknown(_ trace: NumberedTrace) -> [TraceDifference] {
        trace.events.enumerated().compactMap { index, event in
            guard !known.contains(event), !isFurtherNotification(event) else { return nil }
            return TraceDifference(
                kind: .unknown(event.text),
                occurrence: event.occurrence,
                context: trace.context(index...index)
            )
        }
    }

    // The number of events between two notifications depends on the peripheral.
    private func isFurtherNotification(_ event: NumberedEvent) -> Bool {
        EventKind.isNotification(event.text)
            && known.contains(NumberedEvent(text: event.text, occurrence: 1))
    }

    // Returns the shortest ranges whose first event belongs after their last one: every other pair in the
    // wrong order contains one of them.
    private func orders(_ trace: NumberedTrace) -> [TraceDifference] {
        let fixed = trace.events.enumerated().filter { known.contains($0.element) }
        var shortest: [(later: Int, earlier: Int)] = []
        for end in fixed.indices {
            let start = fixed[..<end].lastIndex { candidate in
                mustPrecede(fixed[end].element, candidate.element)
                    && !isExcused(fixed[end].element, candidate.element)
            }
            guard let start else { continue }
            if let last = shortest.last, last.later >= start { continue }
            shortest.append((start, end))
        }
        return excusedOrders(trace, fixed.map(\.element))
            + shortest.map { pair in
                let later = fixed[pair.later]
                let earlier = fixed[pair.earlier]
                return TraceDifference(
                    kind: .order(earlier: earlier.element.text, later: later.element.text),
                    occurrence: earlier.element.occurrence,
                    context: trace.context(later.offset...earlier.offset)
                )
            }
    }

    // Returns the excused differences, so that their quirks count as used.
    private func excusedOrders(
        _ trace: NumberedTrace,
        _ fixed: [NumberedEvent]
    ) -> [TraceDifference] {
        guard quirks.contains(where: { $0.later != nil }) else { return [] }
        var found: [TraceDifference] = []
        for end in fixed.indices {
            for start in fixed[..<end].indices {
                let (earlier, later) = (fixed[end], fixed[start])
                guard isExcused(earlier, later), mustPrecede(earlier, later) else { continue }
                found.append(
                    TraceDifference(
                        kind: .order(earlier: earlier.text, later: later.text),
                        occurrence: earlier.occurrence,
                        context: []
                    )
                )
            }
        }
        return found
    }

    private func isExcused(_ earlier: NumberedEvent, _ later: NumberedEvent) -> Bool {
        guard quirks.contains(where: { $0.later != nil }) else { return false }
        let difference = TraceDifference(
            kind: .order(earlier: earlier.text, later: later.text),
            occurrence: 1,
            context: []
        )
        return quirks.contains { $0.excuses(difference) }
    }

    private func mustPrecede(_ earlier: NumberedEvent, _ later: NumberedEvent) -> Bool {
        guard EventKind.isOrdered(earlier.text, later.text) else { return false }
        let isOfBlueZ = !EventKind.isFromClient(earlier.text)
        var both = 0
        for ((position, calls), count) in zip(zip(positions, callPositions), counts) {
            guard let first = position[earlier], let second = position[later] else { continue }
            guard first < second else { return false }
            // If the call came later, its answer depends on the pace of the client only.
            if isOfBlueZ, let call = calls[later], call > first { return false }
            both += count
        }
        return both * 2 > counts.reduce(0, +)
    }
}

/// An event and its number among equal ones, from 1.
struct NumberedEvent: Hashable {
    let text: String
    let occurrence: Int
}

/// A trace whose equal events are numbered.
struct NumberedTrace {
    let events: [NumberedEvent]
    /// The position of the last answer to a client; -1 without one.
    let lastReply: Int

    init(_ trace: Trace) {
        var counts: [String: Int] = [:]
        events = trace.events.map { event in
            counts[event, default: 0] += 1
            return NumberedEvent(text: event, occurrence: counts[event] ?? 1)
        }
        lastReply = trace.events.lastIndex { EventKind.isReplyToClient($0) } ?? -1
    }

    var positions: [NumberedEvent: Int] {
        Dictionary(uniqueKeysWithValues: events.enumerated().map { ($0.element, $0.offset) })
    }

    /// The position of the call of each answer; calls of one method of one object are answered in order.
    var callPositions: [NumberedEvent: Int] {
        var waiting: [Substring: [Int]] = [:]
        var found: [NumberedEvent: Int] = [:]
        for (index, event) in events.enumerated() {
            guard let subject = EventKind.subject(event.text) else { continue }
            if EventKind.isFromClient(event.text) {
                waiting[subject, default: []].append(index)
            } else if let calls = waiting[subject], let first = calls.first {
                found[event] = first
                waiting[subject] = Array(calls.dropFirst())
            }
        }
        return found
    }

    /// Returns the lines of a range and two on each side; the ends of the range are marked.
    func context(_ range: ClosedRange<Int>) -> [String] {
        let shown = max(0, range.lowerBound - 2)...min(events.count - 1, range.upperBound + 2)
        var lines: [String] = []
        for index in shown {
            // A long range is shown by its ends.
            let isInside = index > range.lowerBound + 2 && index < range.upperBound - 2
            if isInside {
                if lines.last != "  …" { lines.append("  …") }
                continue
            }
            let isMeant = index == range.lowerBound || index == range.upperBound
            lines.append((isMeant ? "> " : "  ") + events[index].text)
        }
        return lines
    }
}
