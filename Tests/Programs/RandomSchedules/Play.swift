import Bluejay
import BluejaySimulator
import Foundation

struct Outcome: Swift.Sendable {
    var violations: [Violation]
    var story: [String]
}

/// A weak reference to an instance.
// It is only compared: the invariant behind `@unchecked`.
final class Witness: @unchecked Swift.Sendable {
    let name: String
    private(set) weak var instance: Bluejay?

    init(_ name: String, _ instance: Bluejay?) {
        self.name = name
        self.instance = instance
    }
}

/// Plays one schedule in a lane.
final class Play {
    private let schedule: Schedule
    private let lane: Lane
    private let ledger: Ledger
    private var players: [Player] = []
    private var witnesses: [Witness] = []

    /// The number of checks, ten milliseconds apart, before a missing event is reported.
    private let patience: Int
    /// The number of checks before operations without an end are cancelled.
    private static let patienceWithTheEndless = 30

    init(_ schedule: Schedule, in lane: Lane, ledger: Ledger, patience: Int = 400) {
        self.patience = patience
        self.schedule = schedule
        self.lane = lane
        self.ledger = ledger
    }

    func run() async -> Outcome {
        let census = lane.isAlone ? Census() : nil
        await lane.reset(connectsDespiteDisconnect: schedule.connectsDespiteDisconnect)
        await makePlayers()
        if schedule.startsConnected { await connect() }
        for step in schedule.steps { await perform(step) }
        await restoreWorld()
        await endByThemselves()
        await endByCancelling()
        await work()
        await release()
        await checkForLeftovers(census)
        await workForAnother()
        let (violations, story) = ledger.report()
        return Outcome(violations: violations, story: story)
    }

    private func makePlayers() async {
        let (own, second) = (Ring("own \(lane.number)"), Ring("second \(lane.number)"))
        for (number, place) in schedule.players.enumerated() {
            let loop =
                switch place {
                case .sharedLoop: lane.sharedLoop
                case .ownLoop: own.loop
                case .secondLoop: second.loop
                }
            let player = await make(playerName(number), on: loop)
            players.append(player)
            witnesses.append(await loop.perform { Witness(player.name, player.bluejay) })
        }
    }

    private func make(_ name: String, on loop: MainLoop) async -> Player {
        let (ledger, bus) = (ledger, lane.system.busAddress)
        let peers = Lane.addresses.prefix(schedule.peers).map { PeripheralIdentifier.known($0) }
        return await loop.perform {
            let player = Player(name, on: loop, bus: bus, peers: peers, ledger: ledger)
            player.bluejay?.start()
            player.observe()
            return player
        }
    }

    private func connect() async {
        for player in players {
            await player.loop.perform { player.perform(.connect(peer: 0, limit: 2_000)) }
        }
        _ = await becomesTrue { ledger.pending(bounded: true).isEmpty }
    }

    // MARK: Steps

    private func perform(_ step: Step) async {
        switch step.pause {
        case .nothing: break
        case .iteration:
            for player in players { await player.loop.perform {} }
        case .milliseconds(let count): await lane.clock.pass(milliseconds: count)
        }
        switch step.action {
        case .call(let number, let call):
            let player = players[number]
            player.loop.post { player.perform(call) }
        case .callInside(let number, let call):
            let player = players[number]
            player.loop.post { player.performInside(call) }
        case .callInLines(let number, let call, let every, let times):
            let player = players[number]
            player.loop.post {
                player.performInLines(CallInLines(call, every: every, times: times))
            }
        case .mishap(let mishap):
            ledger.record("world: \(mishap)")
            await lane.perform(mishap)
        }
    }

    private func restoreWorld() async {
        ledger.record("world: everything works again")
        await lane.restore(
            peers: schedule.peers,
            services: schedule.has { if case .mishap(.removeService) = $0 { true } else { false } },
            links: dropsLinks
        )
    }

    /// Whether a request may stay unanswered, which must end its link.
    private var dropsLinks: Bool {
        schedule.has { action in
            switch action {
            case .mishap(.stopResponding), .mishap(.behavior(_, _, .isSilent)): true
            default: false
            }
        }
    }

    // MARK: The end

    /// Waits until bounded operations end, with everything working and no scan active.
    private func endByThemselves() async {
        var rounds = 0
        let isDone = await becomesTrue {
            rounds += 1
            for player in players {
                let patience = rounds > Self.patienceWithTheEndless
                await player.loop.perform { player.cancelEndlessCalls(alsoConnections: patience) }
            }
            return ledger.pending(bounded: true).isEmpty
        }
        guard !isDone else { return }
        for pending in ledger.pending(bounded: true) {
            ledger.violate("\(pending.kind): does not end", pending.what)
        }
    }

