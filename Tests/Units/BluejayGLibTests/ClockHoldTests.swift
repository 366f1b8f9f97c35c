import BluejayGLib
import Foundation
import TestSupport
import Testing

// Each test has a process of its own, because it blocks threads for tasks.
@Suite("A hold on the virtual time", .timeLimit(.minutes(5)))
struct ClockHoldTests {
    /// A loop with a timer in its virtual time, which records that the time passed.
    private struct World: @unchecked Swift.Sendable {
        let loop = TestLoop()
        let hold: ClockHold
        let record = LockedValue<[String]>([])
        private let timer: ScheduledTimer

        init() throws {
            let clock = VirtualClock(on: loop.context)
            loop.context.environment.value.clock = clock
            hold = try #require(ClockHold(on: loop.context))
            timer = clock.schedule(after: .seconds(30)) { [record] in
                record.update { $0.append("time") }
            }
        }

        func wait(within limit: Duration = .seconds(20)) throws {
            try loop.wait(for: "the time", within: limit) { record.value.last == "time" }
            timer.cancel()
        }
    }

    @Test("Each piece of work has two seconds of its own")
    func pieces() async {
        await #expect(processExitsWith: .success) {
            let world = try World()
            for _ in 0..<3 { world.hold.startWork() }
            let clock = MainContextClock(on: world.loop.context)
            let ends = (1...3).map { number in
                clock.schedule(after: .seconds(number)) {
                    world.record.update { $0.append("piece \(number)") }
                    world.hold.endWork()
                }
            }
            try world.wait()
            #expect(world.record.value == ["piece 1", "piece 2", "piece 3", "time"])
            withExtendedLifetime(ends) {}
        }
    }

    @Test("Work that does not end lets the time pass")
    func endless() async {
        await #expect(processExitsWith: .success) {
            let world = try World()
            world.hold.startWork()
            try world.wait()
        }
    }

    @Test("Work that waits for a thread is not over")
    func busyThreads() async {
        await #expect(processExitsWith: .success) {
            let world = try World()
            let end = ContinuousClock.now + .seconds(5)
            for _ in 0..<4 * ProcessInfo.processInfo.activeProcessorCount {
                Task {
                    while ContinuousClock.now < end {
                        occupyThread()
                        await Task.yield()
                    }
                }
            }
            world.hold.startWork()
            Task {
                for hop in 0..<3 {
                    await Task.yield()
                    world.record.update { $0.append("hop \(hop)") }
                }
                world.hold.endWork()
            }
            try world.wait()
            #expect(world.record.value == ["hop 0", "hop 1", "hop 2", "time"])
        }
    }

    @Test("Work that never gets a thread lets the time pass")
    func blockedThreads() async {
        await #expect(processExitsWith: .success) {
            let world = try World()
            for _ in 0..<4 * ProcessInfo.processInfo.activeProcessorCount {
                Task { while true { occupyThread() } }
            }
            world.hold.startWork()
            try world.wait(within: .seconds(40))
        }
    }
}

private func occupyThread() {
    Thread.sleep(forTimeInterval: 0.2)
}
