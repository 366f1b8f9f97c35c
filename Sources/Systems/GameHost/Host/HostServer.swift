internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGATTServer
internal import BluejayGLib
internal import FoundationEssentials

/// The side of a host that is on the loop: performs what the machines decide.
// It is used on the loop only, but for `shown`; `BLEHostManager` posts: the invariant behind `@unchecked`.
final class HostServer: @unchecked Swift.Sendable {
    typealias Events = AsyncStream<NumberedEvent>.Continuation

    /// The most bytes that wait for the main actor, from one player; each message counts 64 more.
    static let maximumUnreadSize = 262_144

    let shown: Snapshot<HostStatistics>
    let settings: BLEHostManager.Settings
    let events: Events
    let reassembler: PacketReassembler
    let clock: any EventClock
    let server: GATTServer
    var service: LocalService?
    var notifying: LocalCharacteristic?

    var session = 0
    var machine = SessionMachine()
    var roster: RosterMachine<PeripheralIdentifier>
    var outbox: OutboxMachine
    /// The messages that the outbox has.
    var messages: [Int: OutgoingPacket] = [:]
    var lastMessage = 0
    var told: HostState?
    var valueLengths: [PeripheralIdentifier: Int] = [:]
    var unread: [String: Int] = [:]
    var flushTimer: ScheduledTimer?
    var goodbye: Goodbye?
    let log = Log("bluejay.gamehost", to: nil)

    struct Goodbye {
        let earliest: Duration
        let limit: ScheduledTimer
        var rest: ScheduledTimer?
    }

    /// Made on the loop.
    init(
        _ settings: BLEHostManager.Settings,
        _ host: BluetoothHost,
        _ events: Events,
        _ shown: Snapshot<HostStatistics>
    ) {
        self.settings = settings
        self.events = events
        self.shown = shown
        let clock = BlueZEngine.shared(on: host.mainLoop, busAddress: host.busAddress).client.clock
        self.clock = clock
        reassembler = PacketReassembler(now: { clock.now })
        server = GATTServer(host: host)
        roster = RosterMachine(
            maximumPeers: settings.maximumPeers,
            window: settings.reconnectionWindow,
            digest: { PeerDigest.of($0.uuid) }
        )
        outbox = OutboxMachine(
            OutboxMachine.Settings(
                isRaw: settings.framing == .raw,
                maximumSize: settings.maximumQueuedBytes
            )
        )
        follow()
    }

    func follow() {
        server.onStateChange = { [weak self] in self?.bluetoothChanged($0) }
        server.onConnectionChange = { [weak self] central, isConnected in
            if !isConnected { self?.left(central) }
        }
        server.onCentralChange = { [weak self] in self?.centralChanged($0) }
        server.onAdvertisingEnded = { [weak self] error in
            guard let self else { return }
            perform(machine.advertisementEnded(error.map { "\($0)" } ?? "it has ended by itself"))
        }
        server.onServiceEnded = { [weak self] _, error in
            guard let self else { return }
            perform(machine.serviceEnded("\(error)"))
        }
    }

    // MARK: Wishes of the main actor

    func start(_ session: Int) {
        self.session = session
        told = nil
        roster.reset()
        server.start()
        tell(.bluetooth(server.bluetoothState))
        perform(machine.start(session))
        bluetoothChanged(server.bluetoothState)
    }

    /// Players are not told of one by one: the main actor knows them.
    func stop() {
        goodbye = nil
        for player in roster.players { reassembler.forget(player.id) }
        roster.reset()
        unread = [:]
        membersChanged()
        perform(machine.stop())
    }

    func named(_ name: String, _ session: Int) {
        perform(machine.named(AdvertisedName.cut(name), session: session))
    }

    func offer(_ packet: OutgoingPacket) {
        lastMessage += 1
        messages[lastMessage] = packet
        let message = OutboxMachine.Message(
            number: lastMessage,
            length: packet.data.count,
            target: packet.targetPeerId
        )
        perform(outbox.offer(message))
    }

    func delivered(_ size: Int, from id: String) {
        guard let waiting = unread[id] else { return }
        unread[id] = waiting > size ? waiting - size : nil
    }

    /// The app takes a player for lost.
    func lose(_ identifier: UUID) {
        guard let player = roster.players.first(where: { $0.central.uuid == identifier }) else {
            return
        }
        perform(roster.lost(player.central, at: clock.now))
    }

    func sayGoodbye(_ packet: OutgoingPacket?) {
        guard goodbye == nil else { return }
        if let packet { offer(packet) }
        flush()
        let delay = settings.goodbyeDelay
        goodbye = Goodbye(
            earliest: clock.now + delay,
            limit: clock.schedule(after: max(delay, .milliseconds(300))) { [weak self] in
                self?.endGoodbye()
            }
        )
        lookAtGoodbye()
    }

    func lookAtGoodbye() {
        guard let goodbye, outbox.isEmpty else { return }
        guard clock.now < goodbye.earliest else { return endGoodbye() }
        self.goodbye?.rest = clock.schedule(after: goodbye.earliest - clock.now) { [weak self] in
            self?.lookAtGoodbye()
        }
    }

    func endGoodbye() {
        guard goodbye != nil else { return }
        goodbye = nil
        tell(.saidGoodbye)
    }

    // MARK: Telling

    func valueLength(of central: PeripheralIdentifier) -> Int {
        valueLengths[central] ?? BLEConstants.defaultMTU
    }

    func central(_ identifier: PeripheralIdentifier) -> Central {
        Central(
            identifier: identifier.uuid,
            maximumUpdateValueLength: valueLength(of: identifier)
        )
    }

    func tellState() {
        let state: HostState =
            switch machine.standing {
            case .idle: .idle
            case .waiting: .waitingForBluetooth(server.bluetoothState)
            case .adding: .addingService
            case .advertising(let name): .advertising(name: name)
            case .failed(let reason): .failed(reason)
            }
        guard state != told else { return }
        told = state
        tell(.state(state))
    }

    func tell(_ event: HostEvent) {
        events.yield(NumberedEvent(session: session, event: event))
    }
}
