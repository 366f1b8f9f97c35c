internal import BluejayGLib

/// A central that follows a script, for tests of programs that are peripherals.
///
/// ```swift
/// let phone = SimulatedCentral(address: "C0:FF:EE:00:00:01")
/// world.add(phone)
/// phone.play([.connect, .subscribe("2A37"), .expect("2A37", count: 3), .leave]) { report in
///     print(report.values, report.failures)
/// }
/// ```
///
/// To the peripheral it is what a phone is to bluetoothd: a `Device1` object that is connected, calls of its
/// objects, subscriptions. Scripts are played one behind the other, in simulated time. In the air it belongs
/// to the simulator's thread. A malformed address ends the test program.
public final class SimulatedCentral: AirPeer {
    private(set) var address: AirAddress
    private(set) var identity: AirAddress?
    /// What its Generic Access service says.
    public let name: String?
    /// The largest ATT packet that it takes, 23 to 517; it counts from the next connection on.
    public var mtu = 517 {
        didSet { mtu = min(517, max(23, mtu)) }
    }
    /// Whether it pairs when a value needs it.
    public var acceptsPairing = true
    /// How it pairs, when it does.
    public var pairing = SimulatedPairing.justWorks

    /// Whether it takes what is sent to it.
    ///
    /// While it does not, the last 10,000 values wait at the end of its link; a lost link takes them away.
    public var takesValues = true {
        didSet { if takesValues { link?.end.handOver() } }
    }

    /// Called with each value that comes, and the UUID of its characteristic in full.
    public var onValue: ((String, [UInt8]) -> Void)?
    /// Called with each value that it read, and the name of the characteristic in the step.
    public var onRead: ((String, [UInt8]) -> Void)?
    /// Called when it has connected (true) or its link has ended (false).
    public var onConnectionChange: ((Bool) -> Void)?
    /// Called when a step is over, with what it failed with.
    public var onStep: ((CentralStep, CentralError?) -> Void)?

    weak var world: SimulatedBlueZ?
    /// What a step needs that asks something of the peripheral.
    var link: CentralLink?
    var inboxes: [String: CentralInbox] = [:]
    private(set) var isInRange = true
    private(set) var database: AttributeDatabase
    /// The step that is under way, and what ends it.
    var current: CurrentStep?
    private var plays: [Play] = []
    private var lastStep = 0
    /// Until the script goes on.
    private var pause: ScheduledTimer?
    /// The adapters whose services it has discovered before.
    var known: Set<String> = []

    /// Makes a central that is there and does nothing.
    ///
    /// - Parameters:
    ///   - address: For example `C0:FF:EE:00:00:01`.
    ///   - isRandom: Whether the address is random rather than public.
    ///   - name: What its Generic Access service says.
    public init(address: String, isRandom: Bool = true, name: String? = nil) {
        self.address = Self.read(address, isRandom: isRandom)
        self.name = name
        database = AttributeDatabase()
        _ = database.add(BuiltInServices.access([], appearance: 0).description)
        _ = database.add(BuiltInServices.attribute(seed: address).description)
    }

    // MARK: What it saw

    /// Whether it is connected.
    public var isConnected: Bool { link != nil }
    /// Whether the adapter and it have keys; false without a link.
    public var isPaired: Bool { link?.end.isPaired ?? false }

    /// The last 10,000 values that came of a characteristic, in order.
    public func values(of characteristic: String) -> [[UInt8]] {
        inbox(characteristic).history.last
    }

    /// How many values came of a characteristic in all.
    public func valueCount(of characteristic: String) -> Int {
        inbox(characteristic).history.count
    }

    // MARK: Playing

    /// Plays a script when those before it are over.
    ///
    /// - Parameters:
    ///   - steps: What it does.
    ///   - done: Called once: at the end, by ``stop()``, or when the world ends.
    public func play(
        _ steps: [CentralStep],
        done: @escaping (CentralReport) -> Void = { _ in }
    ) {
        plays.append(Play(script: CentralScript(steps), done: done))
        if plays.count == 1 { begin() }
    }

    /// Ends all scripts; its link stays.
    public func stop() {
        pause = nil
        let stopped = current
        current = nil
        if let stopped { note(stopped.step, .failure(.stopped)) }
        let all = plays
        plays = []
        for play in all { play.done(play.report) }
    }

    // MARK: Coming and going

    /// Loses its link as if it went out of range, and connects to nobody until ``comeBack()``.
    public func goAway() {
        isInRange = false
        link?.close(.timedOut)
    }

    /// Is in range again.
    public func comeBack() {
        isInRange = true
        tryConnecting()
    }

    /// Gives it an identity behind its private address: an adapter that it pairs with knows it by that.
    public func setIdentity(_ address: String, isRandom: Bool = false) {
        identity = Self.read(address, isRandom: isRandom)
    }

