/// The position in a script: returns its steps one by one, with repetitions expanded.
struct CentralScript {
    private struct Frame {
        let steps: [CentralStep]
        /// The remaining rounds after this one; `nil` means forever.
        var rounds: Int?
        var index = 0
        /// Whether this round has returned a step.
        var isUsed = false
    }

    private var frames: [Frame]

    init(_ steps: [CentralStep]) {
        frames = [Frame(steps: steps, rounds: 0)]
    }

    /// Returns the next step other than `repeat` and `forever`, or `nil` at the end.
    mutating func next() -> CentralStep? {
        while var frame = frames.popLast() {
            guard frame.index < frame.steps.count else {
                endRound(frame)
                continue
            }
            let step = frame.steps[frame.index]
            frame.index += 1
            frames.append(frame)
            switch step {
            case .repeat(let steps, let times):
                if times > 0 { frames.append(Frame(steps: steps, rounds: times - 1)) }
            case .forever(let steps): frames.append(Frame(steps: steps, rounds: nil))
            default:
                for index in frames.indices { frames[index].isUsed = true }
                return step
            }
        }
        return nil
    }

    // Repeating a round without steps would never end.
    private mutating func endRound(_ frame: Frame) {
        guard frame.isUsed, frame.rounds != 0 else { return }
        var next = frame
        next.index = 0
        next.isUsed = false
        next.rounds = frame.rounds.map { $0 - 1 }
        frames.append(next)
    }
}
