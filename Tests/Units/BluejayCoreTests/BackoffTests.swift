import BluejayCore
import Testing

@Suite("Pauses between attempts")
struct BackoffTests {
    @Test("Each is twice the one before, up to the longest")
    func doubling() {
        let backOff = Backoff(initialDelay: .seconds(1), maximumDelay: .seconds(60))
        let pauses = (0...9).map { backOff.delay(afterFailures: $0) }
        #expect(pauses == [0, 1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
        #expect(backOff.delay(afterFailures: .max) == .seconds(60))
    }

    @Test("There is none without a failure, and none when the first is none")
    func noPause() {
        #expect(Backoff().delay(afterFailures: 0) == .zero)
        #expect(Backoff().delay(afterFailures: -1) == .zero)
        #expect(Backoff(initialDelay: .zero).delay(afterFailures: 5) == .zero)
        #expect(Backoff(initialDelay: .seconds(-1)).delay(afterFailures: 5) == .zero)
    }

    @Test("A first pause above the longest is the longest")
    func firstAboveLongest() {
        let backOff = Backoff(initialDelay: .seconds(9), maximumDelay: .seconds(5))
        #expect(backOff.delay(afterFailures: 1) == .seconds(5))
    }
}
