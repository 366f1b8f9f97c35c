import BluejaySimulator

/// The calls, the strangers and the faults of one product as a value: equal seeds make equal schedules.
struct Schedule<Call: ProductCall>: Swift.Sendable {
    var userCount: Int
    var steps: [Step<Call>]
    var faults: FaultSchedule
}

/// A call of a user as a value.
protocol ProductCall: Swift.Sendable {
    /// The call as in the source.
    var text: String { get }
}

extension ProductCall {
    var text: String { "\(self)" }
}

/// An action after a pause in simulated time.
struct Step<Call: ProductCall>: Swift.Sendable {
    enum Action: Swift.Sendable {
        case call(user: Int, Call)
        /// A call inside the next completion of the user.
        case callInside(user: Int, Call)
        case stranger(StrangerAction)
    }

    var pause: Duration
    var action: Action

    var line: String {
        let pause = pause > .zero ? "(\(pause)) " : ""
        switch action {
        case .call(let user, let call): return "\(pause)user \(user): \(call.text)"
        case .callInside(let user, let call):
            return "\(pause)user \(user), in its next completion: \(call.text)"
        case .stranger(let action): return "\(pause)stranger: \(action)"
        }
    }
}

/// The action of a device or a central that belongs to nobody.
enum StrangerAction: Swift.Sendable {
    case centralPlays(Int, [CentralStep])
    case centralLeaves(Int)
    case centralReturns(Int)
    case centralAccepts(Int, values: Bool)
    /// Writes the next numbers of the schedule, one after the other.
    case centralWritesNumbers(Int, count: Int, to: String)
    case deviceSends(Int, [UInt8], on: String)
    /// Sends the next numbers of the schedule.
    case deviceSendsNumbers(Int, count: Int, on: String)
    /// Answers each later write by the frames, with the bytes 1 to 4 of the write in place of theirs.
    case deviceAnswersWrites(Int, [[UInt8]], on: String)
    case deviceDropsLink(Int)
    case deviceLeaves(Int)
    case deviceReturns(Int)
    case deviceStopsResponding(Int)
    case deviceChangesServices(Int)
    case deviceBehaves(Int, Behavior, of: String)
    case deviceOpensChannel(Int, psm: UInt16, ScriptedChannel)

    enum Behavior: Swift.Sendable {
        case returns([UInt8]), echoes, refuses(UInt8), neverReplies, disconnects
        case repliesLate([UInt8])

        var scripted: ScriptedBehavior {
            switch self {
            case .returns(let value): .value(value)
            case .echoes: .echoes([7])
            case .refuses(let code): .refuses(code)
            case .neverReplies: .neverReplies
            case .disconnects: .disconnects
            case .repliesLate(let value): .repliesLate(value, afterSeconds: 3)
            }
        }
    }
}

extension Schedule {
    init<P: ScheduledProduct>(_ product: P.Type, seed: UInt64) where P.Call == Call {
        var dice = Dice(seed)
        let userCount = 1 + dice.below(P.maximumUserCount)
        self.userCount = userCount
        steps = P.opening(users: userCount)
        let count = 5 + dice.below(20)
        var length = Duration.zero
        for _ in 0..<count {
            let pause: Duration = dice.pick([
                (8, .zero), (4, .milliseconds(1)), (6, dice.milliseconds(upTo: 100)),
                (4, dice.milliseconds(upTo: 1_000)), (2, dice.milliseconds(upTo: 8_000)),
            ])
            length += pause
            let action: Step<Call>.Action = dice.pick([
                (6, .call(user: dice.below(userCount), P.call(&dice))),
                (1, .callInside(user: dice.below(userCount), P.call(&dice))),
                (4, .stranger(P.stranger(&dice))),
            ])
            steps.append(Step(pause: pause, action: action))
        }
        faults = dice.faults(of: P.methods, within: length)
    }

    /// Returns the schedule with only some of its steps and faults, by their numbers.
    func keeping(steps kept: [Int]?, faults keptFaults: [Int]?) -> Schedule {
        var shorter = self
        if let kept { shorter.steps = kept.filter(steps.indices.contains).map { steps[$0] } }
        if let keptFaults {
            shorter.faults.events = keptFaults.filter(faults.events.indices.contains).map {
                faults.events[$0]
            }
        }
        return shorter
    }

    /// The description of the schedule: its steps in lines, and its faults as JSON.
    var lines: [String] {
        steps.map(\.line)
            + (faults.events.isEmpty
                ? [] : faults.json.split(separator: "\n").map { "faults: \($0)" })
    }
}
