import BluejayCore
import BluejayDBus
import BluejayGLib
import TestTraits
import Testing

@testable import Bluejay
@testable import BluejayBlueZ

private struct CountedAddress: Hashable {
    final class Counter { var comparisons = 0 }

    let number: Int
    let counter: Counter

    static func == (left: CountedAddress, right: CountedAddress) -> Bool {
        left.counter.comparisons += 1
        return left.number == right.number
    }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// Plays a day with 100,000 addresses: a new one every 864 ms, and two older ones again.
private func day(_ report: (_ number: Int, _ now: Duration) -> Void) {
    for step in 0..<100_000 {
        for number in [step - 10, step - 5, step] where number >= 0 {
            report(number, .milliseconds(864 * step))
        }
    }
}

@Suite("A scan for a day among 100,000 addresses")
struct LongScanTests {
    @Test(
        "The number of remembered addresses is bounded, and the cost of a report is constant",
        .computing,
        arguments: [(true, 40), (false, 1000)]
    )
    func bounded(allowsDuplicates: Bool, limit: Int) {
        let counter = CountedAddress.Counter()
        var scan = ScanStateMachine<CountedAddress, Int>(
            allowsDuplicates: allowsDuplicates,
            throttle: 5,
            capacity: 1000
        )
        var timer: Duration?
        var told = 0
        var most = 0
        var reports = 0
        var firings = 0
        day { number, now in
            if let due = timer, due <= now {
                _ = scan.expire(now: now)
                timer = nil
                firings += 1
            }
            let address = CountedAddress(number: number, counter: counter)
            if scan.reported(address, rssi: -60, now: now) == .report { told += 1 }
            if timer == nil { timer = scan.nextExpiry }
            most = max(most, scan.count)
            reports += 1
        }
        #expect(told == 100_000)
        #expect(most <= limit)
        // A lookup compares with the key that it finds, and rarely with one of the same hash.
        #expect(counter.comparisons < 8 * reports)
        #expect(firings <= 100_000)
    }

    @Test("Ignored addresses are bounded, too, and the most recent ones are kept")
    func blacklist() {
        var scan = ScanStateMachine<Int, Int>(allowsDuplicates: true, throttle: 5, capacity: 100)
        for number in 0..<1000 {
            #expect(scan.reported(0, rssi: -60, now: .zero) == (number == 0 ? .report : .ignore))
            if number > 0 { _ = scan.reported(number, rssi: -60, now: .zero) }
            scan.blacklisted(number)
        }
        #expect(scan.count == 100)
        #expect(scan.reported(999, rssi: -60, now: .zero) == .ignore)
        #expect(scan.reported(1, rssi: -60, now: .zero) == .report)
    }

    @Test(
        "A scan without a list stores only the peripherals that may expire",
        .computing,
        arguments: [true, false]
    )
    func plainAudience(expires: Bool) throws {
        var told = 0
        var lost = 0
        let count: (ScanDiscovery) -> ScanAction = { _ in
            lost += 1
            return .continue
        }
        let expired = expires ? count : nil
        let reporter = PlainScanReporter(
            on: MainContext(),
            discovery: { _ in
                told += 1
                return .continue
            },
            expired: expired,
            stopped: { _ in }
        )
        var most = 0
        for number in 0..<100_000 {
            _ = reporter.report(try report(number))
            most = max(most, reporter.count)
            if number >= 20 { _ = reporter.expire(try report(number - 20).address) }
        }
        #expect(told == 100_000)
        #expect(lost == (expires ? 99_980 : 0))
        #expect(most == (expires ? 21 : 0))
    }

    private func report(_ number: Int) throws -> DiscoveredDevice {
        let bytes = (0..<6).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        return DiscoveredDevice(
            path: .root,
            address: try #require(DeviceAddress(octets: bytes, kind: .random)),
            uuids: [],
            manufacturerData: [:],
            serviceData: [:]
        )
    }
}
