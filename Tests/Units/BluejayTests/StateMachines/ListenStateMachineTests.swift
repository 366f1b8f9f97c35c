import TestSupport
import Testing

@testable import Bluejay

@Suite("Listens")
struct ListenStateMachineTests {
    private typealias Listens = ListenStateMachine<String>

    private func listening(_ option: MultipleListenOption) -> Listens {
        var listens = Listens()
        _ = listens.requested("a", 1, option: option)
        _ = listens.started("a", 1)
        return listens
    }

    @Test("A listen receives values once it is set up")
    func receives() {
        var listens = Listens()
        let answer1 = listens.requested("a", 1, option: .trap)
        #expect(answer1)
        #expect(listens.receiverID(for: "a") == nil)
        #expect(listens.started("a", 1) == nil)
        #expect(listens.receiverID(for: "a") == 1)
    }

    @Test("A second listen is refused if the first one traps, also during the set-up")
    func traps() {
        var listens = Listens()
        _ = listens.requested("a", 1, option: .trap)
        let answer2 = listens.requested("a", 2, option: .replaceable)
        #expect(!answer2)
        let answer3 = listens.requested("b", 3, option: .trap)
        #expect(answer3)
    }

    @Test("A replaceable listen is replaced only when the new one is set up")
    func replaces() {
        var listens = listening(.replaceable)
        let answer4 = listens.requested("a", 2, option: .trap)
        #expect(answer4)
        #expect(listens.receiverID(for: "a") == 1)
        #expect(listens.started("a", 2) == 1)
        #expect(listens.receiverID(for: "a") == 2)
    }

    @Test("The option of the newest listen decides whether another one may replace it")
    func newestDecides() {
        var listens = listening(.replaceable)
        _ = listens.requested("a", 2, option: .trap)
        _ = listens.started("a", 2)
        let third = listens.requested("a", 3, option: .replaceable)
        #expect(!third)
    }

    @Test("Moved listens keep their order and their options")
    func moves() {
        var listens = Listens()
        _ = listens.requested("any", 1, option: .replaceable, isKept: true)
        _ = listens.requested("any", 2, option: .trap)
        let isMoved = listens.move("any", to: "a")
        #expect(isMoved && !listens.isListening(to: "any"))
        #expect(listens.key(of: 2) == "a")
        #expect(listens.started("a", 1) == nil)
        #expect(listens.retainedIDs == [1])
        let third = listens.requested("a", 3, option: .trap)
        #expect(!third)
        #expect(listens.started("a", 2) == 1)
        let isNothingMoved = listens.move("any", to: "a")
        #expect(isNothingMoved)
    }

    @Test("Listens are moved after existing ones, unless an existing one traps")
    func movesBehind() {
        var listens = listening(.replaceable)
        _ = listens.requested("any", 2, option: .trap)
        let isMoved = listens.move("any", to: "a")
        #expect(isMoved)
        #expect(listens.receiverID(for: "a") == 1)
        #expect(listens.started("a", 2) == 1)
        _ = listens.requested("any", 3, option: .replaceable)
        let isRefused = !listens.move("any", to: "a")
        #expect(isRefused && listens.key(of: 3) == "any")
        listens.failed("any", 3)
        #expect(listens.key(of: 3) == nil)
    }

    @Test(
        "The end of a link ends the receiving listens, and keeps those that wait for their set-up"
    )
    func candidatesOutliveLink() {
        var listens = listening(.replaceable)
        _ = listens.requested("a", 2, option: .replaceable)
        _ = listens.requested("b", 3, option: .trap, isKept: true)
        let ended = listens.linkEnded()
        #expect(ended == [1])
        #expect(listens.isCandidate("a", 2))
        #expect(listens.isCandidate("b", 3))
        #expect(listens.started("b", 3) == nil)
        #expect(listens.retainedIDs == [3])
    }

    @Test("After a failed replacement, another listen may replace the first one")
    func replaceableAgain() {
        var listens = listening(.replaceable)
        _ = listens.requested("a", 2, option: .trap)
        listens.failed("a", 2)
        let third = listens.requested("a", 3, option: .trap)
        #expect(third)
    }

    @Test("A failed replacement leaves the working listen unchanged")
    func failedReplacement() {
        var listens = listening(.replaceable)
        _ = listens.requested("a", 2, option: .replaceable)
        listens.failed("a", 2)
        #expect(listens.receiverID(for: "a") == 1)
    }

    @Test("A failed listen does not block the next one")
    func failed() {
        var listens = Listens()
        _ = listens.requested("a", 1, option: .trap)
        listens.failed("a", 1)
        #expect(!listens.isListening(to: "a"))
        let answer5 = listens.requested("a", 2, option: .trap)
        #expect(answer5)
    }

    @Test("The end of a listen also ends the waiting ones")
    func ends() {
        var listens = listening(.replaceable)
        _ = listens.requested("a", 2, option: .replaceable)
        #expect(listens.endRequested("a") == [1, 2])
        #expect(listens.started("a", 2) == nil)
        #expect(listens.receiverID(for: "a") == nil)
    }

    @Test("A listen requested after an end is set up in order")
    func endsAndBegins() {
        var listens = listening(.trap)
        _ = listens.endRequested("a")
        let answer6 = listens.requested("a", 2, option: .trap)
        #expect(answer6)
        #expect(listens.receiverID(for: "a") == nil)
        #expect(listens.started("a", 2) == nil)
        #expect(listens.receiverID(for: "a") == 2)
    }

    @Test("All listens end with the link, in the order of creation")
    func linkEnds() {
        var listens = listening(.trap)
        _ = listens.requested("b", 2, option: .trap)
        _ = listens.started("b", 2)
        #expect(listens.linkEnded() == [1, 2])
        #expect(!listens.isListening(to: "a"))
    }

    @Test(
        "Each accepted listen ends once: it is replaced, ended, failed, or ends with the link",
        arguments: 0..<200
    )
    func conservation(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var listens = ListenStateMachine<Int>()
        var open: [Int: Int] = [:]
        func end(_ id: Int) {
            #expect(open.removeValue(forKey: id) != nil, "seed \(seed): \(id) ended twice")
        }
        for id in 1...200 {
            let key = Int.random(in: 0..<3, using: &random)
            let waiting = open.first { listens.isCandidate($0.value, $0.key) }
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                let option: MultipleListenOption =
                    Bool.random(using: &random) ? .trap : .replaceable
                if listens.requested(key, id, option: option) { open[id] = key }
            case 4..<7:
                guard let waiting else { continue }
                if let replaced = listens.started(waiting.value, waiting.key) { end(replaced) }
            case 7:
                guard let waiting else { continue }
                listens.failed(waiting.value, waiting.key)
                end(waiting.key)
            case 8: listens.endRequested(key).forEach(end)
            default: listens.linkEnded().forEach(end)
            }
            for (id, key) in open {
                let isAlive = listens.isCandidate(key, id) || listens.receiverID(for: key) == id
                #expect(isAlive, "seed \(seed): \(id) is lost")
            }
        }
    }
}
