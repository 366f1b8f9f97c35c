import BluejayCommandLine
import Foundation
import MeshPeer

/// A file on its way to or from a peer.
struct Transfer: Hashable {
    enum Direction: String, Encodable { case from, to }

    let number: Int
    let direction: Direction
    let peer: Peer
    var file: String
    var transferredCount = 0
    var total = 0

    /// The bar of the transfer, such as `notes.txt to Ben  [#####·····]  50 %`.
    func bar(width: Int = 20) -> String {
        let filled = total > 0 ? transferredCount * width / total : 0
        let bar =
            String(repeating: "#", count: filled) + String(repeating: "·", count: width - filled)
        return "\(title)  [\(bar)]  \(percent) %"
    }

    /// The file and the peer, short enough for one row of a terminal.
    var title: String {
        let name = file.count > 24 ? "\(file.prefix(23))…" : file
        return "\(name.printable) \(direction.rawValue) \(String(peer.name.prefix(36)).printable)"
    }

    var percent: Int { total > 0 ? transferredCount * 100 / total : 0 }
}

/// An event of the demo: a line for people, or an object for programs.
enum NodeEvent: Hashable {
    case bluetooth(BluetoothState)
    case advertising(Bool, name: String)
    case scanning(Bool)
    /// A peer has gained or lost a role.
    case peer(Peer)
    case received(String, from: Peer)
    case sent(String, peers: Int)
    case unsent(String, to: Peer, reason: String)
    case progress(Transfer)
    /// A transfer has ended; `path` is the place of a received file that was saved.
    case transferred(Transfer, checksum: UInt32, path: String?)
    case notTransferred(Transfer, reason: String)
    case note(String)

    /// The line for people; `nil` for an event that only programs need.
    func text(on terminal: Terminal) -> String? {
        switch self {
        case .bluetooth(let state): "\(state)"
        case .advertising(let isOn, let name): isOn ? "advertising \(name.printable)" : nil
        case .scanning(let isOn): isOn ? terminal.styled("  scanning", .dim) : nil
        case .peer(let peer): Self.text(peer, on: terminal)
        case .received(let text, let peer):
            "\(terminal.styled(peer.name.printable, .bold)): \(text.printable)"
        case .sent(let text, let peers): "> \(text.printable)  (to \(peers))"
        case .unsent(let text, let peer, let reason):
            "not sent to \(peer.name.printable): \(text.printable) (\(reason))"
        case .progress: nil
        case .transferred(let transfer, _, let path):
            transfer.bar() + (path.map { "  saved as \($0.printable)" } ?? "")
        case .notTransferred(let transfer, let reason):
            "\(transfer.title) failed: \(reason.printable)"
        case .note(let text): text
        }
    }

    private static func text(_ peer: Peer, on terminal: Terminal) -> String {
        let name = peer.name.printable
        guard !peer.roles.isEmpty else { return "\(terminal.styled("○", .red)) \(name)  gone" }
        let roles = peer.roles.map(\.rawValue).joined(separator: " and ")
        let identifier = name == peer.id.uuidString ? "" : "  \(peer.id)"
        return "\(terminal.styled("●", .green)) \(name)  \(roles)\(identifier)"
    }

    /// The object for programs; `nil` for a note.
    var object: NodeEventJSON? {
        switch self {
        case .bluetooth(let state): NodeEventJSON(event: "bluetooth", reason: "\(state)")
        case .advertising(let isOn, let name):
            NodeEventJSON(event: "advertising", isActive: isOn, name: name)
        case .scanning(let isOn): NodeEventJSON(event: "scanning", isActive: isOn)
        case .peer(let peer):
            NodeEventJSON(event: "peer", peer, identity: peer.identity, roles: peer.roles)
        case .received(let text, let peer): NodeEventJSON(event: "received", peer, text: text)
        case .sent(let text, let peers): NodeEventJSON(event: "sent", peers: peers, text: text)
        case .unsent(let text, let peer, let reason):
            NodeEventJSON(event: "unsent", peer, reason: reason, text: text)
        case .progress(let transfer): NodeEventJSON(event: "progress", transfer)
        case .transferred(let transfer, let checksum, let path):
            NodeEventJSON(event: "transferred", transfer, checksum: checksum, path: path)
        case .notTransferred(let transfer, let reason):
            NodeEventJSON(event: "notTransferred", transfer, reason: reason)
        case .note: nil
        }
    }
}

/// One line of `mesh-node --json`; values that do not belong to the event are absent.
struct NodeEventJSON: Encodable {
    let event: String
    var isActive: Bool?
    var peer: UUID?
    var name: String?
    var identity: Data?
    var roles: [Peer.Role]?
    var peers: Int?
    var text: String?
    var reason: String?
    var file: String?
    var direction: Transfer.Direction?
    var bytes: Int?
    var total: Int?
    /// The CRC-32 in eight hexadecimal digits.
    var checksum: String?
    var path: String?

    init(
        event: String,
        isActive: Bool? = nil,
        name: String? = nil,
        peers: Int? = nil,
        reason: String? = nil,
        text: String? = nil
    ) {
        self.event = event
        self.isActive = isActive
        self.name = name
        self.peers = peers
        self.reason = reason
        self.text = text
    }

    init(
        event: String,
        _ peer: Peer,
        identity: Data? = nil,
        roles: [Peer.Role]? = nil,
        reason: String? = nil,
        text: String? = nil
    ) {
        self.init(event: event, name: peer.name, reason: reason, text: text)
        self.peer = peer.id
        self.identity = identity
        self.roles = roles
    }

    init(
        event: String,
        _ transfer: Transfer,
        checksum: UInt32? = nil,
        path: String? = nil,
        reason: String? = nil
    ) {
        self.init(event: event, transfer.peer, reason: reason)
        file = transfer.file
        direction = transfer.direction
        bytes = transfer.transferredCount
        total = transfer.total
        self.checksum = checksum.map {
            let digits = String($0, radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }
        self.path = path
    }
}
