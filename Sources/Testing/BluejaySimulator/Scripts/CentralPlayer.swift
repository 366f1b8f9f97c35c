internal import BluejayGLib

/// Plays the scripts of a central in order, step by step.
///
/// The player decides when a step begins and how its script continues; the central performs the step.
final class CentralPlayer {
    enum AwaitedEvent {
        /// A connectable adapter: 1 is `hci1`, `nil` is any.
        case connection(adapter: Int?)
        case values(name: String, uuid: String, count: Int)
    }

    enum Pace {
        /// After a short delay, because the step may have taken no time.
        case afterPause
        /// In the next iteration of the loop, because the caller may not have finished.
        case immediately
        /// Immediately: the step ended while it was performed, and the loop of the player continues.
        case inProgress
    }

    private struct Step {
        let step: CentralStep
        let id: Int
        var awaitedEvent: AwaitedEvent?
        var timer: ScheduledTimer?
        /// The timer that fails the step.
        var timeoutTimer: ScheduledTimer?
        /// Whether the step fails when the link ends.
        var failsWithLink = false
    }

    private final class ScriptRun {
        var script: CentralScript
        var report = CentralReport()
        let completion: (CentralReport) -> Void

        init(script: CentralScript, completion: @escaping (CentralReport) -> Void) {
            self.script = script
            self.completion = completion
        }
    }

    /// Called when a step has ended, with its error if it failed.
    var onStep: ((CentralStep, CentralError?) -> Void)?
    /// Called with the name of the characteristic in a `read` step, and the value.
    var onRead: ((String, [UInt8]) -> Void)?

    private let perform: (CentralStep, SimulatedWorld) -> Void
    private weak var world: SimulatedWorld?
    private var runs: [ScriptRun] = []
    private var current: Step?
    private var lastStepID = 0
    /// The delay before the script continues.
    private var pause: ScheduledTimer?

    /// Creates a player without a world; `perform` starts a step.
    init(_ perform: @escaping (CentralStep, SimulatedWorld) -> Void) {
        self.perform = perform
    }

    /// Sets the world that provides the clock, or `nil` when the central has left its world.
    func join(_ world: SimulatedWorld?) {
        self.world = world
    }

    // MARK: Scripts

    func play(_ steps: [CentralStep], completion: @escaping (CentralReport) -> Void) {
        runs.append(ScriptRun(script: CentralScript(steps), completion: completion))
        if runs.count == 1 { continueOnNextIteration() }
    }

    func stop() {
        pause = nil
        let stopped = current
        current = nil
        if let stopped { recordResult(stopped.step, .failure(.stopped)) }
        let all = runs
        runs = []
        for play in all { play.completion(play.report) }
    }

    /// Continues in the next iteration of the loop, so that no script ends before `play` returns.
    func continueOnNextIteration() {
        guard current == nil, pause == nil, !runs.isEmpty else { return }
        pause = world?.clock.schedule(after: .zero) { [weak self] in self?.performSteps() }
    }

    /// Performs steps until one of them takes time.
    private func performSteps() {
        pause = nil
        var steps = 0
        while current == nil, pause == nil, let play = runs.first {
            guard steps < 1000 else { return pauseBeforeNextStep() }
            steps += 1
            guard let world else { return }
            guard let step = play.script.next() else {
                runs.removeFirst()
                play.completion(play.report)
                continue
            }
            lastStepID += 1
            current = Step(step: step, id: lastStepID)
            perform(step, world)
        }
    }

    private func pauseBeforeNextStep() {
        pause = world?.clock.schedule(after: RecordedDelays.request) { [weak self] in
            self?.performSteps()
        }
    }

    // MARK: The current step

    /// Identifies the current step; `nil` between two steps.
    var currentStepID: Int? { current?.id }
    var awaitedEvent: AwaitedEvent? { current?.awaitedEvent }
    /// Whether the current step continues after a scheduled delay.
    var isScheduled: Bool { current?.timer != nil }

    /// Makes the current step wait; `failed` is called at the limit.
    func wait(for waiting: AwaitedEvent, within timeout: Duration, onTimeout: @escaping () -> Void)
    {
        current?.awaitedEvent = waiting
        if case .connection = waiting { current?.failsWithLink = true }
        current?.timeoutTimer = world?.clock.schedule(after: timeout, onTimeout)
    }

    func endWait() {
        current?.awaitedEvent = nil
        current?.timeoutTimer = nil
    }

    /// Makes the current step fail if the link ends first.
    func failIfLinkEnds() {
        current?.failsWithLink = true
    }

    /// Continues the current step later, unless it has ended by then.
    func continueStep(_ delay: Duration, _ action: @escaping () -> Void) {
        current?.timer = world?.clock.schedule(after: delay) { [weak self] in
            self?.current?.timer = nil
            action()
        }
    }

    /// Ends the current step; `pace` determines when its script continues.
    func finish(_ result: Result<Void, CentralError>, _ pace: Pace = .afterPause) {
        guard let ended = current else { return }
        current = nil
        recordResult(ended.step, result)
        switch pace {
        case .afterPause: pauseBeforeNextStep()
        case .immediately: continueOnNextIteration()
        case .inProgress: break
        }
    }

    /// Ends the step with this number, unless it has already ended.
    func finish(stepID: Int, _ result: Result<Void, CentralError>) {
        guard current?.id == stepID else { return }
        finish(result)
    }

    /// Fails the current step if it needs the link that has ended.
    func linkEnded() {
        if current?.failsWithLink ?? false { finish(.failure(.lost)) }
    }

    // MARK: The report

    func recordValue(_ value: [UInt8]) {
        runs.first?.report.valueHistory.append(value)
    }

    func recordRead(_ value: [UInt8]) {
        runs.first?.report.readHistory.append(value)
        if case .read(let name)? = current?.step { onRead?(name, value) }
    }

    private func recordResult(_ step: CentralStep, _ result: Result<Void, CentralError>) {
        switch result {
        case .success: onStep?(step, nil)
        case .failure(let error):
            runs.first?.report.failureHistory.append(CentralFailure(step: step, error: error))
            onStep?(step, error)
        }
    }
}
