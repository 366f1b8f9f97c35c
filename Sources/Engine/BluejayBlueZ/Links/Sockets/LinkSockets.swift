internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib
internal import FoundationEssentials

/// The sockets of one link, which carry values past the bus.
///
/// Performs `WriteSocketStateMachine` for values without response. A subscription may receive its values
/// through a socket as well.
final class LinkSockets {
    typealias AttributeID = AttributeStateMachine.AttributeID
    typealias CallNumber = AttributeStateMachine.CallNumber
    typealias LeaseID = LinkStateMachine.LeaseID

    /// A socket without traffic is released after this time; meanwhile no other program can write.
    private static let idleTime = Duration.seconds(1)
    /// Delays between polls for data that bluetoothd has not read; the last one repeats.
    ///
    /// The kernel does not report that a socket has become empty.
    private static let pollDelays: [Duration] = [1, 1, 2, 4, 8, 16].map { .milliseconds($0) }
    /// The time limit for draining the sockets of a link that is being disconnected.
    private static let drainTime = Duration.seconds(2)

    private var machine = WriteSocketStateMachine(longestValue: ATTLimits.maximumValueLength)
    private var writeSockets: [AttributeID: AcquiredWriteSocket] = [:]
    /// Retired sockets, until bluetoothd has read their contents.
    private var drainingSockets: [AcquiredWriteSocket] = []
    private var notifySockets: [AttributeID: AcquiredNotifySocket] = [:]
    private var socketRequests: [AttributeID: Set<AttributeStateMachine.RequestID>] = [:]
    /// Characteristics whose socket bluetoothd has closed.
    private var hungUpAttributes: Set<AttributeID> = []
    private var disconnectTimer: ScheduledTimer?
    private var drainTimer: ScheduledTimer?
    private let calls: AttributeCalls
    private let executor: LinkExecutor
    private let device: LinkDevice
    private let client: BlueZClient
    private let log: Log

    init(_ context: LinkContext, _ calls: AttributeCalls) {
        self.calls = calls
        executor = context.executor
        device = context.device
        client = context.client
        log = context.log
    }

    var isEmpty: Bool { writeSockets.isEmpty && drainingSockets.isEmpty }

    /// Whether no value was written without response: then writes with response need no sockets.
    var isUnused: Bool { isEmpty && machine.isUnused }

    func hasNotifySocket(_ attribute: AttributeID) -> Bool { notifySockets[attribute] != nil }

    func setAllowsSockets(_ isAllowed: Bool, _ leaseID: LeaseID) {
        machine.setAllowsSockets(isAllowed, leaseID)
    }

    /// Whether bluetoothd has read the values of a user, or of all users for nil.
    private func hasDrained(for leaseID: LeaseID?, except own: AttributeID? = nil) -> Bool {
        guard !isEmpty else { return true }
        return !drainingSockets.contains { $0.hasUnreadData(from: leaseID) }
            && !writeSockets.contains { $0.key != own && $0.value.hasUnreadData(from: leaseID) }
    }

    // MARK: Writing

    /// Sends a value if its socket is open and no earlier value waits; returns whether it was sent.
    func sendAtOnce(_ value: Data, to characteristic: RemoteCharacteristic, _ leaseID: LeaseID)
        -> Bool
    {
        let attribute = characteristic.id
        guard let socket = writeSockets[attribute], executor.isActive(leaseID),
            executor.isFree(attribute), hasDrained(for: leaseID, except: attribute),
            machine.continuesThroughSocket(attribute, leaseID, length: value.count)
        else { return false }
        return socket.send(value, of: leaseID) == .sent
    }

    func write(
        _ value: Data,
        withResponse: Bool,
        to characteristic: RemoteCharacteristic,
        _ call: CallNumber
    ) {
        let leaseID = executor.lease(of: call) ?? 0
        let described = WriteSocketStateMachine.Value(
            lease: leaseID,
            attribute: characteristic.id,
            length: value.count,
            isCommand: !withResponse && characteristic.properties.contains(.writeWithoutResponse)
        )
        let pending = PendingWrite(
            call: call,
            value: value,
            withResponse: withResponse,
            characteristic: characteristic,
            described: described
        )
        let decision = machine.route(of: described)
        guard let released = decision.releasedAttribute else {
            return perform(decision.route, pending)
        }
        whenDrained(call, for: nil) { [weak self] in
            self?.writeSockets[released] = nil
            self?.perform(decision.route, pending)
        }
    }

