import CallbackStage

extension Owner {
    /// Plays a step, and calls `end` when all its completions have been called.
    package func play(_ step: Step, _ end: @escaping @Sendable () -> Void) {
        endStep = end
        openCount += 1
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

    func ended(_ kind: String) {
        count(kind)
        openCount -= 1
        guard openCount == 0 else { return }
        endStep?()
        endStep = nil
    }
}
