/// Where a script is: it gives its steps one by one, with the repeated ones in their place.
struct CentralScript {
    private struct Frame {
        let steps: [CentralStep]
        /// How many rounds there are besides this one; nil is for ever.
        var rounds: Int?
        var index = 0
        /// Whether this round has given a step.
        var isUsed = false
    }

    private var frames: [Frame]

    init(_ steps: [CentralStep]) {
        frames = [Frame(steps: steps, rounds: 0)]
    }

    /// The next step that is none of `repeat` and `forever`; nil at the end.
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

    // A round in which nothing was done would never end.
    private mutating func endRound(_ frame: Frame) {
        guard frame.isUsed, frame.rounds != 0 else { return }
        var next = frame
        next.index = 0
        next.isUsed = false
        next.rounds = frame.rounds.map { $0 - 1 }
        frames.append(next)
    }
}

/// The values of one characteristic that came to a central.
struct CentralInbox {
    private(set) var history = History<[UInt8]>()
    private var taken = 0

    /// How many have come that nobody took.
    var untaken: Int { history.count - taken }

    mutating func append(_ value: [UInt8]) {
        history.append(value)
    }

    /// Takes the oldest so many; what is no longer kept is passed over.
    mutating func take(_ count: Int) -> [[UInt8]] {
        let count = min(count, untaken)
        let kept = history.last.suffix(untaken)
        let gone = untaken - kept.count
        taken += count
        return Array(kept.prefix(max(0, count - gone)))
    }
}
