import BluejayCore
import BluejayGLib
import BluejaySimulator
import BluejayTesting
import Foundation
import GameHost

/// A host of a game on the main actor, and players that send anything.
// Used on the loop of the world only, which justifies `@unchecked`.
final class GameHostProduct: ScheduledProduct, @unchecked Swift.Sendable {
    enum Call: ProductCall {
        case startAdvertising, stopAdvertising, disconnectGracefully, release
        case sendToAll(Int), send(Int, player: Int), packet(Int), loseConnection(player: Int)
    }

    static let maximumUserCount = 2
    static let methods = [
        "RegisterApplication", "UnregisterApplication", "RegisterAdvertisement",
        "UnregisterAdvertisement", "GetManagedObjects",
    ]
    static let write = BLEConstants.writeCharacteristicUUID.uuidString
    static let notify = BLEConstants.notifyCharacteristicUUID.uuidString
    private static let vocabulary = StrangerVocabulary(
        served: [write, notify],
        centralCount: 3,
        values: [
            [0, 0, 0, 1, 7], [0, 1, 0, 2, 7], [0, 1, 1, 2, 8], [0, 2, 0, 1], [0, 3, 5, 2, 1],
        ],
        numbered: write
    )

    static func opening(users count: Int) -> [Step<Call>] {
        [Step(pause: .zero, action: .call(user: 0, .startAdvertising))]
            + (0..<2).map {
                Step(
                    pause: .milliseconds(500),
                    action: .stranger(
                        .centralPlays(
                            $0,
                            [.connectTo(adapter: 0, within: .seconds(5)), .subscribe(notify)]
                        )
                    )
                )
            }
    }

    static func call(_ dice: inout Dice) -> Call {
        let (player, length) = (dice.below(3), dice.below(dice.happens(1, of: 4) ? 70_000 : 600))
        return dice.pick([
            (3, .startAdvertising), (1, .stopAdvertising), (1, .disconnectGracefully),
            (1, .release), (5, .sendToAll(length)), (6, .send(length, player: player)),
            (3, .packet(length)), (2, .loseConnection(player: player)),
        ])
    }

    static func stranger(_ dice: inout Dice) -> StrangerAction { dice.stranger(vocabulary) }

    private let stage: Stage
    private let framing: BLEHostManager.Framing
    private let hold: ClockHold?
    private var game: Game?

    init(_ stage: Stage, users count: Int) {
        self.stage = stage
        // The fragments have the same rules as whole messages, apart from their order.
        framing = count == 1 ? .fragments : .raw
        hold = ClockHold(on: stage.world.mainLoop.context)
    }

    private var ownGame: Game {
        let game = game ?? Game(stage)
        self.game = game
        return game
    }

    /// Works with the host on the main actor; virtual time waits.
    private func onMain<Value: Swift.Sendable>(
        _ work: @escaping @MainActor (BLEHostManager) -> Value
    ) async -> Value {
        let game = ownGame
        hold?.startWork()
        let value = await work(game.manager(framing, stage))
        hold?.endWork()
        return value
    }

    private func start(
        _ kind: String,
        by user: Int,
        _ work: @escaping @MainActor (BLEHostManager) -> Void
    ) {
        stage.start(kind, by: user) { [self] in
            await onMain(work)
            return "ok"
        }
    }

    func perform(_ call: Call, by user: Int) {
        switch call {
        case .startAdvertising: start("startAdvertising", by: user) { $0.startAdvertising() }
        case .stopAdvertising: start("stopAdvertising", by: user) { $0.stopAdvertising() }
        case .disconnectGracefully:
            start("disconnectGracefully", by: user) {
                $0.setGoodbyePacket { .broadcast(Data([1])) }
                $0.disconnectGracefully()
            }
        case .sendToAll(let length):
            start("sendData", by: user) { $0.sendData(Data(repeating: 1, count: length), to: nil) }
        case .send(let length, let player):
            start("sendData to a player", by: user) {
                guard player < $0.peerIds.count else { return }
                $0.sendData(Data(repeating: 2, count: length), to: $0.peerIds[player])
            }
        case .packet(let length):
            let game = ownGame
            stage.start("sendPacket", by: user) { [self] in
                let manager = await game.manager(framing, stage)
                await manager.sendPacket(.broadcast(Data(repeating: 3, count: length)))
                return "ok"
            }
        case .loseConnection(let player):
            start("handleConnectionLoss", by: user) {
                guard player < $0.peerIds.count, let central = $0.central(of: $0.peerIds[player])
                else { return }
                $0.handleConnectionLoss(for: central)
            }
        case .release: release()
        }
    }

