import BluejayGLib
import Testing

@Suite("A source of events")
struct EventSourceTests {
    @Test("A source retains its context until it is released")
    func keepsContext() {
        weak var witness: Record<Int>?
        var source: EventSource?
        do {
            let context = MainContext()
            source = EventSource(SourceCallbacks(dispatch: {}), on: context)
            let record = Record<Int>()
            witness = record
            // This is discarded with the context.
            context.post { record.entries.append(1) }
        }
        #expect(witness != nil)
        // The last owner does the same.
        source?.cancel()
        source = nil
        #expect(witness == nil)
    }

    @Test("A source may be released on another thread while its loop ends")
    func releasedElsewhere() {
        // Every round covers another moment of the end.
        for round in 0..<3_000 {
            var source: EventSource?
            do {
                let context = MainContext()
                context.startThread(named: "short")
                source = EventSource(SourceCallbacks(dispatch: {}), on: context)
                context.quit()
            }
            let end = ContinuousClock.now + .microseconds(round % 200)
            while ContinuousClock.now < end {}
            source?.cancel()
            source = nil
        }
    }
}
