import Foundation
import Testing

@testable import BluejayCore

@Suite("A timeout")
struct TimeoutTests {
    @Test("Fractions of a second are kept")
    func fractions() {
        #expect(Timeout.seconds(0.9).duration == .milliseconds(900))
        #expect(Timeout.seconds(15).duration == .seconds(15))
    }

    @Test("None, 0 and infinity never time out", arguments: [0, -0.0])
    func noLimit(zero: TimeInterval) {
        #expect(Timeout.none.duration == nil)
        #expect(Timeout.seconds(zero).duration == nil)
        #expect(Timeout.seconds(.infinity).duration == nil)
    }

    @Test(
        "An invalid time ends at once",
        arguments: [-1, -Double.infinity, .nan]
    )
    func nonsense(seconds: TimeInterval) {
        #expect(Timeout.seconds(seconds).duration == .zero)
    }

    @Test("A huge timeout is limited to about thirty years", arguments: [1e10, 1e300])
    func huge(seconds: TimeInterval) {
        #expect(Timeout.seconds(seconds).duration == .seconds(1_000_000_000))
    }

    @Test("The standard timeout differs from each timeout in seconds")
    func standard() {
        #expect(Timeout.standard == .standard)
        #expect(Timeout.standard.duration == nil)
        for other in [Timeout.none, .seconds(0), .seconds(-1), .seconds(-.infinity)] {
            #expect(other != .standard)
        }
    }

    @Test("An integer literal is a number of seconds, and 0 means no timeout")
    func literals() {
        let fifteen: Timeout = 15
        let none: Timeout = 0
        #expect(fifteen == .seconds(15))
        #expect(none == .none)
    }
}