    func probe() async throws {
        await onMain { $0.stopAdvertising() }
        await stage.pass(.seconds(3))
        await onMain { $0.startAdvertising() }
        try await wait(for: "the advertisement") { $0.isAdvertising }
        let central = Strangers.centralAddress(0)
        let value: [UInt8] = framing == .raw ? [7] : [0, 0, 0, 1, 7]
        try await stage.play(
            central,
            [
                .connectTo(adapter: 0, within: .seconds(30)), .subscribe(Self.notify),
                .write(Self.write, value),
            ]
        ).check()
        try await wait(for: "the player") { $0.connectedPeerCount == 1 }
        let game = ownGame
        try await wait(for: "the message") { _ in game.isReceived(Data([7])) }
        await onMain { $0.sendData(Data([8]), to: nil) }
        try await stage.play(central, [.expect(Self.notify), .disconnect]).check()
    }

    /// Waits for a state of the host, whose events reach the main actor in the time of the machine.
    private func wait(
        for what: String,
        until isSo: @escaping @MainActor (BLEHostManager) -> Bool
    ) async throws {
        for _ in 0..<1_000 {
            if await onMain(isSo) { return }
            await stage.pass(.milliseconds(100))
            await stage.passMachineTime(.milliseconds(2))
        }
        throw ProbeError.noEvent(what)
    }

    func release() {
        guard let game else { return }
        self.game = nil
        stage.start("the release", by: 9) { [hold] in
            hold?.startWork()
            await game.release()
            hold?.endWork()
            return "ok"
        }
    }
}

/// A game that checks its callbacks.
// The checks are on the main actor, and the ledger on the loop.
private final class Game: @unchecked Swift.Sendable {
    @MainActor private var host: BLEHostManager?
    @MainActor private var isHosting = false
    @MainActor private var players: Set<String> = []
    private let values: ReportSequence
    private let stage: Stage
    private let received = LockedValue<Set<Data>>([])

    init(_ stage: Stage) {
        self.stage = stage
        values = ReportSequence("a message of a player", "the game", in: stage.ledger)
        stage.watch(self, "game")
    }

    func isReceived(_ data: Data) -> Bool { received.value.contains(data) }

    @MainActor
    func manager(_ framing: BLEHostManager.Framing, _ stage: Stage) -> BLEHostManager {
        if let host { return host }
        var settings = BLEHostManager.Settings()
        settings.framing = framing
        let host = BLEHostManager(
            sdk: GameReference(self),
            settings: settings,
            host: BluetoothHost(
                mainLoop: stage.world.mainLoop,
                adapter: "hci0",
                busAddress: stage.world.busAddress
            )
        )
        self.host = host
        onLoop { $0.watch(host, "host") }
        return host
    }

    @MainActor func release() { host = nil }

    private func onLoop(_ work: @escaping @Sendable (Stage) -> Void) {
        stage.world.mainLoop.context.post { [stage] in work(stage) }
    }

    private func report(_ event: String, isAllowed: Bool) {
        onLoop { stage in
            stage.ledger.record("game: \(event)")
            if !isAllowed { stage.ledger.violate("the game receives an impossible event", event) }
        }
    }

    @MainActor func startHostAdvertising() -> String {
        report("start", isAllowed: !isHosting)
        isHosting = true
        return "Game"
    }

    @MainActor func stopHostAdvertising() {
        report("stop", isAllowed: isHosting && players.isEmpty)
        isHosting = false
    }

    @MainActor func onPeerConnected(peerId: String, peerName: String) {
        report("\(peerId) joins", isAllowed: isHosting && players.insert(peerId).inserted)
    }

    @MainActor func onPeerDisconnected(peerId: String) {
        report("\(peerId) leaves", isAllowed: players.remove(peerId) != nil)
    }

    @MainActor func onDataReceived(fromPeerId: String, data: Data) {
        report("\(fromPeerId) sends \(data.count)", isAllowed: players.contains(fromPeerId))
        received.update { _ = $0.insert(data) }
        guard let number = Stage.number(data) else { return }
        onLoop { [values] _ in values.received(number, from: fromPeerId) }
    }
}

/// The host retains its game, which retains the host.
@MainActor
private final class GameReference: BrainSDK {
    private weak var game: Game?
    let outgoingPackets: AsyncStream<OutgoingPacket>

    init(_ game: Game) {
        self.game = game
        outgoingPackets = AsyncStream { $0.finish() }
    }

    func startHostAdvertising() -> String { game?.startHostAdvertising() ?? "" }
    func stopHostAdvertising() { game?.stopHostAdvertising() }
    func onPeerConnected(peerId: String, peerName: String) {
        game?.onPeerConnected(peerId: peerId, peerName: peerName)
    }
    func onPeerDisconnected(peerId: String) { game?.onPeerDisconnected(peerId: peerId) }
    func onDataReceived(fromPeerId: String, data: Data) {
        game?.onDataReceived(fromPeerId: fromPeerId, data: data)
    }
}
