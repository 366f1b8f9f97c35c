internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGATTServer
internal import BluejayGLib
internal import FoundationEssentials

/// The advertisement of a node, and the rotation of its identity.
///
/// Confined to the loop of the host.
final class MeshAdvertiser {
    /// Called when the advertisement has started (`true`) or ended (`false`).
    var onChange: ((Bool) -> Void)?
    /// Receives the reason why bluetoothd refused the advertisement.
    var onFailure: ((String) -> Void)?
    /// Receives the identity of each rotation.
    var onIdentity: ((Data) -> Void)?
    var provider: (() -> Data)?

    private(set) var isActive = false {
        didSet { if isActive != oldValue { onChange?(isActive) } }
    }

    /// The pause after bluetoothd has refused the advertisement.
    static let retryDelay = Duration.seconds(10)
    /// The intervals that BlueZ accepts, in milliseconds.
    static let intervals: ClosedRange<UInt32> = 20...10_485_000
    /// The transmit powers that BlueZ accepts, in dBm.
    static let powers = -127...20

    private let server: GATTServer
    private let clock: any EventClock
    private let log: Log
    private let name: String
    private var machine: RotationStateMachine
    private var timer: ScheduledTimer?
    private var retryTimer: ScheduledTimer?
    private var isRequested = false
    private var advertising: ActiveAdvertisement?
    private var lastAttempt = 0
    private var nextIdentity: Data?
    private var interval: Duration?
    private var power: Int?

    init(
        _ server: GATTServer,
        _ clock: any EventClock,
        name: String,
        rotation: Duration?,
        _ log: Log
    ) {
        self.server = server
        self.clock = clock
        self.log = log
        self.name = name
        machine = RotationStateMachine(interval: rotation)
    }

    /// Advertises; the first call starts the rotation.
    func start() {
        isRequested = true
        perform(machine.start(now: clock.now))
        advertise()
    }

    /// Withdraws the advertisement until the next `start`, while the rotation continues.
    func pause() {
        isRequested = false
        withdraw {}
    }

    /// Withdraws the advertisement and ends the rotation.
    func stop() {
        perform(machine.stop())
        pause()
    }

    func setRotation(_ interval: Duration?) {
        perform(machine.setInterval(interval, now: clock.now))
    }

    func setRadio(intervalMs: UInt32, txPowerDbm: Int8) {
        let allowed = min(max(intervalMs, Self.intervals.lowerBound), Self.intervals.upperBound)
        interval = .milliseconds(Int64(allowed))
        power = min(max(Int(txPowerDbm), Self.powers.lowerBound), Self.powers.upperBound)
        advertising?.update(to: advertisement) { [log] result in
            if case .failure(let error) = result {
                log.warning("advertisement not changed", ["error": "\(error)"])
            }
        }
    }

    private var advertisement: LocalAdvertisement {
        LocalAdvertisement(
            serviceUUIDs: [MeshBLEConstants.serviceUUID],
            localName: name,
            interval: interval.map { $0...$0 },
            txPower: server.canSetTxPower ? power : nil
        )
    }

    private func advertise() {
        guard isRequested, advertising == nil, !machine.isWithdrawing else { return }
        retryTimer = nil
        lastAttempt += 1
        let attempt = lastAttempt
        advertising = server.advertise(advertisement) { [weak self] result in
            guard let self, attempt == lastAttempt, advertising != nil else { return }
            switch result {
            case .success: isActive = true
            case .failure(let error): failed(error)
            }
        }
        advertising?.onEnd = { [weak self] error in
            guard let self, attempt == lastAttempt, advertising != nil else { return }
            failed(error)
        }
    }

    private func failed(_ error: (any Error)?) {
        advertising = nil
        isActive = false
        let reason = error.map { "\($0)" } ?? "the advertisement has ended"
        log.warning("advertisement refused", ["error": reason])
        onFailure?(reason)
        retryTimer = clock.schedule(after: Self.retryDelay) { [weak self] in self?.advertise() }
    }

    private func withdraw(_ completion: @escaping () -> Void) {
        retryTimer = nil
        guard let advertising else { return clock.onNextIteration(completion) }
        self.advertising = nil
        isActive = false
        advertising.stop(completion: completion)
    }

    private func perform(_ actions: [RotationStateMachine.Action]) {
        for action in actions {
            switch action {
            case .withdraw:
                nextIdentity = provider?()
                withdraw { [weak self] in
                    guard let self else { return }
                    perform(machine.withdrawn())
                }
            case .advertise:
                if let nextIdentity { onIdentity?(nextIdentity) }
                nextIdentity = nil
                advertise()
            case .setTimer(let instant):
                timer = clock.schedule(at: instant) { [weak self] in
                    guard let self else { return }
                    perform(machine.timerFired(now: clock.now))
                }
            }
        }
    }
}