    /// Takes another private address, which counts from the next connection on.
    public func changeAddress(to address: String) {
        self.address = Self.read(address, isRandom: true)
    }

    // MARK: AirPeer

    var advertisements: [AirAdvertisement] { [] }
    var acceptsLinks: Bool { false }
    func signalStrength(at adapter: Adapter) -> Int16 { 127 }
    var bearerCount: Int { 1 }
    var answersDiscovery: Bool { true }
    var deviceName: String? { name }
    var modalias: String? { nil }

    func linkOpened(_ link: SimulatedLink) {}

    func linkClosed(_ link: SimulatedLink) {
        guard let ended = self.link, ended.end.link === link else { return }
        self.link = nil
        ended.client.close()
        if current?.endsWithLink ?? false { finish(.failure(.lost)) }
        onConnectionChange?(false)
    }

    // What it serves is read by nobody but bluetoothd.
    func perform(
        _ request: ATTRequest,
        from client: ATTClient,
        answer: @escaping (ATTResult) -> Void
    ) {
        switch request {
        case .read: answer(.success(Array((name ?? "").utf8)))
        default: answer(.failure(.requestNotSupported))
        }
    }

    func clientLeft(_ client: ATTClient) {}

    private static func read(_ address: String, isRandom: Bool) -> AirAddress {
        // A test's own script is wrong: no peer and no program under test can cause it.
        guard let read = AirAddress(address, isRandom ? .random : .public) else {
            preconditionFailure("\(address) is not an address; write C0:FF:EE:00:00:01")
        }
        return read
    }
}

extension SimulatedCentral {
    /// Goes on in a later turn, so that a script never ends before `play` has returned.
    func begin() {
        guard current == nil, pause == nil, !plays.isEmpty else { return }
        pause = world?.clock.schedule(after: .zero) { [weak self] in self?.goOn() }
    }

    /// Goes on with the script, with as many steps as take no time.
    func goOn() {
        pause = nil
        var steps = 0
        while current == nil, pause == nil, let play = plays.first {
            guard steps < 1000 else { return rest() }
            steps += 1
            guard let world else { return }
            guard let step = play.script.next() else {
                plays.removeFirst()
                play.done(play.report)
                continue
            }
            lastStep += 1
            current = CurrentStep(step: step, number: lastStep)
            perform(step, in: world)
        }
    }

    /// The step under way is over; its script goes on a moment later, or in the next turn.
    func finish(_ result: Result<Void, CentralError>, _ pace: Pace = .restsFirst) {
        guard let ended = current else { return }
        current = nil
        note(ended.step, result)
        switch pace {
        case .restsFirst: rest()
        case .goesOn: begin()
        case .isGoingOn: break
        }
    }

    /// Ends a step, unless it has ended before.
    func finish(number: Int, _ result: Result<Void, CentralError>) {
        guard current?.number == number else { return }
        finish(result)
    }

    func noteTaken(_ value: [UInt8]) {
        plays.first?.report.valueHistory.append(value)
    }

    func noteRead(_ value: [UInt8]) {
        plays.first?.report.readHistory.append(value)
        if case .read(let name)? = current?.step { onRead?(name, value) }
    }

    private func note(_ step: CentralStep, _ result: Result<Void, CentralError>) {
        switch result {
        case .success: onStep?(step, nil)
        case .failure(let error):
            plays.first?.report.failureHistory.append(CentralFailure(step: step, error: error))
            onStep?(step, error)
        }
    }

    private func rest() {
        pause = world?.clock.schedule(after: Waits.request) { [weak self] in self?.goOn() }
    }
}

/// How a script goes on behind a step.
enum Pace {
    /// It may have taken no time.
    case restsFirst
    /// It took time; whoever ended it may still be in the middle of something.
    case goesOn
    /// The step was over before it was left.
    case isGoingOn
}

/// A script that is being played.
private final class Play {
    var script: CentralScript
    var report = CentralReport()
    let done: (CentralReport) -> Void

    init(script: CentralScript, done: @escaping (CentralReport) -> Void) {
        self.script = script
        self.done = done
    }
}

/// A step that is under way.
struct CurrentStep {
    let step: CentralStep
    let number: Int
    /// Whether a `connect` looks for somebody.
    var isConnecting = false
    /// The number of the adapter that it wants; nil is any.
    var adapter: Int?
    /// What an `expect` waits for.
    var expected: (name: String, uuid: String, count: Int)?
    /// What happens next.
    var timer: ScheduledTimer?
    /// When it has failed.
    var limit: ScheduledTimer?
    /// Whether it fails with the link.
    var endsWithLink = false
}
