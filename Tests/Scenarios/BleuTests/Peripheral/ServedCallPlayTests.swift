import TestSupport
import Testing

@testable import Bleu

/// Random centrals and methods; every call must end exactly once.
@Suite("Random calls")
struct ServedCallPlayTests {
    private struct Play {
        typealias Machine = ServedCallStateMachine

        var generator: SeededGenerator
        var machine = Machine(
            Machine.Settings(queueCapacity: 5, maximumByteCount: 50, maximumReadLength: 512)
        )
        var now = Duration.zero
        var timer: Duration?
        var lastTicket = 0
        var lastCall: UInt16 = 0
        var open: Set<Int> = []
        var streams: Set<Int> = []
        var reads: Set<Int> = []
        var running: Set<Int> = []
        var cancelled: Set<Int> = []
        var replies: Set<Machine.Key> = []

        mutating func perform(_ actions: [Machine.Action]) {
            for action in actions {
                switch action {
                case .run(let ticket):
                    #expect(running.subtracting(cancelled).isEmpty)
                    #expect(open.contains(ticket))
                    running.insert(ticket)
                case .cancel(let ticket):
                    #expect(running.contains(ticket))
                    #expect(cancelled.insert(ticket).inserted)
                case .respond(let ticket), .rejectRead(let ticket, _):
                    #expect(reads.remove(ticket) != nil)
                case .reply(let ticket, let key):
                    #expect(open.contains(ticket))
                    #expect(replies.insert(key).inserted)
                case .refuse(let key, _, _): #expect(replies.insert(key).inserted)
                case .startStream(let ticket, let key):
                    if let key { #expect(replies.insert(key).inserted) }
                    #expect(streams.insert(ticket).inserted)
                case .logUnstarted(let ticket): #expect(open.contains(ticket))
                case .endStream(let ticket): #expect(streams.remove(ticket) != nil)
                case .discard(let ticket):
                    #expect(open.remove(ticket) != nil)
                    cancelled.remove(ticket)
                case .setTimer(let instant): timer = instant
                }
            }
            #expect(running.count <= 6)
        }

        mutating func step() {
            let isDoubled = Int.random(in: 0...4, using: &generator) == 0
            if !isDoubled { lastCall += 1 }
            let key = Machine.Key(session: 1, call: lastCall)
            let method = Int.random(in: 0...2, using: &generator)
            lastTicket += 1
            switch Int.random(in: 0...11, using: &generator) {
            case 0, 1, 2:
                open.insert(lastTicket)
                let isAnswered = Bool.random(using: &generator)
                let bytes = Int.random(in: 0...20, using: &generator)
                perform(
                    machine.called(lastTicket, method, key, bytes: bytes, needsReply: isAnswered)
                )
            case 3:
                open.insert(lastTicket)
                reads.insert(lastTicket)
                perform(machine.read(lastTicket, method, now: now))
            case 4: perform(machine.fetched(method, key))
            case 5, 6: finish(running.randomElement(using: &generator))
            case 7:
                now += .milliseconds(Int.random(in: 0...3000, using: &generator))
                guard let timer, timer <= now else { return }
                self.timer = nil
                perform(machine.timerFired(now: now))
            case 8:
                let call = lastCall - UInt16.random(in: 0...min(6, lastCall), using: &generator)
                perform(machine.cancelled(Machine.Key(session: 1, call: call)))
            case 9:
                open.insert(lastTicket)
                perform(machine.subscribed(lastTicket, method))
            case 10:
                if Int.random(in: 0...5, using: &generator) == 0 {
                    perform(machine.endSubscriptions())
                }
            default:
                if let stream = streams.randomElement(using: &generator) {
                    perform(machine.streamEnded(stream))
                } else if Int.random(in: 0...9, using: &generator) == 0 {
                    perform(machine.unsubscribed(method, now: now))
                } else if Int.random(in: 0...30, using: &generator) == 0 {
                    perform(machine.centralDisconnected())
                    reads = []
                }
            }
        }

        mutating func finish(_ ticket: Int?) {
            guard let ticket else { return }
            running.remove(ticket)
            let outcomes = [
                Machine.Outcome.value(length: .random(in: 0...600, using: &generator)), .failure,
                .stream,
            ]
            perform(machine.finished(ticket, outcomes.randomElement(using: &generator) ?? .failure))
        }
    }

    @Test("Each call ends once, one method runs at a time, and nothing is left", arguments: 1...40)
    func play(seed: UInt64) {
        var play = Play(generator: SeededGenerator(seed: seed))
        for _ in 0..<500 { play.step() }
        play.perform(play.machine.centralDisconnected())
        for ticket in play.running { play.finish(ticket) }
        #expect(play.open.isEmpty && play.streams.isEmpty && play.timer == nil, "seed \(seed)")
    }
}
