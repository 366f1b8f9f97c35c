internal import BluejayGLib

/// Plays the scripts of a central in order, step by step.
///
/// The player decides when a step begins and how its script continues; the central performs the step.
final class CentralPlayer {
    enum Waiting {
        /// A connectable adapter: 1 is `hci1`, `nil` is any.
        case connection(adapter: Int?)
        case values(name: String, uuid: String, count: Int)
    }

    enum Pace {
        /// After a short delay, because the step may have taken no time.
        case restsFirst
        /// In the next iteration of the loop, because the caller may not have finished.
        case goesOn
        /// Immediately: the step ended while it was performed, and the loop of the player continues.
        case isGoingOn
    }

    private struct Step {
        let step: CentralStep
        let number: Int
        var waiting: Waiting?
        var timer: ScheduledTimer?
        /// The timer that fails the step.
        var limit: ScheduledTimer?
        /// Whether the step fails when the link ends.
        var endsWithLink = false
    }

    private final class Play {
        var script: CentralScript
        var report = CentralReport()
        let done: (CentralReport) -> Void

        init(script: CentralScript, done: @escaping (CentralReport) -> Void) {
            self.script = script
            self.done = done
        }
    }

    /// Called when a step has ended, with its error if it failed.
    var onStep: ((CentralStep, CentralError?) -> Void)?
    /// Called with the name of the characteristic in a `read` step, and the value.
    var onRead: ((String, [UInt8]) -> Void)?

    private let perform: (CentralStep, SimulatedBlueZ) -> Void
    private weak var world: SimulatedBlueZ?
    private var plays: [Play] = []
    private var current: Step?
    private var lastStep = 0
    /// The delay before the script continues.
    private var pause: ScheduledTimer?

    /// Creates a player without a world; `perform` starts a step.
    init(_ perform: @escaping (CentralStep, SimulatedBlueZ) -> Void) {
        self.perform = perform
    }

    /// Sets the world that provides the clock, or `nil` when the central has left its world.
    func join(_ world: SimulatedBlueZ?) {
        self.world = world
    }

    // MARK: Scripts

    func play(_ steps: [CentralStep], done: @escaping (CentralReport) -> Void) {
        plays.append(Play(script: CentralScript(steps), done: done))
        if plays.count == 1 { begin() }
    }

    func stop() {
        pause = nil
        let stopped = current
        current = nil
        if let stopped { note(stopped.step, .failure(.stopped)) }
        let all = plays
        plays = []
        for play in all { play.done(play.report) }
    }

    /// Continues in the next iteration of the loop, so that no script ends before `play` returns.
    func begin() {
        guard current == nil, pause == nil, !plays.isEmpty else { return }
        pause = world?.clock.schedule(after: .zero) { [weak self] in self?.goOn() }
    }

    /// Performs steps until one of them takes time.
    private func goOn() {
        pause = nil
        var steps = 0
        while current == nil, pause == nil, let play = plays.first {
            guard steps < 1000 else { return rest() }
            steps += 1
            guard let world else { return }
            guard let step = play.script.next() else {
                plays.removeFirst()
                play.done(play.report)
                continue
            }
            lastStep += 1
            current = Step(step: step, number: lastStep)
            perform(step, world)
        }
    }

    private func rest() {
        pause = world?.clock.schedule(after: RecordedDelays.request) { [weak self] in self?.goOn() }
    }

    // MARK: The current step

    /// Identifies the current step; `nil` between two steps.
    var number: Int? { current?.number }
    var waiting: Waiting? { current?.waiting }
    /// Whether the current step continues after a scheduled delay.
    var isScheduled: Bool { current?.timer != nil }

    /// Makes the current step wait; `failed` is called at the limit.
    func wait(for waiting: Waiting, within limit: Duration, failed: @escaping () -> Void) {
        current?.waiting = waiting
        if case .connection = waiting { current?.endsWithLink = true }
        current?.limit = world?.clock.schedule(after: limit, failed)
    }

    func endWait() {
        current?.waiting = nil
        current?.limit = nil
    }

    /// Makes the current step fail if the link ends first.
    func failWithLink() {
        current?.endsWithLink = true
    }

    /// Continues the current step later, unless it has ended by then.
    func later(_ delay: Duration, _ action: @escaping () -> Void) {
        current?.timer = world?.clock.schedule(after: delay) { [weak self] in
            self?.current?.timer = nil
            action()
        }
    }

    /// Ends the current step; `pace` determines when its script continues.
    func finish(_ result: Result<Void, CentralError>, _ pace: Pace = .restsFirst) {
        guard let ended = current else { return }
        current = nil
        note(ended.step, result)
        switch pace {
        case .restsFirst: rest()
        case .goesOn: begin()
        case .isGoingOn: break
        }
    }

    /// Ends the step with this number, unless it has already ended.
    func finish(number: Int, _ result: Result<Void, CentralError>) {
        guard current?.number == number else { return }
        finish(result)
    }

    /// Fails the current step if it needs the link that has ended.
    func linkEnded() {
        if current?.endsWithLink ?? false { finish(.failure(.lost)) }
    }

    // MARK: The report

    func noteTaken(_ value: [UInt8]) {
        plays.first?.report.valueHistory.append(value)
    }

    func noteRead(_ value: [UInt8]) {
        plays.first?.report.readHistory.append(value)
        if case .read(let name)? = current?.step { onRead?(name, value) }
    }

    private func note(_ step: CentralStep, _ result: Result<Void, CentralError>) {
        switch result {
        case .success: onStep?(step, nil)
        case .failure(let error):
            plays.first?.report.failureHistory.append(CentralFailure(step: step, error: error))
            onStep?(step, error)
        }
    }
}
