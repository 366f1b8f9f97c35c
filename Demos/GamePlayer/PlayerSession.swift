import Bluejay
import BluejayAsync
import BluejayCommandLine
import Foundation
import GameHost
import GameRules

/// One player: finds a host, subscribes and answers.
@MainActor
final class PlayerSession {
    private static let service = ServiceIdentifier(uuid: BLEConstants.serviceUUID.uuidString)
    private static let writing = CharacteristicIdentifier(
        uuid: BLEConstants.writeCharacteristicUUID.uuidString,
        service: service
    )
    private static let notifying = CharacteristicIdentifier(
        uuid: BLEConstants.notifyCharacteristicUUID.uuidString,
        service: service
    )

    private let bluejay: Bluejay
    private let name: String
    private let isAuto: Bool
    private let isJSON: Bool
    private let reassembler = PacketReassembler()
    private var fragmenter = PacketFragmenter()
    private var round: Int?
    private var isEnded = false
    /// The reason why the player did not play to the end, or `nil`.
    private(set) var failure: String?

    init(name: String, isAuto: Bool, isJSON: Bool, adapter: String?) {
        self.name = name
        self.isAuto = isAuto
        self.isJSON = isJSON
        bluejay = Bluejay(host: BluetoothHost(adapter: adapter))
    }

    /// Plays until the host says goodbye or the link ends.
    func play() async {
        do {
            await bluejay.start()
            let host = try await bluejay.connect(
                toFirst: .anyService([Self.service]),
                within: .none
            )
            show("connected", "\(host)")
            let values = bluejay.values(of: Self.notifying, as: Data.self)
            var iterator = values.makeAsyncIterator()
            try await send(.ready(name: name))
            while !isEnded, let value = try await iterator.next() {
                if let whole = reassembler.addFragment(value), let message = GameMessage(whole) {
                    receive(message)
                }
            }
        } catch is CancellationError {
            return
        } catch {
            if !isEnded { failure = "\(error)" }
        }
    }

    func disconnect() async { _ = try? await bluejay.disconnect(immediate: true) }

    func submitAnswer(_ text: String) {
        guard let round, let sum = Int(text) else { return }
        Task { try? await send(.answer(round: round, sum: sum)) }
    }

    private func receive(_ message: GameMessage) {
        switch message {
        case .lobby(let seats): show("lobby", seats.map(\.name).joined(separator: ", "))
        case .question(let round, let a, let b):
            self.round = round
            show("question", "\(a) + \(b)")
            if isAuto { think(round, a + b) }
        case .point(_, let role, let sum, let points):
            show("point", "\(sum), says the \(role): \(points)")
        case .won(let role): show("won", "the \(role)")
        case .goodbye:
            isEnded = true
            show("goodbye", "the host ended the game")
        case .ready, .answer: break
        }
    }

    private func think(_ round: Int, _ sum: Int) {
        Task {
            try? await Task.sleep(for: .milliseconds(Int.random(in: 100...800)))
            try? await send(.answer(round: round, sum: sum))
        }
    }

    private func send(_ message: GameMessage) async throws {
        for fragment in try fragmenter.fragment(message.data) {
            try await bluejay.write(to: Self.writing, value: fragment)
        }
    }

    private func show(_ event: String, _ text: String) {
        let line =
            isJSON
            ? (try? JSONLines().line(["event": event, "text": text])) ?? ""
            : "\(event): \(text.printable)"
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
