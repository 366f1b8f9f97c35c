import TestSupport

@testable import BluejayGATTServer

/// Plays bluetoothd and a user for an `AdvertisingStateMachine`, at random.
struct AdvertisingGame {
    private var machine = AdvertisingStateMachine<String>()
    private var random: SeededGenerator
    /// Registrations that bluetoothd has not answered, and accepted ones.
    private var pending: [Int] = []
    private var taken: [Int] = []
    private var asked: [Int] = []
    private var updates: Set<Int> = []
    private var lastUpdate = 0
    private var stops = 0
    private var isBegun = false
    private var isDisposed = false
    private(set) var problems: [String] = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    mutating func play() {
        take(machine.start())
        for _ in 0..<120 {
            machine.hasRoom = chance(2)
            step()
        }
        stops += 1
        take(machine.stop())
        while !pending.isEmpty || !taken.isEmpty, problems.isEmpty { letGo() }
        check(stops == 0, "\(stops) stops pending")
        check(updates.isEmpty, "updates \(updates) pending")
        check(isBegun, "start not completed")
        check(isDisposed, "not disposed of")
    }

    private mutating func step() {
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1: take(machine.connected())
        case 2: take(machine.retry())
        case 3, 4:
            lastUpdate += 1
            updates.insert(lastUpdate)
            take(machine.update(lastUpdate))
        case 5 where chance(15):
            stops += 1
            take(machine.stop())
        case 6 where chance(10): end()
        case 7: letGo()
        case 8: machine.lost(taken.randomElement(using: &random) ?? 0)
        default: answer()
        }
    }

    private mutating func answer() {
        guard let one = pending.randomElement(using: &random) else { return }
        pending.removeAll { $0 == one }
        if asked.contains(one) || chance(3) {
            take(machine.removed(one))
            take(machine.started(one, "no", isFull: chance(2)))
        } else {
            taken.append(one)
            take(machine.started(one, nil))
        }
    }

    private mutating func letGo() {
        guard let one = asked.first else { return answer() }
        asked.removeAll { $0 == one }
        guard pending.contains(one) || taken.contains(one) else { return }
        pending.removeAll { $0 == one }
        taken.removeAll { $0 == one }
        take(machine.removed(one))
    }

    private mutating func end() {
        guard let one = taken.randomElement(using: &random), !asked.contains(one) else { return }
        taken.removeAll { $0 == one }
        take(machine.removed(one))
        take(machine.ended(one, chance(2) ? nil : "refused"))
    }

    private mutating func take(_ actions: [AdvertisingStateMachine<String>.Action]) {
        for action in actions {
            switch action {
            case .register(let one, _): pending.append(one)
            case .withdraw(let one):
                check(pending.contains(one) || taken.contains(one), "withdrew nothing")
                asked.append(one)
            case .completeStart:
                check(!isBegun, "start completed twice")
                isBegun = true
            case .completeUpdate(let one, _):
                check(updates.remove(one) != nil, "update \(one) completed twice")
            case .reportEnded: check(machine.isEnded, "active after its end")
            case .completeStop:
                stops -= 1
                check(stops >= 0, "stop completed twice")
            case .dispose:
                check(!isDisposed, "disposed of twice")
                check(pending.isEmpty && taken.isEmpty, "registrations remain")
                isDisposed = true
            }
        }
        // Two registrations of one advertisement exist only during a change.
        check(pending.count + taken.count - Set(asked).count <= 2, "too many registrations")
    }

    private mutating func chance(_ one: Int) -> Bool {
        Int.random(in: 0..<one, using: &random) == 0
    }

    private mutating func check(_ holds: Bool, _ problem: String) {
        if !holds { problems.append(problem) }
    }
}
