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

    @Test("A listen receives from its set-up on")
    func receives() {
        var listens = Listens()
        let answer1 = listens.requested("a", 1, option: .trap)
        #expect(answer1)
        #expect(listens.receiverID(for: "a") == nil)
        #expect(listens.started("a", 1) == nil)
        #expect(listens.receiverID(for: "a") == 1)
    }

    @Test("A second listen is refused where the first traps, also while that is being set up")
    func traps() {
        var listens = Listens()
        _ = listens.requested("a", 1, option: .trap)
        let answer2 = listens.requested("a", 2, option: .replaceable)
        #expect(!answer2)
        let answer3 = listens.requested("b", 3, option: .trap)
        #expect(answer3)
    }

    @Test("A replaceable listen is replaced when the new one is set up, and not before")
    func replaces() {
        var listens = listening(.replaceable)
        let answer4 = listens.requested("a", 2, option: .trap)
        #expect(answer4)
        #expect(listens.receiverID(for: "a") == 1)
        #expect(listens.started("a", 2) == 1)
        #expect(listens.receiverID(for: "a") == 2)
    }

    @Test("The newest listen decides whether another may replace it")
    func newestDecides() {
        var listens = listening(.replaceable)
        _ = listens.requested("a", 2, option: .trap)
        _ = listens.started("a", 2)
        let third = listens.requested("a", 3, option: .replaceable)
        #expect(!third)
    }

    @Test("Moved listens keep their order, their options and their rights")
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

    @Test("Listens are moved behind others, unless one of those traps")
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

    @Test("The end of a link ends who receives, and leaves who waits to be set up")
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

    @Test("After a replacement that failed the first may be replaced all the same")
    func replaceableAgain() {
        var listens = listening(.replaceable)
        _ = listens.requested("a", 2, option: .trap)
        listens.failed("a", 2)
        let third = listens.requested("a", 3, option: .trap)
        #expect(third)
    }

    @Test("A replacement that fails leaves the working listen alone")
    func failedReplacement() {
        var listens = listening(.replaceable)
        _ = listens.requested("a", 2, option: .replaceable)
        listens.failed("a", 2)
        #expect(listens.receiverID(for: "a") == 1)
    }

    @Test("A listen that failed leaves the way free")
    func failed() {
        var listens = Listens()
        _ = listens.requested("a", 1, option: .trap)
        listens.failed("a", 1)
        #expect(!listens.isListening(to: "a"))
        let answer5 = listens.requested("a", 2, option: .trap)
        #expect(answer5)
    }

    @Test("The end of a listen also ends those that wait")
    func ends() {
        var listens = listening(.replaceable)
        _ = listens.requested("a", 2, option: .replaceable)
        #expect(listens.endRequested("a") == [1, 2])
        #expect(listens.started("a", 2) == nil)
        #expect(listens.receiverID(for: "a") == nil)
    }

    @Test("A listen asked for behind an end is set up in its turn")
    func endsAndBegins() {
        var listens = listening(.trap)
        _ = listens.endRequested("a")
        let answer6 = listens.requested("a", 2, option: .trap)
        #expect(answer6)
        #expect(listens.receiverID(for: "a") == nil)
        #expect(listens.started("a", 2) == nil)
        #expect(listens.receiverID(for: "a") == 2)
    }

    @Test("All listens end with the link, in the order in which they were made")
    func linkEnds() {
        var listens = listening(.trap)
        _ = listens.requested("b", 2, option: .trap)
        _ = listens.started("b", 2)
        #expect(listens.linkEnded() == [1, 2])
        #expect(!listens.isListening(to: "a"))
    }

    @Test(
        "Every listen that was taken in ends once: replaced, ended, failed or with the link",
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
