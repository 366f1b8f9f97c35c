import BluejayGLib
import Foundation
import TestSupport
import Testing

@testable import BluejayDBus

/// A clock that records where its timers are cancelled.
private final class WatchedClock: EventClock {
    let context: MainContext
    private(set) var foreignCancels = 0

    init(_ context: MainContext) {
        self.context = context
    }

    let now = Duration.zero

    func schedule(after delay: Duration, _ action: @escaping () -> Void) -> ScheduledTimer {
        ScheduledTimer { [self] in
            if !context.isCurrent { foreignCancels += 1 }
        }
    }
}

/// Records the thread on which it is released.
private final class Witness {
    let released: (String) -> Void
    init(_ released: @escaping (String) -> Void) { self.released = released }
    deinit { released(threadName()) }
}

/// Carries a value that is not `Sendable` to the thread that releases it.
// The test, the thread and the context use it one after the other.
private final class Holder: @unchecked Sendable {
    var connection: BusConnection?
    var isOver = false
}

@Suite("A connection released on another thread", .timeLimit(.minutes(15)))
struct ForeignReleaseTests {
    @Test("The timers, handlers and pending calls of the connection end on its context")
    func released() throws {
        let fixture = try BusFixture()
        let clock = WatchedClock(fixture.loop.context)
        let holder = Holder()
        var record: [String] = []
        holder.connection = try busy(fixture, clock) { record.append($0) }
        let context = fixture.loop.context
        // The loop must stand still until then, or the call would be answered.
        let isReleased = DispatchSemaphore(value: 0)
        let thread = Thread {
            holder.connection = nil
            // After the work that the connection posts to the context.
            context.post { holder.isOver = true }
            isReleased.signal()
        }
        thread.name = "foreign"
        thread.start()
        isReleased.wait()
        try fixture.loop.wait(for: "the end") { holder.isOver }
        #expect(clock.foreignCancels == 0)
        #expect(record.first == errorPrefix + "Disconnected own")
        #expect(Set(record.dropFirst()) == ["signal own", "method own"])
    }

    /// Returns a connection with a call, a timer and two handlers; `note` receives their ends.
    private func busy(
        _ fixture: BusFixture,
        _ clock: WatchedClock,
        _ note: @escaping (String) -> Void
    ) throws -> BusConnection {
        let connection = try BusConnection(
            .address(fixture.bus.address),
            on: fixture.loop.context,
            clock: clock
        )
        let signal = Witness { note("signal " + $0) }
        let method = Witness { note("method " + $0) }
        connection.subscribe(MatchRule()) { _ in withExtendedLifetime(signal) {} }
        connection.onMethodCall = { _ in withExtendedLifetime(method) { false } }
        connection.call(.bus("GetId"), timeout: .seconds(5)) {
            note("\($0.errorName ?? "") \(threadName())")
        }
        return connection
    }
}

private func threadName() -> String { Thread.current.name == "foreign" ? "foreign" : "own" }
