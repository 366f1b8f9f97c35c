import Bluejay
import BluejaySimulator
import BluejayTesting
import Foundation
import Testing

/// A fault that interrupts an activity, and its end.
enum Interruption: CaseIterable, Swift.Sendable {
    case linkLost, outOfRange, silent, servicesChange
    case bluetoothOff, unplugged
    case daemonKilled, daemonHangs, busLost
    case otherDisconnects

    var fault: Fault {
        switch self {
        case .linkLost: .linkLost(nil, .timedOut)
        case .outOfRange: .deviceLeft(nil)
        case .silent: .deviceSilent(nil)
        case .servicesChange: .servicesChanged(nil)
        case .bluetoothOff: .adapterPowered(0, false)
        case .unplugged: .adapterUnplugged(0)
        case .daemonKilled: .daemonKilled
        case .daemonHangs: .daemonFrozen(for: .seconds(60))
        case .busLost: .busRestarted
        case .otherDisconnects: .otherProgramDisconnects(SimulatedDevice.gadgetAddress)
        }
    }

    /// The opposite of the fault, or `nil` if the fault ends by itself.
    var end: Fault? {
        switch self {
        case .outOfRange, .silent: .deviceReturned(nil)
        case .bluetoothOff: .adapterPowered(0, true)
        case .unplugged: .adapterPlugged(0)
        case .daemonKilled: .daemonStarted
        case .linkLost, .servicesChange, .daemonHangs, .busLost, .otherDisconnects: nil
        }
    }
}

/// An activity of a program that a fault interrupts.
struct Activity: Swift.Sendable {
    typealias Step = @Sendable (RehearsalStage) async throws -> Void

    /// Prepares the world.
    var prepare: Step = { _ in }
    /// The activity, which lasts until a fault ends it.
    let run: Step
    /// Whether the activity has begun; a thread begins at a real time.
    var isRunning: @Sendable (RehearsalStage) throws -> Bool = { _ in true }
    /// Replaces the fault of the world.
    var interrupt: @Sendable (RehearsalStage, Interruption) async throws -> Bool = { _, _ in false }
    /// Removes the obstacle that makes the activity last.
    var release: Step = { _ in }
    /// Succeeds once the same activity is possible again.
    let works: Step
}

/// What a program receives when a fault interrupts an activity.
enum InterruptedOutcome: Hashable, Swift.Sendable {
    case error(BluejayError.Code)
    /// The description of another end.
    case end(String)
    /// The activity continues.
    case nothing
}

/// What a program receives from a fault, and the longest times in seconds.
struct Expected: Swift.Sendable {
    let interruption: Interruption
    let received: InterruptedOutcome
    /// Another effect, which depends on the time of a thread.
    let alternative: InterruptedOutcome?
    /// The time from the fault until the program receives the error.
    let seconds: Int
    /// The time from the end of the fault until the activity works again.
    let secondsToWork: Int

    init(
        _ interruption: Interruption,
        _ received: InterruptedOutcome,
        or alternative: InterruptedOutcome? = nil,
        in seconds: Int = 1,
        works: Int
    ) {
        self.interruption = interruption
        self.received = received
        self.alternative = alternative
        self.seconds = seconds
        secondsToWork = works
    }
}

/// The end of an activity; used on the loop of its world only.
private final class ActivityEnd: @unchecked Swift.Sendable {
    var received: InterruptedOutcome?
}

extension Activity {
    /// Interrupts the activity, and compares what the program receives and when the activity works again.
    func check(_ expected: Expected) async throws {
        var options = SimulatorOptions()
        options.adapters = 1
        let world = try await TestWorld.make(options) { $0.add(.gadget()) }
        try await world.run {
            let stage = RehearsalStage(world)
            try await prepare(stage)
            try await withThrowingTaskGroup(of: Void.self) { group in
                let end = ActivityEnd()
                group.addTask { end.received = await effect(on: stage) }
                try await stage.sleep(2)
                try await stage.wait("the activity begins") { try isRunning(stage) }
                try await check(expected, end, stage)
                group.cancelAll()
            }
        }
    }

    private func effect(on stage: RehearsalStage) async -> InterruptedOutcome {
        do {
            try await run(stage)
            return .end("returns")
        } catch let error as Unhelpful {
            return .end(error.text)
        } catch let error as BluejayError {
            return .error(error.code)
        } catch {
            return .end("\(error)")
        }
    }

    private func check(
        _ expected: Expected,
        _ end: ActivityEnd,
        _ stage: RehearsalStage
    ) async throws {
        let clock = stage.world.clock
        let begun = clock.now
        if try await !interrupt(stage, expected.interruption) {
            try stage.apply(expected.interruption.fault)
        }
        for _ in 0..<1_000 where end.received == nil { try await stage.sleep(0.1) }
        let received = end.received ?? .nothing
        #expect(received == expected.received || received == expected.alternative)
        if expected.received != .nothing {
            #expect(begun.duration(to: clock.now) <= .seconds(expected.seconds))
        }
        if let fault = expected.interruption.end { try stage.apply(fault) }
        let ended = clock.now
        try await release(stage)
        for _ in 0..<300 {
            guard (try? await works(stage)) == nil else { break }
            try await stage.sleep(0.5)
        }
        #expect(ended.duration(to: clock.now) <= .seconds(expected.secondsToWork))
    }
}
