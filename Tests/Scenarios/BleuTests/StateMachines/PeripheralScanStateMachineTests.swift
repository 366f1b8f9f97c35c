import Testing

@testable import Bleu

@Suite("The end of a discovery")
struct PeripheralScanStateMachineTests {
    @Test("A discovery that finds nothing lasts as long as its limit")
    func nothing() {
        let machine = PeripheralScanStateMachine<Int>(timeout: .seconds(10), now: .seconds(1))
        #expect(machine.end == .seconds(11))
    }

    @Test("A discovery ends two seconds after the last new peripheral, or at its limit")
    func quiet() {
        var machine = PeripheralScanStateMachine<Int>(timeout: .seconds(10), now: .zero)
        let isNew = machine.seen(7, now: .seconds(3))
        #expect(isNew)
        #expect(machine.end == .seconds(5))
        let isNewAgain = machine.seen(7, now: .seconds(4))
        #expect(!isNewAgain)
        #expect(machine.end == .seconds(5))
        _ = machine.seen(8, now: .seconds(4))
        #expect(machine.end == .seconds(6))
        _ = machine.seen(9, now: .seconds(9))
        #expect(machine.end == .seconds(10))
        #expect(Array(machine.found) == [7, 8, 9])
    }
}
