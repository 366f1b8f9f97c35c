import TestSupport
import Testing

@testable import Bluejay

@Suite("A scan")
struct ScanStateMachineTests {
    private typealias Scan = ScanStateMachine<String, Int>

    @Test("Without duplicates each peripheral is reported once")
    func once() {
        var scan = Scan(allowsDuplicates: false, throttle: 0)
        #expect(scan.reported("a", rssi: -40, now: .zero) == .report)
        #expect(scan.reported("a", rssi: -90, now: .seconds(1)) == .update)
        #expect(scan.reported("b", rssi: -40, now: .seconds(1)) == .report)
    }

    @Test("Without duplicates nothing expires")
    func noExpiry() {
        var scan = Scan(allowsDuplicates: false, throttle: 0)
        _ = scan.reported("a", rssi: -40, now: .zero)
        #expect(scan.nextExpiry == nil)
        #expect(scan.expire(now: .seconds(1000)) == [])
    }

    @Test(
        "With duplicates an RSSI change is reported from the threshold on",
        arguments: [
            (5, -40, -44, Scan.Verdict.update), (5, -40, -45, .report), (5, -40, -35, .report),
            (0, -40, -40, .report),
        ]
    )
    private func throttle(delta: Int, first: Int, second: Int, expected: Scan.Verdict) {
        var scan = Scan(allowsDuplicates: true, throttle: delta)
        _ = scan.reported("a", rssi: first, now: .zero)
        #expect(scan.reported("a", rssi: second, now: .seconds(1)) == expected)
    }

    @Test("Many small changes add up to one report")
    func smallSteps() {
        var scan = Scan(allowsDuplicates: true, throttle: 5)
        _ = scan.reported("a", rssi: -40, now: .zero)
        #expect(scan.reported("a", rssi: -43, now: .seconds(1)) == .update)
        #expect(scan.reported("a", rssi: -46, now: .seconds(2)) == .report)
    }

    @Test(
        "An RSSI that becomes known or unknown is reported, and one that stays unknown is not"
    )
    func unknownStrength() {
        var scan = Scan(allowsDuplicates: true, throttle: 5)
        _ = scan.reported("a", rssi: nil, now: .zero)
        #expect(scan.reported("a", rssi: nil, now: .seconds(1)) == .update)
        #expect(scan.reported("a", rssi: -40, now: .seconds(2)) == .report)
        #expect(scan.reported("a", rssi: nil, now: .seconds(3)) == .report)
    }

    @Test("A throttled report restarts the 15 s after which a peripheral expires")
    func expiry() {
        var scan = Scan(allowsDuplicates: true, throttle: 5)
        _ = scan.reported("a", rssi: -40, now: .zero)
        _ = scan.reported("a", rssi: -41, now: .seconds(10))
        #expect(scan.nextExpiry == .seconds(25))
        #expect(scan.expire(now: .seconds(24)) == [])
        #expect(scan.expire(now: .seconds(25)) == ["a"])
        #expect(scan.reported("a", rssi: -41, now: .seconds(26)) == .report)
    }

    @Test("A connected peripheral does not expire until a report shows it as disconnected")
    func connected() {
        var scan = Scan(allowsDuplicates: true, throttle: 5)
        #expect(scan.reported("a", rssi: nil, isConnected: true, now: .zero) == .report)
        #expect(scan.reported("b", rssi: -40, now: .seconds(1)) == .report)
        #expect(scan.expire(now: .seconds(60)) == ["b"])
        #expect(scan.nextExpiry == .seconds(75))
        #expect(scan.reported("a", rssi: -40, now: .seconds(61)) == .report)
        #expect(scan.expire(now: .seconds(76)) == ["a"])
        #expect(scan.nextExpiry == nil)
    }

    @Test("A new connection is reported, whatever the RSSI")
    func connectionIsNews() {
        var scan = Scan(allowsDuplicates: true, throttle: 5)
        _ = scan.reported("a", rssi: -40, now: .zero)
        #expect(scan.reported("a", rssi: -40, isConnected: true, now: .zero) == .report)
        #expect(scan.reported("a", rssi: -41, isConnected: true, now: .zero) == .update)
    }

