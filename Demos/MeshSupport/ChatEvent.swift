package import BluejayCommandLine
package import Foundation
package import PocketMesh

/// An event of mesh-chat: a line for people, or an object for programs.
package enum ChatEvent: Sendable {
    case searching
    case found(UUID, rssi: Int?)
    case bluetooth(BluetoothState)
    case phase(BLEPhase)
    case state(ConnectionState)
    case sent(Data)
    case sendFailed(Data, reason: String)
    case received(Data)
    /// The connection was lost and is being re-established.
    case connectionLost(UUID)
    /// The connection is re-established.
    case reconnected(UUID)
    /// The connection ended and is not re-established.
    case disconnected(UUID, reason: String)
    /// The radio requires pairing, and a person must type its number.
    case passkeyRequested(UUID)
    case failed(reason: String)

    /// The line for people, coloured if the terminal supports it.
    package func text(on terminal: Terminal) -> String {
        switch self {
        case .searching: "searching for a radio"
        case .found(let device, let rssi):
            "found \(device)" + (rssi.map { ", \($0) dBm" } ?? "")
        case .bluetooth(let state): "Bluetooth: \(state)"
        case .phase(let phase): terminal.styled("  \(phase.name)", .dim)
        case .state(let state): state.text(on: terminal)
        case .sent(let data): "> \(MeshCommand(data))"
        case .sendFailed(let data, let reason):
            "not sent: \(MeshCommand(data)) (\(reason.printable))"
        case .received(let data): "< \(MeshResponse(data))"
        case .connectionLost: terminal.styled("connection lost; reconnecting", .bold)
        case .reconnected: terminal.styled("reconnected", .bold)
        case .disconnected(_, let reason): "disconnected: \(reason.printable)"
        case .passkeyRequested: "enter the passkey shown by the radio:"
        case .failed(let reason): "failed: \(reason.printable)"
        }
    }

    package var object: ChatEventJSON {
        switch self {
        case .searching: ChatEventJSON(event: "searching")
        case .found(let device, let rssi): ChatEventJSON(event: "found", device: device, rssi: rssi)
        case .bluetooth(let state): ChatEventJSON(event: "bluetooth", reason: "\(state)")
        case .phase(let phase):
            ChatEventJSON(event: "phase", device: phase.deviceID, phase: phase.name)
        case .state(let state):
            ChatEventJSON(
                event: "state",
                colour: "\(state.indicator.color)",
                spinner: state.indicator.showsSpinner,
                state: "\(state)"
            )
        case .sent(let data):
            ChatEventJSON(event: "sent", bytes: data, packet: "\(MeshCommand(data))")
        case .sendFailed(let data, let reason):
            ChatEventJSON(
                event: "unsent",
                bytes: data,
                packet: "\(MeshCommand(data))",
                reason: reason
            )
        case .received(let data):
            ChatEventJSON(event: "received", bytes: data, packet: "\(MeshResponse(data))")
        case .connectionLost(let device): ChatEventJSON(event: "lost", device: device)
        case .reconnected(let device): ChatEventJSON(event: "back", device: device)
        case .disconnected(let device, let reason):
            ChatEventJSON(event: "gone", device: device, reason: reason)
        case .passkeyRequested(let device): ChatEventJSON(event: "numberWanted", device: device)
        case .failed(let reason): ChatEventJSON(event: "failed", reason: reason)
        }
    }
}

/// One line of `mesh-chat --json`; fields that do not belong to the event are absent.
package struct ChatEventJSON: Encodable {
    let event: String
    var device: UUID?
    var bytes: Data?
    var colour: String?
    var packet: String?
    var phase: String?
    var reason: String?
    var rssi: Int?
    var spinner: Bool?
    var state: String?
}

extension ConnectionState {
    fileprivate func text(on terminal: Terminal) -> String {
        let style: Terminal.Style =
            switch indicator.color {
            case .red: .red
            case .yellow: .yellow
            case .green: .green
            }
        return terminal.styled("●", style) + " \(self)" + (indicator.showsSpinner ? " ..." : "")
    }
}