    private func endByCancelling() async {
        for player in players {
            await player.loop.perform {
                player.calmDown()
                player.perform(.cancelEverything(disconnects: true))
            }
        }
        let isDone = await becomesTrue {
            for player in players where await player.loop.perform({ !player.state.isEmpty }) {
                return false
            }
            return ledger.pending(bounded: true).isEmpty
                && ledger.pending(bounded: false).isEmpty
        }
        guard !isDone else { return }
        for pending in ledger.pending(bounded: true) + ledger.pending(bounded: false) {
            ledger.violate("\(pending.kind): cancelEverything does not end it", pending.what)
        }
        for player in players {
            let state = await player.loop.perform { player.state }
            if !state.isEmpty {
                ledger.violate("the state after cancelEverything is \(state)", player.name)
            }
        }
    }

    /// Verifies that the instances still work after the schedule.
    private func work() async {
        for player in players { await work(player, "afterwards") }
    }

    /// Verifies that a new instance on the shared loop works.
    private func workForAnother() async {
        // The instance must discover the peripheral.
        await lane.forgetDevices()
        let player = await make("Z", on: lane.sharedLoop)
        await work(player, "in another instance afterwards")
        await player.loop.perform { player.release(elsewhere: false) }
    }

    private func work(_ player: Player, _ when: String) async {
        let isThere = await player.loop.perform {
            player.endListens("the end")
            player.bluejay?.start()
            return player.bluejay != nil
        }
        guard isThere else { return }
        // The instance may still be reading the state of bluetoothd; a user waits for
        // `bluetoothAvailable(true)`, too.
        _ = await becomesTrue {
            await player.loop.perform { player.bluejay?.isBluetoothAvailable != false }
        }
        guard let failure = await failure(player) else { return }
        // A link may be ending: its last request was never answered, or an instance on another loop and bus
        // connection releases it.
        if dropsLinks || Set(schedule.players).count > 1 {
            await player.loop.perform { player.bluejay?.cancelEverything() }
            _ = await becomesTrue { await player.loop.perform { player.state.isEmpty } }
            guard await self.failure(player) != nil else { return }
        }
        for line in await lane.state() { ledger.record("state: \(line)") }
        ledger.violate("\(when) \(failure)", player.name)
    }

    /// Connects, reads and disconnects; returns `nil` on success.
    private func failure(_ player: Player) async -> String? {
        let calls: [Call] = [
            .connect(peer: 0, limit: 3_000), .read(.location, limit: nil),
            .disconnect(immediate: false),
        ]
        for call in calls {
            let result = await result(of: call, by: player)
            if result != "ok" { return "\(call.name) fails: \(result)" }
        }
        return nil
    }

    private func result(of call: Call, by player: Player) async -> String {
        let before = ledger.count
        await player.loop.perform { player.perform(call) }
        _ = await becomesTrue { ledger.hasEnded(before) }
        return ledger.result(before) ?? "the call does not complete"
    }

    private func release() async {
        for player in players { await player.loop.perform { player.release(elsewhere: false) } }
        // In half of the schedules the loops end with the instances.
        if schedule.seed.isMultiple(of: 2) { players = [] }
        _ = await becomesTrue {
            ledger.pending(bounded: true).isEmpty && ledger.pending(bounded: false).isEmpty
        }
        for pending in ledger.pending(bounded: true) + ledger.pending(bounded: false) {
            ledger.violate("\(pending.kind): never ends", pending.what)
        }
        players = []
        _ = await becomesTrue { witnesses.allSatisfy { $0.instance == nil } }
        for witness in witnesses where witness.instance != nil {
            ledger.violate("an instance remains", witness.name)
        }
    }

    private func checkForLeftovers(_ census: Census?) async {
        var left: [Violation] = []
        _ = await becomesTrue {
            left = await lane.leftovers()
            if let census { left += Census().more(than: census) }
            return left.isEmpty
        }
        // A connection that was handed over and not claimed stays at bluetoothd.
        let mayLeave = schedule.has { action in
            switch action {
            case .call(_, .stop), .callInside(_, .stop), .callInLines(_, .stop, _, _): true
            default: false
            }
        }
        for violation in left where !(mayLeave && violation.kind == Lane.leftoverLink) {
            ledger.violate(violation.kind, violation.detail)
        }
    }

    /// Polls a condition that no event reports, with a pause that leaves the processor to the players.
    private func becomesTrue(_ isSo: () async -> Bool) async -> Bool {
        for _ in 0..<patience {
            // A slow loop gets its turn.
            for player in players { await player.loop.perform {} }
            if await isSo() { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }
}

/// A loop that is created on first use.
private final class Ring {
    private let name: String
    private var made: MainLoop?

    init(_ name: String) { self.name = name }

    var loop: MainLoop {
        let loop = made ?? MainLoop(threadName: name)
        made = loop
        return loop
    }
}