    private func perform(_ route: WriteSocketStateMachine.WriteRoute, _ write: PendingWrite) {
        let attribute = write.characteristic.id
        let leaseID = write.described.lease
        switch route {
        case .socket:
            whenDrained(write.call, for: leaseID, except: attribute) { [weak self] in
                self?.sendThroughSocket(write)
            }
        case .call, .release, .acquire:
            // Closing a socket loses the values that bluetoothd has not read.
            let isOpen = writeSockets[attribute] != nil
            whenDrained(write.call, for: isOpen ? nil : leaseID) { [weak self] in
                guard let self else { return }
                writeSockets[attribute] = nil
                if route == .acquire { acquire(write) } else { sendCall(write) }
            }
        }
    }

    private func sendCall(_ write: PendingWrite) {
        guard let timeLeft = executor.timeLeft(of: write.call) else { return }
        calls.send(
            write.call,
            write.characteristic.writeCall(withResponse: write.withResponse),
            write.value,
            within: timeLeft
        )
    }

    private func acquire(_ write: PendingWrite) {
        guard let timeLeft = executor.timeLeft(of: write.call) else { return }
        guard let path = write.characteristic.path else { return sendCall(write) }
        calls.send(write.call, GattCharacteristic1.acquireWrite(path), within: timeLeft) {
            [weak self] in self?.acquired($0, write)
        }
    }

    private func acquired(_ result: CallResult, _ write: PendingWrite) {
        let attribute = write.characteristic.id
        var limit: Int?
        if case .success(let reply) = result,
            let (end, mtu) = GattCharacteristic1.acquired(reply)
        {
            limit = ATTLimits.payload(mtu: mtu)
            let socket = AcquiredWriteSocket(end, on: client.context) { [weak self] in
                self?.writeSocketHungUp(attribute)
            }
            writeSockets[attribute] = socket
            releaseWhenIdle(attribute)
        }
        log.debug(
            limit == nil ? "AcquireWrite failed: using WriteValue" : "write socket acquired",
            ["characteristic": "\(write.characteristic.identifier)"]
        )
        perform(machine.acquired(write.described, limit: limit), write)
    }

    private func sendThroughSocket(_ write: PendingWrite) {
        // The call may have timed out while it waited.
        guard let timeLeft = executor.timeLeft(of: write.call) else { return }
        guard let socket = writeSockets[write.characteristic.id] else { return sendCall(write) }
        let call = write.call
        switch socket.send(write.value, of: write.described.lease) {
        case .sent:
            // The caller of the write must not be re-entered.
            calls.finishLater(call, nil)
        case .wouldBlock:
            calls.wait(call, for: timeLeft) { [weak self] in self?.calls.finish(call, .timedOut) }
            socket.whenWritable { [weak self] in self?.sendThroughSocket(write) }
        case .closed, .failed:
            writeSocketHungUp(write.characteristic.id)
            sendCall(write)
        }
    }

    private func writeSocketHungUp(_ attribute: AttributeID) {
        writeSockets[attribute] = nil
        machine.hungUp(attribute)
    }

    private func releaseWhenIdle(_ attribute: AttributeID) {
        guard let socket = writeSockets[attribute] else { return }
        socket.idleTimer = client.clock.schedule(after: Self.idleTime) {
            [weak self, weak socket] in
            guard let self, let socket, writeSockets[attribute] === socket else { return }
            guard !socket.clearRecentUse(), !socket.hasUnreadData(from: nil),
                executor.isFree(attribute)
            else { return releaseWhenIdle(attribute) }
            writeSockets[attribute] = nil
            machine.idled(attribute)
        }
    }

    // MARK: Notifications

