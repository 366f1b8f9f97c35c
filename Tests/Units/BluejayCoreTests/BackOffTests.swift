import BluejayCore
import Testing

@Suite("Pauses between attempts")
struct BackOffTests {
    @Test("Each is twice the one before, up to the longest")
    func doubling() {
        let backOff = BackOff(first: .seconds(1), longest: .seconds(60))
        let pauses = (0...9).map { backOff.pause(after: $0) }
        #expect(pauses == [0, 1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
        #expect(backOff.pause(after: .max) == .seconds(60))
    }

    @Test("There is none without a failure, and none when the first is none")
    func noPause() {
        #expect(BackOff().pause(after: 0) == .zero)
        #expect(BackOff().pause(after: -1) == .zero)
        #expect(BackOff(first: .zero).pause(after: 5) == .zero)
        #expect(BackOff(first: .seconds(-1)).pause(after: 5) == .zero)
    }

    @Test("A first pause above the longest is the longest")
    func firstAboveLongest() {
        let backOff = BackOff(first: .seconds(9), longest: .seconds(5))
        #expect(backOff.pause(after: 1) == .seconds(5))
    }
}