    @Test("The end of a reported connection is reported once; 15 s later the peripheral expires")
    func connectionEnds() {
        var scan = Scan(allowsDuplicates: true, throttle: 5)
        _ = scan.reported("a", rssi: nil, isConnected: true, now: .zero)
        _ = scan.reported("b", rssi: -40, now: .zero)
        #expect(scan.expire(now: .seconds(620)) == ["b"])
        #expect(scan.disconnected("a", now: .seconds(625)) == .report)
        #expect(scan.disconnected("a", now: .seconds(626)) == .ignore)
        #expect(scan.disconnected("b", now: .seconds(626)) == .ignore)
        #expect(scan.nextExpiry == .seconds(640))
        #expect(scan.expire(now: .seconds(639)) == [])
        #expect(scan.expire(now: .seconds(640)) == ["a"])
        #expect(scan.nextExpiry == nil)
    }

    @Test("An advertisement after the end of the connection is throttled like any other")
    func advertisesAgain() {
        var scan = Scan(allowsDuplicates: true, throttle: 5)
        _ = scan.reported("a", rssi: -40, isConnected: true, now: .zero)
        _ = scan.disconnected("a", now: .seconds(1))
        #expect(scan.reported("a", rssi: -42, now: .seconds(2)) == .update)
        #expect(scan.reported("a", rssi: -45, now: .seconds(3)) == .report)
        #expect(scan.nextExpiry == .seconds(18))
    }

    @Test(
        "The end of a connection updates the list without duplicates; a blacklisted peripheral stays out"
    )
    func connectionEndsSilently() {
        var once = Scan(allowsDuplicates: false, throttle: 5)
        _ = once.reported("a", rssi: nil, isConnected: true, now: .zero)
        #expect(once.disconnected("a", now: .seconds(1)) == .update)
        var scan = Scan(allowsDuplicates: true, throttle: 5)
        _ = scan.reported("a", rssi: nil, isConnected: true, now: .zero)
        scan.blacklisted("a")
        #expect(scan.disconnected("a", now: .seconds(1)) == .ignore)
    }

    @Test("Peripherals expire in the order of their last reports")
    func expiryOrder() {
        var scan = Scan(allowsDuplicates: true, throttle: 0)
        for (second, key) in ["c", "a", "b"].enumerated() {
            _ = scan.reported(key, rssi: -40, now: .seconds(second))
        }
        #expect(scan.expire(now: .seconds(60)) == ["c", "a", "b"])
    }

    @Test("A blacklisted peripheral is not reported again")
    func blacklist() {
        var scan = Scan(allowsDuplicates: true, throttle: 0)
        _ = scan.reported("a", rssi: -40, now: .zero)
        scan.blacklisted("a")
        #expect(scan.reported("a", rssi: -40, now: .seconds(1)) == .ignore)
        #expect(scan.expire(now: .seconds(60)) == [])
    }

    @Test(
        "Each reported peripheral expires or is blacklisted exactly once",
        arguments: 0..<200
    )
    func conservation(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var scan = ScanStateMachine<Int, Int>(allowsDuplicates: true, throttle: 5)
        var known: Set<Int> = []
        var banned: Set<Int> = []
        for second in 0..<200 {
            let key = Int.random(in: 0..<8, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0:
                scan.blacklisted(key)
                banned.insert(key)
                known.remove(key)
            case 1...3:
                for gone in scan.expire(now: .seconds(second)) {
                    #expect(known.remove(gone) != nil, "seed \(seed): \(gone) expired unknown")
                }
            default:
                let rssi = Int.random(in: -90 ... -40, using: &random)
                let verdict = scan.reported(key, rssi: rssi, now: .seconds(second))
                #expect((verdict == .ignore) == banned.contains(key), "seed \(seed)")
                if !banned.contains(key), known.insert(key).inserted {
                    #expect(verdict == .report, "seed \(seed): \(key) is new and was not reported")
                }
            }
        }
        for gone in scan.expire(now: .seconds(1000)) { known.remove(gone) }
        #expect(known == [], "seed \(seed)")
    }

    @Test("The throttle suppresses only RSSI changes; any other change is reported")
    func content() {
        var scan = Scan(allowsDuplicates: true, throttle: 5)
        func report(_ rssi: Int, _ content: Int) -> Scan.Verdict {
            scan.reported("a", rssi: rssi, content: content, now: .zero)
        }
        #expect([1, 2, 3, 4].map { report(-55, $0) } == [.report, .report, .report, .report])
        #expect(report(-56, 4) == .update)
        #expect(report(-56, 5) == .report)
        var once = Scan(allowsDuplicates: false, throttle: 5)
        #expect(once.reported("a", rssi: -55, content: 1, now: .zero) == .report)
        #expect(once.reported("a", rssi: -55, content: 2, now: .zero) == .update)
    }
}
