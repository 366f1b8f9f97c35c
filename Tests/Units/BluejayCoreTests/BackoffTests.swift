import BluejayCore
import Testing

@Suite("Delays between attempts")
struct BackoffTests {
    @Test("Each delay is twice the previous one, up to the maximum")
    func doubling() {
        let backOff = Backoff(initialDelay: .seconds(1), maximumDelay: .seconds(60))
        let pauses = (0...9).map { backOff.delay(afterFailures: $0) }
        #expect(pauses == [0, 1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
        #expect(backOff.delay(afterFailures: .max) == .seconds(60))
    }

    @Test("The delay is zero without a failure, or with an initial delay of zero")
    func noPause() {
        #expect(Backoff().delay(afterFailures: 0) == .zero)
        #expect(Backoff().delay(afterFailures: -1) == .zero)
        #expect(Backoff(initialDelay: .zero).delay(afterFailures: 5) == .zero)
        #expect(Backoff(initialDelay: .seconds(-1)).delay(afterFailures: 5) == .zero)
    }

    @Test("An initial delay above the maximum is limited to it")
    func firstAboveLongest() {
        let backOff = Backoff(initialDelay: .seconds(9), maximumDelay: .seconds(5))
        #expect(backOff.delay(afterFailures: 1) == .seconds(5))
    }
}