    /// Starts notifications: through a socket if a subscription prefers one and bluetoothd offers it,
    /// otherwise through signals.
    func startNotifications(
        _ call: CallNumber,
        _ characteristic: RemoteCharacteristic,
        within timeout: Duration
    ) {
        let attribute = characteristic.id
        guard let path = characteristic.path, socketRequests[attribute]?.isEmpty == false,
            !hungUpAttributes.contains(attribute)
        else {
            hungUpAttributes.remove(attribute)
            return callStartNotify(call, characteristic, within: timeout)
        }
        calls.send(call, GattCharacteristic1.acquireNotify(path), within: timeout) {
            [weak self] in self?.notifyAcquired($0, call, characteristic)
        }
    }

    private func notifyAcquired(
        _ result: CallResult,
        _ call: CallNumber,
        _ characteristic: RemoteCharacteristic
    ) {
        switch result {
        case .success(let reply):
            guard let (end, _) = GattCharacteristic1.acquired(reply),
                let path = characteristic.path
            else { break }
            // From here on, signals carry only values that were read.
            client.setDispatcher(of: path, to: nil)
            notifySockets[characteristic.id] = makeSocket(end, characteristic)
            return calls.finish(call, nil)
        case .failure(let error):
            let failure = BlueZFailure(error)
            guard failure.isWithoutSocket else { return calls.finish(call, failure) }
            log.debug(
                "AcquireNotify failed: using signals",
                ["characteristic": "\(characteristic.identifier)"]
            )
        }
        guard let timeLeft = executor.timeLeft(of: call) else { return }
        callStartNotify(call, characteristic, within: timeLeft)
    }

    private func callStartNotify(
        _ call: CallNumber,
        _ characteristic: RemoteCharacteristic,
        within timeout: Duration
    ) {
        guard let path = characteristic.path else { return }
        if !characteristic.dispatcher.isEmpty {
            client.setDispatcher(of: path, to: characteristic.dispatcher)
        }
        calls.send(call, GattCharacteristic1.startNotify(path), within: timeout)
    }

    private func makeSocket(_ end: BusFileDescriptor, _ characteristic: RemoteCharacteristic)
        -> AcquiredNotifySocket
    {
        AcquiredNotifySocket(end, on: client.context) { [weak characteristic] value in
            characteristic?.dispatcher.receive(value)
        } hungUp: { [weak self] in
            self?.notifySocketHungUp(characteristic.id)
        }
    }

    // The socket closes shortly before bluetoothd reports the end of the link.
    private func notifySocketHungUp(_ attribute: AttributeID) {
        notifySockets[attribute] = nil
        hungUpAttributes.insert(attribute)
        guard let path = device.path else { return }
        client.refresh(device: path) { [weak self] in
            guard let self, executor.isUp, hungUpAttributes.contains(attribute) else { return }
            executor.handleAttributes { $0.notifyingLost(attribute, now: $1) }
        }
    }

    /// Stops notifications; the socket stays open until bluetoothd has replied.
    func stopNotifications(
        _ call: CallNumber,
        _ characteristic: RemoteCharacteristic,
        within timeout: Duration
    ) {
        let attribute = characteristic.id
        guard let path = characteristic.path, hungUpAttributes.remove(attribute) == nil else {
            return calls.finishLater(call, nil)
        }
        let stop = GattCharacteristic1.stopNotify(path)
        guard notifySockets[attribute] != nil, let stop else {
            return calls.send(call, stop, within: timeout)
        }
        calls.send(call, stop, within: timeout) { [weak self] in
            self?.closeNotifySocket(attribute)
        }
    }

    /// Closes the socket of a characteristic and so ends its notifications; returns whether it existed.
    @discardableResult
    func closeNotifySocket(_ attribute: AttributeID) -> Bool {
        guard let socket = notifySockets.removeValue(forKey: attribute) else { return false }
        socket.close()
        return true
    }

    func add(_ request: AttributeStateMachine.RequestID, _ attribute: AttributeID) {
        socketRequests[attribute, default: []].insert(request)
    }

    func remove(_ request: AttributeStateMachine.RequestID, _ attribute: AttributeID) {
        guard socketRequests[attribute]?.remove(request) != nil,
            socketRequests[attribute]?.isEmpty == true
        else { return }
        socketRequests[attribute] = nil
    }

