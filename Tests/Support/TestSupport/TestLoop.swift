package import BluejayGLib

/// A main context that a test drives by itself, with a clock that the test moves.
package final class TestLoop {
    /// What a test waited for in vain.
    package struct Overdue: Error, CustomStringConvertible {
        package let description: String
    }

    package let context = MainContext()
    package let clock = ManualClock()

    package init() {}

    /// Runs turns of the context until `condition` holds; what is due on `clock` runs as well.
    ///
    /// - Throws: `Overdue` after `limit` of real time.
    package func wait(
        for what: String,
        within limit: Duration = .seconds(20),
        until condition: @escaping () -> Bool
    ) throws {
        let context = context
        let clock = clock
        var isOver = false
        var hasQuit = false
        let end = MainContextClock(on: context).schedule(after: limit) { isOver = true }
        let isReady = { !hasQuit && (isOver || clock.isDue || condition()) }
        let source = EventSource(
            SourceCallbacks(
                prepare: isReady,
                check: isReady,
                dispatch: {
                    clock.advance(by: .zero)
                    guard !hasQuit, isOver || condition() else { return }
                    hasQuit = true
                    context.quit()
                }
            ),
            on: context
        )
        context.run()
        source.cancel()
        end.cancel()
        guard condition() else { throw Overdue(description: "in vain: \(what)") }
    }
}
