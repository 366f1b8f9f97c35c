import BluejayGLib
import Foundation
import TestSupport
import Testing

@testable import BluejayDBus

/// A clock that notes where its timers are cancelled.
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

/// Notes on which thread it is released.
private final class Witness {
    let released: (String) -> Void
    init(_ released: @escaping (String) -> Void) { self.released = released }
    deinit { released(threadName()) }
}

/// Carries what is not `Sendable` to the thread that releases it.
// The test, the thread and the context's work have it one after the other.
private final class Holder: @unchecked Sendable {
    var connection: BusConnection?
    var isOver = false
}

@Suite("A connection released on another thread", .timeLimit(.minutes(15)))
struct ForeignReleaseTests {
    @Test("Its timers, handlers and pending calls end on its context")
    func released() throws {
        let fixture = try BusFixture()
        let clock = WatchedClock(fixture.loop.context)
        let holder = Holder()
        var record: [String] = []
        holder.connection = try busy(fixture, clock) { record.append($0) }
        let context = fixture.loop.context
        // The loop stands until then: the call would be answered otherwise.
        let isReleased = DispatchSemaphore(value: 0)
        let thread = Thread {
            holder.connection = nil
            // Behind what the connection leaves to the context.
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

    /// A connection with a call, a timer and two handlers; `note` hears of their ends.
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
