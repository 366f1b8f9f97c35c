import TestSupport
import Testing

@testable import BluejayBlueZ

@Suite("Slots of a limited number of links")
struct LinkPlaceStateMachineTests {
    @Test("A request beyond the limit waits for the first free slot, in order")
    func order() {
        var machine = LinkPlaceStateMachine(count: 2)
        #expect(machine.request(1) == [1])
        #expect(machine.request(2) == [2])
        #expect(machine.request(3) == [])
        #expect(machine.request(4) == [])
        #expect(machine.request(1) == [])
        #expect(machine.free(2) == [3])
        #expect(machine.free(2) == [])
        #expect(machine.free(1) == [4])
    }

    @Test("A withdrawn request is not granted")
    func withdrawal() {
        var machine = LinkPlaceStateMachine(count: 1)
        #expect(machine.request(1) == [1])
        #expect(machine.request(2) == [])
        #expect(machine.request(3) == [])
        #expect(machine.free(2) == [])
        #expect(machine.free(1) == [3])
    }

    @Test("Random requests are granted once each, and no more than the limit at a time")
    func conservation() {
        for seed in UInt64(1)...50 {
            var random = SeededGenerator(seed: seed)
            var machine = LinkPlaceStateMachine(count: 3)
            var (taken, waiting, granted): (Set<Int>, Set<Int>, [Int]) = ([], [], [])
            func receive(_ new: [Int]) {
                granted += new
                taken.formUnion(new)
                waiting.subtract(new)
                #expect(taken.count == min(3, taken.count + waiting.count), "seed \(seed)")
            }
            for place in 0..<200 {
                waiting.insert(place)
                receive(machine.request(place))
                guard Bool.random(using: &random),
                    let freed = taken.union(waiting).sorted().randomElement(using: &random)
                else { continue }
                taken.remove(freed)
                waiting.remove(freed)
                receive(machine.free(freed))
            }
            #expect(granted.count == Set(granted).count, "seed \(seed)")
        }
    }
}
