import BluejayDBus
import BluejayGLib
import BluejaySimulator

/// Plays one schedule of a product, and checks the rules of all products.
// Used on the loop of the world only, which justifies `@unchecked`.
final class Playback<P: ScheduledProduct>: @unchecked Swift.Sendable {
    private let schedule: Schedule<P.Call>
    private let stage: Stage
    private let baseline: [String: Int]
    private var product: P?

    /// The simulated time in which every call must end after the last fault.
    private static var patience: Duration { .seconds(200) }
    /// The simulated time in which bluetoothd ends links and removes objects.
    private static var settling: Duration { .milliseconds(5_500) }
    /// The time after which a call counts as unanswered, and Bluetooth as available again.
    private static var replyTimeout: Duration { .seconds(40) }
    private static var longSettling: Duration { .seconds(70) }

    private var ledger: Ledger { stage.ledger }

    init(_ schedule: Schedule<P.Call>, on stage: Stage, baseline: [String: Int]) {
        self.schedule = schedule
        self.stage = stage
        self.baseline = baseline
    }

    func run() async throws -> Ledger {
        stage.reset()
        let blueZ = try stage.blueZ
        Strangers.enter(blueZ, P.self)
        product = P(stage, users: schedule.userCount)
        blueZ.play(schedule.faults)
        for step in schedule.steps {
            if step.pause > .zero { await stage.pass(step.pause) }
            try perform(step.action)
        }
        try await endFaults()
        await endCalls("does not end after the last fault", endless: false)
        if ledger.pendingCalls(endless: false).isEmpty { await probe() }
        product?.release()
        product = nil
        await endCalls("does not end with its user", endless: true)
        try await checkLeftovers()
        return ledger
    }

    private func perform(_ action: Step<P.Call>.Action) throws {
        switch action {
        case .call(let user, let call): product?.perform(call, by: user)
        case .callInside(let user, let call):
            ledger.callInside(nextCompletionOf: user) { [weak self] in
                self?.product?.perform(call, by: user)
            }
        case .stranger(let action):
            ledger.record("stranger: \(action)")
            Strangers.perform(action, in: try stage.blueZ, stage)
        }
    }

    private func endFaults() async throws {
        ledger.record("everything works again")
        let blueZ = try stage.blueZ
        Strangers.leave(blueZ)
        // A central that leaves during its request crashes bluetoothd 5 s later.
        await stage.pass(Self.settling)
        blueZ.endFaults()
        for method in P.methods { blueZ.apply(.callsReleased(method)) }
        for _ in 0..<100 where !blueZ.isWhole { await stage.pass(.milliseconds(200)) }
        Strangers.enter(blueZ, P.self)
        ledger.forgetInsideCalls()
        product?.endEndlessCalls()
    }

    private func endCalls(_ rule: String, endless: Bool) async {
        guard await !stage.becomesQuiet(within: Self.patience, endless: endless) else { return }
        for call in ledger.pendingCalls(endless: endless) {
            ledger.violate("\(call.kind) \(rule)", call.text)
        }
    }

    private func probe() async {
        await stage.pass(schedule.faults.events.isEmpty ? Self.settling : Self.replyTimeout)
        stage.start("the probe", by: 99) { [weak self] in
            do {
                try await self?.product?.probe()
                return "ok"
            } catch {
                self?.ledger.violate("the product does not work afterwards", "\(error)")
                throw error
            }
        }
        await endCalls("does not end", endless: false)
    }

    private func checkLeftovers() async throws {
        let blueZ = try stage.blueZ
        Strangers.leave(blueZ)
        var left = try await leftovers(after: Self.settling)
        if !left.isEmpty { left = try await leftovers(after: Self.longSettling) }
        for (kind, count) in left.sorted(by: { $0.key < $1.key }) {
            ledger.violate("\(kind) left", "\(count)")
        }
        blueZ.forgetDevices()
    }

    private func leftovers(after time: Duration) async throws -> [String: Int] {
        await stage.pass(time)
        var left = try stage.blueZ.heldResources
        for (kind, count) in await stage.busResources() {
            left[kind] = count - baseline[kind, default: 0]
        }
        for name in stage.remaining { left[name, default: 0] += 1 }
        return left.filter { $0.value > 0 }
    }
}

/// The devices and centrals that belong to nobody.
enum Strangers {
    static func centralAddress(_ number: Int) -> String { "C0:00:00:00:00:0\(1 + number)" }
    static func deviceAddress(_ number: Int) -> String { "C0:00:00:00:01:0\(1 + number)" }
    /// The number of centrals in every world.
    private static let centralCount = 3

    static func enter<P: ScheduledProduct>(_ blueZ: SimulatedBlueZ, _ product: P.Type) {
        for number in 0..<centralCount {
            blueZ.add(SimulatedCentral(address: centralAddress(number)))
        }
        P.addDevices(to: blueZ)
    }

    static func leave(_ blueZ: SimulatedBlueZ) {
        for central in blueZ.centrals { blueZ.remove(central) }
        blueZ.apply(.deviceLeft(nil))
    }

    static func perform(_ action: StrangerAction, in blueZ: SimulatedBlueZ, _ stage: Stage) {
        let ledger = stage.ledger
        func central(_ number: Int) -> SimulatedCentral? {
            blueZ.central(centralAddress(number))
        }
        func device(_ number: Int) -> SimulatedDevice? { blueZ.device(deviceAddress(number)) }
        switch action {
        case .centralPlays(let number, let steps):
            central(number)?.play(steps) { report in
                ledger.record("central \(number): \(report.reads) \(report.failures)")
            }
        case .centralLeaves(let number): central(number)?.leaveRange()
        case .centralReturns(let number): central(number)?.returnToRange()
        case .centralAccepts(let number, let values): central(number)?.takesValues = values
        case .centralWritesNumbers(let number, let count, let name):
            let writes = (0..<count).map { _ in
                CentralStep.write(name, Stage.bytes(stage.nextNumber()))
            }
            central(number)?.play([.connectTo(adapter: 0, within: .seconds(5))] + writes) { _ in }
        case .deviceSends(let number, let value, let name): device(number)?.send(value, on: name)
        case .deviceSendsNumbers(let number, let count, let name):
            for _ in 0..<count {
                device(number)?.send(Stage.bytes(stage.nextNumber()), on: name)
            }
        case .deviceAnswersWrites(let number, let frames, let name):
            guard let device = device(number) else { return }
            device.setBehavior(answer(frames, by: device, on: name, stage), of: name)
        case .deviceDropsLink(let number): device(number)?.dropLink()
        case .deviceLeaves(let number): device(number)?.leaveRange()
        case .deviceReturns(let number): device(number)?.returnToRange()
        case .deviceStopsResponding(let number): device(number)?.stopResponding()
        case .deviceChangesServices(let number): device(number)?.registerServicesAgain()
        case .deviceBehaves(let number, let behavior, let name):
            device(number)?.setBehavior(behavior.scripted, of: name)
        case .deviceOpensChannel(let number, let psm, let script):
            device(number)?.openChannel(to: psm, script)
        }
    }

    private static func answer(
        _ frames: [[UInt8]],
        by device: SimulatedDevice,
        on name: String,
        _ stage: Stage
    ) -> ScriptedBehavior {
        let reference = UncheckedTransfer(device)
        return .decides { write in
            // After the response to the write.
            stage.after(.milliseconds(5)) {
                for frame in frames {
                    let header = write.dropFirst().prefix(4)
                    let answer = Array(frame.prefix(1)) + header + Array(frame.dropFirst(5))
                    reference.value.send(answer, on: name)
                }
            }
            return nil
        }
    }
}
