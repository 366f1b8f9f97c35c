internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib

/// The connection attempt of a link: performs `ConnectStateMachine`.
final class LinkConnector {
    private let discoverySession: DiscoverySession
    private var discovery: DiscoveryLease?
    /// The pending `Connect`, for which the scans of this process pause.
    private var connectCall: Int?
    private var timer: ScheduledTimer?
    private let device: LinkDevice
    private let executor: LinkExecutor
    private let client: BlueZClient
    private let log: Log

    init(_ context: LinkContext, _ discoverySession: DiscoverySession) {
        self.discoverySession = discoverySession
        device = context.device
        executor = context.executor
        client = context.client
        log = context.log
    }

    var isDiscoveryCallPending: Bool { discovery != nil && discoverySession.isUnresponsive }

    // MARK: Discovery

    func discover() {
        discovery = discoverySession.scan(DiscoveryFilter()) { [weak self] report in
            guard let self, report.address == device.address, device.path == nil else { return }
            device.update()
            executor.handleAttempt { $0.appeared(now: $1) }
        } failed: { [weak self] failure in
            self?.executor.handleAttempt { machine, _ in machine.discoveryFailed(.bluez(failure)) }
        }
    }

    func endDiscovery() {
        discovery = nil
    }

    // MARK: Calls

    /// Calls `Connect`, or adopts an existing connection.
    ///
    /// `accepted` is called after the event if bluetoothd has connected; it is held until the reply.
    func connect(_ call: Int, accepted: @escaping () -> Void) {
        guard let path = device.path else {
            return executor.handleAttempt { $0.removed(now: $1) }
        }
        if device.isConnected {
            // On a connected device, `Connect` may try the other kind of radio.
            let (services, isStale) = (device.resolvedServices, device.isStale)
            return executor.handleAttempt {
                $0.found(call, services: services, isStale: isStale, now: $1)
            }
        }
        connectCall = call
        log.debug("Connect called", ["path": path.text])
        discoverySession.attemptStarted()
        client.call(Device1.connect(path), timeout: .seconds(60)) { [self] result in
            logReply(result)
            if connectCall == call { endConnectAttempt() }
            let isOn = client.objects.adapterState(device.adapter) == .on
            let reply = ConnectStateMachine.Reply(result, isAdapterOn: isOn)
            executor.handleAttempt { $0.replied(call, reply, now: $1) }
            if reply == .accepted { accepted() }
        }
    }

    private func logReply(_ result: CallResult) {
        switch result {
        case .success: log.debug("Connect succeeded")
        case .failure(let error):
            log.debug("Connect failed", ["error": error.description])
        }
    }

    func readDevice(_ call: Int) {
        guard let path = device.path else { return }
        client.refresh(device: path) { [weak self] in self?.refreshed(call) }
    }

    func readObjects(_ call: Int) {
        client.refresh { [weak self] in self?.refreshed(call) }
    }

    private func refreshed(_ call: Int) {
        let services = device.services
        executor.handleAttempt { $0.refreshed(call, services, now: $1) }
    }

    /// Checks whether another program is ending the connection.
    ///
    /// `Disconnect` takes bluetoothd two seconds, in which the properties show nothing and `Connect`
    /// succeeds. Since 5.56, bluetoothd refuses `StartNotify` meanwhile, before it checks the
    /// characteristic. A call to one without notifications never reaches the peripheral, and its error
    /// distinguishes the two states.
    func check(_ call: Int) {
        let report = { [weak self] (life: ConnectStateMachine.Life) in
            self?.executor.handleAttempt { $0.checked(call, life, now: $1) } ?? ()
        }
        let version = client.objects.properties(device.adapter, Adapter1.interface)
            .flatMap { Adapter1($0).bluezVersion }
        guard version.map({ $0 >= BlueZVersion(5, 56) }) ?? true,
            let path = device.characteristicWithoutNotifications,
            let startNotify = GattCharacteristic1.startNotify(path)
        else { return report(.unknown) }
        _ = client.call(startNotify, timeout: .seconds(5)) { result in
            guard case .failure(let error) = result else { return report(.unknown) }
            switch BlueZFailure(error) {
            case .notConnected: report(.ending)
            // NotSupported.
            case .attribute(0x06, _): report(.lasting)
            case .timedOut: report(.unanswered)
            default: report(.unknown)
            }
        }
    }

    /// Checks whether the link is up despite the cancellation of `Connect`.
    ///
    /// On a busy computer, bluetoothd 5.66 occasionally replies to `Connect` and `Disconnect`, and then signals
    /// `Connected`. Without another `Disconnect`, such a link lasts.
    func confirm(_ call: Int) {
        let report = { [weak self] in
            guard let self else { return }
            let (isConnected, services) = (device.isConnected, device.resolvedServices)
            executor.handleAttempt {
                $0.confirmed(call, isConnected: isConnected, services: services, now: $1)
            }
        }
        guard let path = device.path else { return report() }
        client.refresh(device: path, completion: report)
    }

    func setTimer(at instant: Duration?) {
        timer = client.clock.schedule(at: instant) { [weak self] in
            self?.executor.handleAttempt { $0.timerFired(now: $1) }
        }
    }

    // MARK: Ending

    func end() {
        discovery = nil
        endConnectAttempt()
    }

    func connected() {
        timer = nil
        end()
    }

    private func endConnectAttempt() {
        guard connectCall != nil else { return }
        connectCall = nil
        discoverySession.attemptEnded()
    }
}

extension ConnectStateMachine.Reply {
    fileprivate init(_ result: CallResult, isAdapterOn: Bool) {
        guard case .failure(let error) = result else {
            self = .accepted
            return
        }
        let text = error.description
        let failure = BlueZFailure(local: error)
        switch failure {
        case .alreadyDone: self = .accepted
        case .inProgress: self = .busy
        case .objectRemoved: self = .deviceRemoved
        // bluetoothd refuses calls for about 2 s after the adapter was switched on.
        case .adapterOff: self = isAdapterOn ? .busy : .unavailable
        case .daemonLost, .accessDenied, .daemonNotResponding:
            self = .daemonUnreachable(.bluez(failure))
        case .pairing: self = .pairingRequired(text)
        default:
            let isPermanent = BlueZAnswer.connecting(error.name, error.message)?.isPermanent
            self = isPermanent == true ? .permanentFailure(text) : .transientFailure(text)
        }
    }
}
