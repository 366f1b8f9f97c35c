package import BluejayGLib

/// A main context that a test drives, with a clock that the test advances.
package final class TestLoop {
    /// The condition that did not become true in time.
    package struct WaitTimeout: Error, CustomStringConvertible {
        package let description: String
    }

    package let context = MainContext()
    package let clock = ManualClock()

    package init() {}

    /// Runs the context, and the due timers of `clock`, until `condition` holds.
    ///
    /// - Throws: `WaitTimeout` after `limit` of real time.
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
        guard condition() else { throw WaitTimeout(description: "in vain: \(what)") }
    }
}
