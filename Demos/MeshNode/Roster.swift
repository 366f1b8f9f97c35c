import Foundation

/// A node in range, as this node knows it.
struct Peer: Hashable {
    /// A role of the peer towards this node.
    enum Role: String, Hashable, Comparable, Encodable {
        /// The peer is subscribed to this node.
        case central
        /// This node is connected to the service of the peer.
        case peripheral

        static func < (left: Role, right: Role) -> Bool { left.rawValue < right.rawValue }
    }

    let id: UUID
    /// The name in the identity of the peer, or else its identifier.
    var name: String
    var identity: Data?
    /// The roles in alphabetical order; empty if the peer is gone.
    var roles: [Role] = []
}

/// The peers of a node and their roles.
struct Roster {
    private var peers: [UUID: Peer] = [:]
    private var senders: [UUID] = []
    private var greeted: Set<UUID> = []

    /// The peers that are here, by name.
    var present: [Peer] {
        peers.values.filter { !$0.roles.isEmpty }.sorted {
            ($0.name, $0.id.uuidString) < ($1.name, $1.id.uuidString)
        }
    }

    /// The peers that have sent a message, in the order of their first message.
    var speakers: [Peer] { senders.map { peer($0) } }

    /// A peer, with its identifier as its name if its identity is unknown.
    func peer(_ id: UUID) -> Peer { peers[id] ?? Peer(id: id, name: id.uuidString) }

    mutating func identify(_ id: UUID, _ identity: Data) {
        var peer = peer(id)
        peer.identity = identity
        if let name = NodeIdentity(identity)?.name { peer.name = name }
        peers[id] = peer
    }

    /// Adds or removes a role.
    ///
    /// - Returns: Whether this changes the peer.
    mutating func set(_ role: Peer.Role, of id: UUID, to isPresent: Bool) -> Bool {
        var peer = peer(id)
        guard peer.roles.contains(role) != isPresent else { return false }
        peer.roles.removeAll { $0 == role }
        if isPresent { peer.roles = (peer.roles + [role]).sorted() }
        if peer.roles.isEmpty { greeted.remove(id) }
        peers[id] = peer
        return true
    }

    mutating func recordMessage(from id: UUID) {
        if !senders.contains(id) { senders.append(id) }
    }

    /// Whether the peer is present and has not been greeted since it arrived.
    func needsGreeting(_ id: UUID) -> Bool {
        !peer(id).roles.isEmpty && !greeted.contains(id)
    }

    mutating func recordGreeting(of id: UUID) { greeted.insert(id) }
}
