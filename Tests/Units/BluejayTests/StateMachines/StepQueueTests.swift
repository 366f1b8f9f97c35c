import Testing

@testable import Bluejay

@Suite("A queue of steps")
struct StepQueueTests {
    /// Returns the steps that may be performed, as text.
    private func take(_ list: StepQueue, upTo last: Int) -> [String] {
        var texts: [String] = []
        while let step = list.popNext(upTo: last) {
            switch step {
            case .perform(let action): texts.append("\(action)")
            case .finished(let id, _): texts.append("finished \(id)")
            case .complete(let id, let completion):
                texts.append("answer \(id)")
                completion()
            case .notify(let word):
                texts.append("tell")
                word()
            }
        }
        return texts
    }

    @Test("Steps appended together and alone run in the order of arrival")
    func order() {
        let list = StepQueue()
        var told = 0
        list.append([.start(1), .announceConnected])
        list.append(.notify { told += 1 })
        list.append([.abort(1)])
        list.append(.finished(1, nil))
        #expect(list.popNext(upTo: 9) != nil)
        // A step that is appended meanwhile follows all others.
        list.append([.start(2)])
        let rest = ["announceConnected", "tell", "abort(1)", "finished 1", "start(2)"]
        #expect(take(list, upTo: 9) == rest)
        #expect(list.isEmpty && told == 1)
    }

    @Test("A completion of a later call waits, and so do the steps after it")
    func later() {
        let list = StepQueue()
        list.append([.complete(1, nil), .complete(2, nil), .start(3)])
        list.append(.complete(4) {})
        list.append([.idle])
        #expect(take(list, upTo: 0) == [])
        #expect(take(list, upTo: 1) == ["complete(1, nil)"])
        #expect(take(list, upTo: 3) == ["complete(2, nil)", "start(3)"])
        #expect(take(list, upTo: 3) == [] && !list.isEmpty)
        #expect(take(list, upTo: 4) == ["answer 4", "idle"])
        #expect(list.isEmpty)
    }

    @Test("Clearing the queue returns the pending completions, and nothing else")
    func removal() {
        let list = StepQueue()
        var answers: [Int] = []
        list.append([.start(1), .start(2)])
        list.append(.notify { answers.append(0) })
        list.append(.complete(3) { answers.append(3) })
        list.append(.complete(4) { answers.append(4) })
        #expect(list.popNext(upTo: 0) != nil)
        for answer in list.removeAll() { answer() }
        #expect(answers == [3, 4])
        #expect(list.isEmpty && take(list, upTo: 9) == [])
    }
}
