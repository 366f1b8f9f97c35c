public import BluejayBlueZ
public import BluejayCore
internal import BluejayGLib
public import FoundationEssentials

/// One radio over the Nordic UART service: connects, keeps and makes again the connection, and says at
/// every moment how far it is.
///
/// It is an actor whose executor is the loop of its host, so that what bluetoothd tells enters it in its
/// order. All handlers are called there, one after the other; they may call back in with a task of their
/// own. Whoever lets go of it lets go of the connection.
///
/// It is a user of the engine beside others: it scans while it is connected, shares a link with whoever
/// else in the process has one, and cuts it only when nobody else uses it.
public actor BLEStateMachine {
    /// The loop of its host.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { host.mainLoop.executor }

    nonisolated let host: BluetoothHost
    nonisolated let settings: RadioSettings
    let log = Log("bluejay.pocketmesh", to: nil)

    /// How far the connection is.
    public internal(set) var currentPhase = BLEPhase.idle
    /// Whether Bluetooth can be used; unknown before ``activate()`` or the first call that wants it.
    public internal(set) var bluetoothState = BluetoothState.unknown

    var machine: PhaseMachine
    var writes: WriteMachine
    let phaseActions = ActionQueue<PhaseMachine.Action>()
    let writeActions = ActionQueue<WriteMachine.Action>()

    /// Nil before the start and behind the end.
    var tracker: AdapterTracker?
    /// The wait of an attempt for Bluetooth, while the attempt has no answer.
    var bluetoothWait: Observation?
    /// Has the loop wait for the link that is being cut.
    var closer: LoopCloser?
    var isActivated = false

    var timer: ScheduledTimer?
    var writeTimer: ScheduledTimer?
    /// Until it is known what an error means.
    var judging: ScheduledTimer?
    var held: HeldLink?
    /// What was given up before it was up, until nothing of it is pending.
    var cutting: HeldLink?
    var inbox: ReceivedValues?
    /// What was lost over connections that have ended.
    var lostBefore = 0
    var scan: ScanLease?
    var isScanWanted = false
    var pairing: PairingUser?
    /// The provider was asked in the pairing that is under way.
    var wasAsked = false
    /// The number that the radio shows is not the provider's.
    var isOther = false
    var kept: KeptRadio?
    var known = KnownRadios()

    var callers: [Int: CheckedContinuation<AsyncStream<Data>, any Error>] = [:]
    var powerWaiters: [Int: CheckedContinuation<Void, any Error>] = [:]
    var powerWaits: [Int: Observation] = [:]
    var disconnecters: [() -> Void] = []
    var senders: [WriteMachine.Write: Sending] = [:]
    var lastNumber = 0
    let phaseStreams = EventStreams<BLEPhase>()
    var handlers = RadioHandlers()

    /// Makes one that has nothing and does nothing yet.
    ///
    /// Times are in seconds; one that is not above 0 is over at once.
    ///
    /// - Parameters:
    ///   - connectionTimeout: Until there is a link.
    ///   - serviceDiscoveryTimeout: From the link on until the radio has been asked to send what it has;
    ///     a person may be typing a number meanwhile.
    ///   - writeTimeout: For each value, from its turn on.
    ///   - autoReconnectDiscoveryTimeout: As `serviceDiscoveryTimeout`, for a connection that comes back by
    ///     itself.
    ///   - writePacingDelay: Between the answer to a value and the next one.
    ///   - restoreIdentifier: The name under which the radio is remembered for the next run; nil remembers
    ///     nothing. Two that use one name at the same time overwrite each other's.
    ///   - showPowerAlert: Without effect: no system asks people to switch Bluetooth on.
    ///   - host: The loop, the adapter and the bus.
    public init(
        connectionTimeout: TimeInterval = 10,
        serviceDiscoveryTimeout: TimeInterval = 40,
        writeTimeout: TimeInterval = 5,
        autoReconnectDiscoveryTimeout: TimeInterval = 15,
        writePacingDelay: TimeInterval = 0,
        restoreIdentifier: String? = "com.pocketmesh.ble.central",
        showPowerAlert: Bool = true,
        host: BluetoothHost = BluetoothHost()
    ) {
        self.init(
            RadioSettings(
                connectionTimeout: RadioSettings.duration(connectionTimeout),
                serviceDiscoveryTimeout: RadioSettings.duration(serviceDiscoveryTimeout),
                writeTimeout: RadioSettings.duration(writeTimeout),
                autoReconnectDiscoveryTimeout: RadioSettings.duration(
                    autoReconnectDiscoveryTimeout
                ),
                writePacingDelay: RadioSettings.duration(writePacingDelay),
                restoreIdentifier: restoreIdentifier
            ),
            host: host
        )
    }

    init(_ settings: RadioSettings, host: BluetoothHost) {
        self.settings = settings
        self.host = host
        machine = PhaseMachine(settings.phases)
        writes = WriteMachine(settings.writes)
    }

    isolated deinit {
        inbox?.continuation.finish()
        if let held, held.isUp { held.lease.link.disconnect(held.lease) {} }
        phaseStreams.finish()
    }

    // MARK: How it stands

    /// The phase that it is in, and each one that follows, in order; of a reader that is 256 behind the
    /// oldest are lost.
    ///
    /// Each call gives a stream of its own, for one reader. It ends with ``shutdown()``.
    public var phases: AsyncStream<BLEPhase> {
        let stream = BoundedStream<BLEPhase>(keeping: .bufferingNewest(256))
        let loop = host.mainLoop
        phaseStreams.add(stream.continuation, first: currentPhase) { [weak self] number in
            loop.post { [weak self] in
                self?.assumeIsolated { $0.phaseStreams.remove(number) }
            }
        }
        return stream.elements
    }

    /// Whether values go both ways.
    public var isConnected: Bool {
        if case .connected = currentPhase { true } else { false }
    }

    /// Whether a connection that was lost is being made again, up to its being there.
    public var isAutoReconnecting: Bool { machine.isReturning }

    /// The radio, while values go both ways.
    ///
    /// Pairing may replace the private address of a radio by its own; it has the identifier of that then.
    public var connectedDeviceID: UUID? { isConnected ? currentPhase.deviceID : nil }

    /// How many values were lost because nobody read them in time, over all connections.
    public var lostValueCount: Int { lostBefore + (inbox?.lostCount ?? 0) + (held?.lostCount ?? 0) }

    func makeNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    var engine: BlueZEngine? { tracker?.engine }

    var now: Duration { engine?.client.clock.now ?? .zero }
}