    // MARK: Order

    /// Invokes `work` when bluetoothd has read the values of a user, or of all users for nil.
    ///
    /// No call may overtake a value. `work` is invoked at most once, at once where possible.
    ///
    /// - Parameters:
    ///   - call: The waiting call.
    ///   - leaseID: The sender of the earlier values.
    ///   - own: A characteristic whose socket the call itself uses.
    ///   - polls: The number of polls so far.
    ///   - work: The rest of the call.
    func whenDrained(
        _ call: CallNumber,
        for leaseID: LeaseID?,
        except own: AttributeID? = nil,
        polls: Int = 0,
        _ work: @escaping () -> Void
    ) {
        guard !hasDrained(for: leaseID, except: own) else { return work() }
        guard let timeLeft = executor.timeLeft(of: call) else { return }
        guard timeLeft > .zero else { return calls.finish(call, .timedOut) }
        calls.wait(call, for: min(Self.pollDelay(polls), timeLeft)) { [weak self] in
            self?.whenDrained(call, for: leaseID, except: own, polls: polls + 1, work)
        }
    }

    /// Invokes `work` when bluetoothd has read all values, or after the time limit.
    func drainBeforeDisconnect(_ work: @escaping () -> Void) {
        drain(until: client.clock.now + Self.drainTime, work)
    }

    private func drain(polls: Int = 0, until deadline: Duration, _ work: @escaping () -> Void) {
        guard !hasDrained(for: nil), client.clock.now < deadline else { return work() }
        disconnectTimer = client.clock.schedule(after: Self.pollDelay(polls)) { [weak self] in
            self?.drain(polls: polls + 1, until: deadline, work)
        }
    }

    private static func pollDelay(_ polls: Int) -> Duration {
        pollDelays[min(polls, pollDelays.count - 1)]
    }

    // MARK: Ending

    /// Removes the sockets of a characteristic that bluetoothd has removed.
    func remove(_ attribute: AttributeID) {
        writeSockets[attribute] = nil
        machine.removed(attribute)
        closeNotifySocket(attribute)
        hungUpAttributes.remove(attribute)
        socketRequests[attribute] = nil
    }

    /// Releases all sockets when the link ends; sockets for writing are drained first.
    func linkEnded() {
        guard !writeSockets.isEmpty || !notifySockets.isEmpty || !hungUpAttributes.isEmpty else {
            return
        }
        for socket in notifySockets.values { socket.close() }
        notifySockets = [:]
        hungUpAttributes = []
        socketRequests = [:]
        for socket in writeSockets.values where socket.hasUnreadData(from: nil) {
            drainingSockets.append(socket)
        }
        writeSockets = [:]
        machine.linkEnded()
        guard !drainingSockets.isEmpty else { return }
        releaseDrained(until: client.clock.now + Self.drainTime)
    }

    // The timer retains the sockets after the release of the link.
    private func releaseDrained(polls: Int = 0, until deadline: Duration) {
        drainingSockets.removeAll { !$0.hasUnreadData(from: nil) }
        guard !drainingSockets.isEmpty else { return drainTimer = nil }
        guard client.clock.now < deadline else { return drainingSockets = [] }
        drainTimer = client.clock.schedule(after: Self.pollDelay(polls)) { [self] in
            releaseDrained(polls: polls + 1, until: deadline)
        }
    }
}

private struct PendingWrite {
    let call: AttributeStateMachine.CallNumber
    let value: Data
    let withResponse: Bool
    let characteristic: RemoteCharacteristic
    let described: WriteSocketStateMachine.Value
}

extension BlueZFailure {
    /// Whether only the socket is missing, so that signals may still work.
    fileprivate var isWithoutSocket: Bool {
        switch self {
        case .inProgress, .objectRemoved, .attribute(0x06, _), .other: true
        case .adapterOff, .notConnected, .linkLost, .alreadyDone, .attribute, .notPaired, .pairing,
            .notSupported, .daemonLost, .accessDenied, .cancelled, .queueFull, .timedOut,
            .daemonNotResponding:
            false
        }
    }
}
