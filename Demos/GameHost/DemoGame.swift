import BluejayCommandLine
import Foundation
import GameHost
import GameRules

/// The game of the host: it keeps the table and decides which messages are sent.
@MainActor
final class DemoGame: BrainSDK {
    let outgoingPackets: AsyncStream<OutgoingPacket>
    private let packets: AsyncStream<OutgoingPacket>.Continuation
    private let name: String
    private let display: any LobbyDisplay
    /// The number of players that starts the game automatically; `nil` waits for `start`.
    private let players: Int?
    private var table: QuickSum
    private var numbers = SystemRandomNumberGenerator()
    private var pause: Task<Void, Never>?
    private(set) var hasHosted = false

    init(name: String, players: Int?, points: Int, display: any LobbyDisplay) {
        self.name = name
        self.players = players
        self.display = display
        table = QuickSum(pointsToWin: points)
        (outgoingPackets, packets) = AsyncStream.makeStream()
    }

    func goodbye() -> OutgoingPacket {
        if hasHosted { display.report(.goodbye) }
        return .broadcast(GameMessage.goodbye.data)
    }

    /// Starts the game if all players are ready and have a role.
    func start() {
        guard table.canStart else { return display.printLine("some players are not ready") }
        send(table.start(&numbers))
    }

    func showHint(_ text: String) { display.printLine(text) }

    // MARK: BrainSDK

    func startHostAdvertising() -> String {
        hasHosted = true
        display.show(table.seats, canStart: false)
        return name
    }

    func stopHostAdvertising() { pause?.cancel() }

    func onPeerConnected(peerId: String, peerName: String) {
        display.event("joined", peerId, ["name": peerName])
        send(table.playerJoined(peerId, peerName))
    }

    func onPeerDisconnected(peerId: String) {
        display.event("left", peerId, [:])
        send(table.playerLeft(peerId))
    }

    func onDataReceived(fromPeerId: String, data: Data) {
        guard let message = GameMessage(data) else { return }
        switch message {
        case .answer(let round, let sum):
            display.event("answer", fromPeerId, ["round": "\(round)", "sum": "\(sum)"])
        case .ready(let name): display.event("ready", fromPeerId, ["name": name])
        default: return
        }
        send(table.received(message, from: fromPeerId, &numbers))
    }

    private func send(_ messages: [GameMessage]) {
        for message in messages {
            packets.yield(.broadcast(message.data))
            display.report(message)
            switch message {
            case .question: after(.seconds(10)) { $0.send($0.table.skip(&$0.numbers)) }
            case .won, .lobby: display.show(table.seats, canStart: table.canStart)
            default: break
            }
        }
        guard table.question == nil, let players, table.seats.count >= players, table.canStart
        else { return }
        after(.seconds(1)) { $0.send($0.table.start(&$0.numbers)) }
    }

    private func after(_ time: Duration, _ work: @escaping @MainActor (DemoGame) -> Void) {
        pause?.cancel()
        pause = Task { @MainActor [weak self] in
            guard (try? await Task.sleep(for: time)) != nil, let self else { return }
            work(self)
        }
    }
}
