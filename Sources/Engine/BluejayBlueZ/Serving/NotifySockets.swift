package import BluejayDBus
package import BluejayGLib
package import FoundationEssentials

/// Sends values to the subscribers of one characteristic through sockets.
///
/// Performs the actions of a `NotifySocketStateMachine`.
package final class NotifySockets {
    package typealias Machine = NotifySocketStateMachine<ObjectPath>

    /// Called when `subscribers` or `isSubscribed` changed.
    package var onChange: (() -> Void)?
    /// Called for each change of a subscription: before `onChange` for a new one, otherwise after it.
    package var onSubscriberChange: ((SubscriberChange<ObjectPath>) -> Void)?
    package var onConfirm: (() -> Void)?
    /// Sends a value to all subscribers by a signal of the characteristic.
    package var onSignal: ((Data) -> Void)?

    private let context: MainContext
    private let clock: any EventClock
    private var machine = Machine()
    private var sockets: [Int: NotifySocket] = [:]
    private var values: [Int: (bytes: [UInt8], completion: ((Machine.Outcome) -> Void)?)] = [:]
    private var lastValue = 0
    private let actions = ActionQueue<Machine.Action>()
    private var performing = 0
    private var retainedOwner: AnyObject?
    private var closureTimer: ScheduledTimer?

    /// Creates sockets that are watched, and call back, on `context`; `clock` belongs to the same loop.
    package init(on context: MainContext, clock: any EventClock) {
        self.context = context
        self.clock = clock
    }

    /// The centrals with a socket, in the order of subscription.
    package var subscribers: [Machine.Subscriber] { machine.subscribers }
    /// The recipients of a value on a socket.
    package var reach: Machine.Reach { machine.reach }

    /// Whether a value for all may reach a subscriber.
    package var isSubscribed: Bool { machine.isSubscribed }

    /// The handlers of the exported characteristic, which reference the sockets weakly.
    package var handlers: AcquireNotifyRequest.Handlers {
        AcquireNotifyRequest.Handlers(
            isSubscribed: { [weak self] in self?.isSubscribed ?? false },
            acquire: { [weak self] in self?.acquire($0) }
        )
    }

    /// bluetoothd requests a socket for a central.
    private func acquire(_ call: AcquireNotifyRequest) {
        guard let device = call.device else { return call.reject("no device") }
        guard let pair = SequencedPacketSocket.pair() else { return call.reject("no descriptors") }
        let (number, actions) = machine.subscribed(device, mtu: call.mtu)
        let socket = NotifySocket(pair.own, on: context)
        socket.onPacket = { [weak self] in self?.onConfirm?() }
        socket.onClosed = { [weak self] in self?.socketClosed(number) }
        socket.onWritable = { [weak self] in
            guard let self else { return }
            perform(machine.writable(number))
        }
        sockets[number] = socket
        call.reply(pair.other)
        perform(actions)
    }

    /// See `NotifySocketStateMachine.connectionsChanged`.
    package func connectionsChanged(
        _ now: Set<ObjectPath>,
        eligibleCentrals: Set<ObjectPath>,
        reach: Machine.Reach,
        reportsEachSubscriber: Bool
    ) {
        perform(
            machine.connectionsChanged(
                now,
                eligibleCentrals: eligibleCentrals,
                reach: reach,
                reportsEachSubscriber: reportsEachSubscriber,
                at: clock.now
            )
        )
    }

    /// Closes all sockets because bluetoothd has dropped the characteristic.
    ///
    /// - Parameter owner: The receiver of the callbacks. It is retained until they have been called, as
    ///   one of them may release it.
    package func lost(retaining owner: AnyObject) {
        retainedOwner = owner
        perform(machine.lost())
    }

    /// Queues a value.
    ///
    /// - Parameters:
    ///   - value: 1 to 512 bytes: bluetoothd treats an empty packet as the end of the socket.
    ///   - recipient: The only recipient, or `nil` for all.
    ///   - completion: Called once if the value is accepted: immediately, or when a socket has accepted the
    ///     value or never will.
    /// - Returns: The refusal, or `nil` if the value is accepted.
    package func send(
        _ value: Data,
        to recipient: ObjectPath? = nil,
        completion: ((Machine.Outcome) -> Void)? = nil
    ) -> Machine.SendFailure? {
        let number = lastValue + 1
        switch machine.send(number, to: recipient) {
        case .failure(let refusal): return refusal
        case .success(let actions):
            lastValue = number
            values[number] = ([UInt8](value), completion)
            perform(actions)
            return nil
        }
    }

    private func perform(_ new: [Machine.Action]) {
        performing += 1
        actions.perform(new, perform)
        performing -= 1
        if performing == 0 { retainedOwner = nil }
    }

    private func perform(_ action: Machine.Action) {
        switch action {
        case .write(let number): write(number)
        case .watch(let number): sockets[number]?.watch()
        case .close(let number): sockets.removeValue(forKey: number)?.close()
        case .signal(let value):
            if let bytes = values[value]?.bytes { onSignal?(Data(bytes)) }
        case .finish(let value, let outcome):
            values.removeValue(forKey: value)?.completion?(outcome)
        case .notifyChange: onChange?()
        case .report(let change): onSubscriberChange?(change)
        case .setTimer(let time):
            closureTimer = clock.schedule(at: time) { [weak self] in
                guard let self else { return }
                perform(machine.timerFired(at: clock.now))
            }
        }
    }

    private func write(_ number: Int) {
        guard let socket = sockets[number], let value = machine.nextValue(on: number),
            let bytes = values[value]?.bytes
        else { return }
        switch socket.send(bytes) {
        case .sent: perform(machine.wrote(number, .sent))
        case .wouldBlock: perform(machine.wrote(number, .full))
        case .closed, .failed:
            perform(machine.wrote(number, .closed))
            socket.endLater()
        }
    }

    private func socketClosed(_ number: Int) {
        perform(machine.socketClosed(number, at: clock.now))
    }
}

/// The local end of one socket, and its event sources.
private final class NotifySocket {
    var onPacket: (() -> Void)?
    var onClosed: (() -> Void)?
    var onWritable: (() -> Void)?
    private let socket: SequencedPacketSocket
    private let context: MainContext
    private var reader: FileDescriptorSource?
    private var writer: FileDescriptorSource?
    private var isBroken = false

    init(_ socket: SequencedPacketSocket, on context: MainContext) {
        self.socket = socket
        self.context = context
        reader = FileDescriptorSource(socket.descriptor.number, .readable, on: context) {
            [weak self] condition in
            self?.becameReadable(condition)
        }
    }

    deinit {
        close()
    }

    func close() {
        reader?.cancel()
        writer?.cancel()
        reader = nil
        writer = nil
    }

    func send(_ packet: [UInt8]) -> SequencedPacketSocket.SendResult { socket.send(packet) }

    /// Calls `onWritable` once when the socket is writable.
    func watch() {
        guard writer == nil else { return }
        writer = FileDescriptorSource(socket.descriptor.number, .writable, on: context) {
            [weak self] _ in
            guard let self else { return }
            writer?.cancel()
            writer = nil
            if isBroken { end() } else { onWritable?() }
        }
    }

    /// Reports the end of the socket on a later iteration.
    func endLater() {
        isBroken = true
        watch()
    }

    private func becameReadable(_ condition: IOCondition) {
        // bluetoothd writes one byte for each confirmed indication.
        switch socket.receive(atMost: 16) {
        case .packet: onPacket?()
        case .wouldBlock where condition == .readable: break
        case .wouldBlock, .closed, .failed: end()
        }
    }

    private func end() {
        close()
        onClosed?()
    }
}
