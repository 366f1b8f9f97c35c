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
    case unsent(Data, reason: String)
    case received(Data)
    /// The connection was lost and is being re-established.
    case lost(UUID)
    /// The connection is re-established.
    case back(UUID)
    /// The connection ended and is not re-established.
    case gone(UUID, reason: String)
    /// The radio requires pairing, and a person must type its number.
    case numberWanted(UUID)
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
        case .unsent(let data, let reason): "not sent: \(MeshCommand(data)) (\(reason.printable))"
        case .received(let data): "< \(MeshAnswer(data))"
        case .lost: terminal.styled("the connection is lost, and is made again", .bold)
        case .back: terminal.styled("the connection is back", .bold)
        case .gone(_, let reason): "the connection is gone: \(reason.printable)"
        case .numberWanted: "the radio shows a number; type it:"
        case .failed(let reason): "failed: \(reason.printable)"
        }
    }

    package var object: ChatObject {
        switch self {
        case .searching: ChatObject(event: "searching")
        case .found(let device, let rssi): ChatObject(event: "found", device: device, rssi: rssi)
        case .bluetooth(let state): ChatObject(event: "bluetooth", reason: "\(state)")
        case .phase(let phase):
            ChatObject(event: "phase", device: phase.deviceID, phase: phase.name)
        case .state(let state):
            ChatObject(
                event: "state",
                colour: "\(state.indicator.colour)",
                spinner: state.indicator.showsSpinner,
                state: "\(state)"
            )
        case .sent(let data):
            ChatObject(event: "sent", bytes: data, packet: "\(MeshCommand(data))")
        case .unsent(let data, let reason):
            ChatObject(
                event: "unsent",
                bytes: data,
                packet: "\(MeshCommand(data))",
                reason: reason
            )
        case .received(let data):
            ChatObject(event: "received", bytes: data, packet: "\(MeshAnswer(data))")
        case .lost(let device): ChatObject(event: "lost", device: device)
        case .back(let device): ChatObject(event: "back", device: device)
        case .gone(let device, let reason):
            ChatObject(event: "gone", device: device, reason: reason)
        case .numberWanted(let device): ChatObject(event: "numberWanted", device: device)
        case .failed(let reason): ChatObject(event: "failed", reason: reason)
        }
    }
}

/// One line of `mesh-chat --json`; fields that do not belong to the event are absent.
package struct ChatObject: Encodable {
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
            switch indicator.colour {
            case .red: .red
            case .yellow: .yellow
            case .green: .green
            }
        return terminal.styled("●", style) + " \(self)" + (indicator.showsSpinner ? " ..." : "")
    }
}
