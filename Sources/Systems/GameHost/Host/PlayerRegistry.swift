internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGATTServer
internal import BluejayGLib
internal import FoundationEssentials

/// The players of a session: their ids, the lengths of their values, and their unread messages.
///
/// After a change of the players or their values, the owner updates the members of the sender.
final class PlayerRegistry {
    /// The maximum size of unread messages from one player; each message counts 64 bytes more.
    static let maximumUnreadSize = 262_144

    private var roster: RosterStateMachine<PeripheralIdentifier>
    private var valueLengths: [PeripheralIdentifier: Int] = [:]
    private var unread: [String: Int] = [:]
    private let reassembler: PacketReassembler
    private let framing: BLEHostManager.Framing
    private let clock: any EventClock
    private let events: HostEvents
    private let log: Log

    init(
        _ settings: BLEHostManager.Settings,
        clock: any EventClock,
        events: HostEvents,
        log: Log
    ) {
        framing = settings.framing
        self.clock = clock
        self.events = events
        self.log = log
        reassembler = PacketReassembler(now: { clock.now })
        roster = RosterStateMachine(
            maximumPeers: settings.maximumPeers,
            window: settings.reconnectionWindow,
            idHash: { PeerIDHash.of($0.uuid) }
        )
    }

    /// The players as members of the outbox; those at a `shared` central receive only what all receive.
    func recipients(shared: [PeripheralIdentifier]) -> [OutboxStateMachine.Recipient] {
        roster.players.map {
            OutboxStateMachine.Recipient(
                id: $0.id,
                valueLength: valueLength(of: $0.central),
                isUnsubscribed: $0.isUnsubscribed,
                isShared: shared.contains($0.central)
            )
        }
    }

    /// The id of the player at a central, or `nil` if the central does not play.
    func id(of central: PeripheralIdentifier) -> String? { roster.player(central)?.id }

    func central(of id: String) -> PeripheralIdentifier? { roster.player(id: id)?.central }

    /// Removes all players without an event for each, and forgets the ids of former players.
    func reset() {
        for player in roster.players { reassembler.forget(player.id) }
        roster.reset()
        unread = [:]
    }

    // MARK: Joining and leaving

    func subscribed(_ central: PeripheralIdentifier) {
        perform(roster.subscribed(central, at: clock.now))
    }

    func unsubscribed(_ central: PeripheralIdentifier) {
        roster.unsubscribed(central)
    }

    /// Adds a central that uses the service and whose subscription BlueZ cannot report.
    func attributeAccessed(by central: PeripheralIdentifier) {
        perform(roster.attributeAccessed(by: central, at: clock.now))
    }

    func disconnected(_ central: PeripheralIdentifier) {
        valueLengths[central] = nil
        perform(roster.disconnected(central, at: clock.now))
    }

    /// Removes a player whose link the app considers lost.
    ///
    /// - Returns: Whether the central was a player.
    func lost(_ identifier: UUID) -> Bool {
        guard let player = roster.players.first(where: { $0.central.uuid == identifier }) else {
            return false
        }
        perform(roster.lost(player.central, at: clock.now))
        return true
    }

    func allLeft() {
        perform(roster.allLeft(at: clock.now))
    }

    /// Records that pairing has replaced the address of a central.
    func identified(_ old: PeripheralIdentifier, as new: PeripheralIdentifier) {
        valueLengths[new] = valueLengths.removeValue(forKey: old)
        roster.identified(old, as: new)
        if let id = id(of: new) { events.send(.changed(central(new), id: id)) }
    }

    private func perform(_ actions: [RosterStateMachine<PeripheralIdentifier>.Action]) {
        for action in actions {
            switch action {
            case .playerJoined(let central, let id, let number):
                log.debug("player joined", ["player": "\(id)", "central": "\(central)"])
                events.send(.playerJoined(self.central(central), id: id, name: "Player \(number)"))
            case .playerLeft(let central, let id):
                log.debug("player left", ["player": "\(id)", "central": "\(central)"])
                reassembler.forget(id)
                unread[id] = nil
                events.send(.playerLeft(id: id))
            }
        }
    }

    // MARK: Values

    /// Stores the maximum length of a value for a central.
    ///
    /// - Returns: The event to send after the update of the members; `nil` without a change for a player.
    func setValueLength(_ length: Int, of central: PeripheralIdentifier) -> HostEvent? {
        guard valueLengths[central] != length else { return nil }
        valueLengths[central] = length
        return id(of: central).map { .changed(self.central(central), id: $0) }
    }

    private func valueLength(of central: PeripheralIdentifier) -> Int {
        valueLengths[central] ?? BLEConstants.defaultMTU
    }

    private func central(_ identifier: PeripheralIdentifier) -> Central {
        Central(
            identifier: identifier.uuid,
            maximumUpdateValueLength: valueLength(of: identifier)
        )
    }

    /// Receives a value from a player, which is a message or a fragment of one.
    func receive(_ value: Data, from id: String) {
        switch framing {
        case .raw: deliver(value, from: id)
        case .fragments:
            let message = reassembler.addFragment(value, from: id)
            events.count { $0.fragments = reassembler.statistics }
            if let message { deliver(message, from: id) }
        }
    }

    private func deliver(_ message: Data, from id: String) {
        let size = message.count + 64
        guard unread[id, default: 0] + size <= Self.maximumUnreadSize else {
            return events.count { $0.unreadMessageCount += 1 }
        }
        unread[id, default: 0] += size
        events.send(.data(message, from: id))
    }

    /// Makes room for more messages after the main actor has read one.
    func delivered(_ size: Int, from id: String) {
        guard let waiting = unread[id] else { return }
        unread[id] = waiting > size ? waiting - size : nil
    }
}

/// The hash from which the id of a player is made.
enum PeerIDHash {
    /// Returns an FNV-1a hash of all 16 bytes: the first bytes of an identifier name the manufacturer only.
    static func of(_ identifier: UUID) -> UInt32 {
        let bytes = identifier.uuid
        let all = [
            bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5, bytes.6, bytes.7, bytes.8,
            bytes.9, bytes.10, bytes.11, bytes.12, bytes.13, bytes.14, bytes.15,
        ]
        return all.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    }
}
