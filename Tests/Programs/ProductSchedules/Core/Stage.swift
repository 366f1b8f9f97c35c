import BluejayDBus
import BluejayGLib
import BluejaySimulator
import BluejayTesting

/// A world on which schedules are played one after the other.
// Used on the loop of the world only, which justifies `@unchecked`.
final class Stage: @unchecked Swift.Sendable {
    let world: TestWorld
    private(set) var ledger = Ledger()
    let clock: any EventClock
    let executor: ContextExecutor
    private let machineClock: MainContextClock
    private var realTimer: ScheduledTimer?
    private let control: BusConnection
    private var timers: [ScheduledTimer] = []
    private var witnesses: [Witness] = []
    private var lastValue: UInt32 = 0

    private final class Witness {
        let name: String
        weak var object: AnyObject?

        init(_ name: String, _ object: AnyObject) {
            self.name = name
            self.object = object
        }
    }

    init(_ world: TestWorld) throws {
        self.world = world
        clock = world.mainLoop.context.makeClock()
        machineClock = MainContextClock(on: world.mainLoop.context)
        executor = ContextExecutor(world.mainLoop.context)
        control = try BusConnection(.address(world.busAddress), on: world.mainLoop.context)
    }

    func reset() {
        ledger = Ledger()
        let start = clock.now
        ledger.now = { [clock] in clock.now - start }
        timers = []
        witnesses = []
        lastValue = 0
    }

    var blueZ: SimulatedBlueZ {
        get throws { try world.perform { UncheckedTransfer($0) }.value }
    }

    // MARK: Values

    func nextNumber() -> UInt32 {
        lastValue += 1
        return lastValue
    }

    private static let mark: [UInt8] = [0x4E, 0x4F]

    /// Returns a number in a form that no random value of a stranger has.
    static func bytes(_ number: UInt32) -> [UInt8] {
        mark + (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    /// Returns the number of a value, or `nil` for another value.
    static func number(_ bytes: some Sequence<UInt8>) -> UInt32? {
        let bytes = Array(bytes)
        guard bytes.count == 6, Array(bytes.prefix(2)) == mark else { return nil }
        return bytes.dropFirst(2).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    // MARK: Time

    func after(_ delay: Duration, _ work: @escaping () -> Void) {
        timers.append(clock.schedule(after: delay, work))
    }

    func pass(_ time: Duration) async { await pass(time, on: clock) }

    /// Waits for other threads, for which virtual time does not wait.
    func passMachineTime(_ time: Duration) async { await pass(time, on: machineClock) }

    private func pass(_ time: Duration, on clock: any EventClock) async {
        var timer: ScheduledTimer?
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            timer = clock.schedule(after: time) { continuation.resume() }
        }
        withExtendedLifetime(timer) {}
    }

    /// Waits for a state that no event reports.
    func wait(for what: String, until isSo: () -> Bool) async throws {
        for _ in 0..<60 {
            if isSo() { return }
            await pass(.seconds(1))
        }
        throw ProbeError.noEvent(what)
    }

    /// Returns whether all calls end within this time.
    func becomesQuiet(within limit: Duration, endless: Bool) async -> Bool {
        var timer: ScheduledTimer?
        let isQuiet = await withCheckedContinuation {
            (continuation: CheckedContinuation<Bool, Never>) in
            var isOver = false
            func end(_ isQuiet: Bool) {
                guard !isOver else { return }
                isOver = true
                continuation.resume(returning: isQuiet)
            }
            timer = clock.schedule(after: limit) { [self] in
                // A thread of a background task may not have had a processor yet.
                realTimer = machineClock.schedule(after: .seconds(2)) { end(false) }
            }
            ledger.whenQuiet(endless: endless) { end(true) }
        }
        ledger.whenQuiet(endless: endless, nil)
        withExtendedLifetime(timer) {}
        realTimer = nil
        return isQuiet
    }

    // MARK: Calls

    /// Starts an asynchronous call, which must end.
    @discardableResult
    func start(
        _ kind: String,
        by user: Int,
        _ text: String = "",
        isEndless: Bool = false,
        _ work: @escaping @Sendable () async throws -> String
    ) -> Task<Void, Never> {
        let call = ledger.begin(kind, by: user, text, isEndless: isEndless)
        return Task(executorPreference: executor) { [world] in
            var result: String
            do { result = try await work() } catch { result = "\(error)" }
            world.mainLoop.context.perform { [result] in call.end(result) }
        }
    }

    // MARK: Leftovers

    /// Checks after the schedule that the object is gone.
    func watch(_ object: AnyObject, _ name: String) {
        witnesses.append(Witness(name, object))
    }

    var remaining: [String] { witnesses.filter { $0.object != nil }.map(\.name) }

    /// Returns the connections and match rules of the bus.
    func busResources() async -> [String: Int] {
        await withCheckedContinuation { continuation in
            let bus = "org.freedesktop.DBus"
            let call = MethodCall(
                to: bus,
                at: "/org/freedesktop/DBus",
                "\(bus).Debug.Stats",
                "GetStats",
                []
            )
            control.call(call, timeout: .seconds(30)) { result in
                let values = (try? result.get().first?.namedValues) ?? [:]
                continuation.resume(returning: [
                    "bus connections": values["ActiveConnections"]?.integer ?? -1,
                    "match rules": values["MatchRules"]?.integer ?? -1,
                ])
            }
        }
    }
}
