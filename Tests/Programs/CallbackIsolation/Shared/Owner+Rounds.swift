import CallbackStage

extension Owner {
    /// Plays a step, and calls `end` when all its completions have been called.
    package func play(_ step: Step, _ end: @escaping @Sendable () -> Void) {
        endStep = end
        begin(["steps": 1])
        switch step {
        case .begin:
            beginCentral()
            beginServer()
            beginChannels()
        case .round:
            number += 1
            playCentral()
            playServer()
            playChannels()
        case .end:
            endCentral()
            endServer()
        }
        ended("steps")
    }

    /// The number of calls of each kind.
    package var totals: [String: Int] { counts }

    /// The completions that the step still waits for.
    package var missing: [String: Int] { open }

    /// Adds completions to the step.
    ///
    /// A later call of the step may have called one already: a removal ends the registration it removes.
    func begin(_ kinds: [String: Int]) {
        for (kind, number) in kinds { add(number, of: kind) }
    }

    private func add(_ number: Int, of kind: String) {
        let sum = open[kind, default: 0] + number
        open[kind] = sum == 0 ? nil : sum
    }

    func ended(_ kind: String) {
        count(kind)
        add(-1, of: kind)
        guard open.isEmpty else { return }
        endStep?()
        endStep = nil
    }
}
