import Foundation
import TestSupport
import TestTraits
import Testing

@testable import BluejayBlueZ

@Suite("Delivery of values")
struct ValueDispatcherTests {
    @Test(
        "Values that arrive during a read follow its reply, without the echo of the read",
        .pitfall(.readLooksLikeNotification)
    )
    func held() {
        let route = ValueDispatcher()
        var values: [UInt8] = []
        route.add(1) { values += $0 }
        route.start(1)
        route.receive(Data([1]))
        route.readStarted()
        for value: UInt8 in [2, 3, 7] { route.receive(Data([value])) }
        #expect(values == [1])
        route.readEnded(Data([7]))
        #expect(values == [1, 2, 3])
        #expect(route.droppedCount(of: 1) == 0)
        #expect(route.drainDroppedCount() == 0)
    }

    @Test("After an abandoned read, a value is held back only while it may be the echo")
    func abandoned() {
        let clock = ManualClock()
        let route = ValueDispatcher()
        var values: [UInt8] = []
        route.add(1) { values += $0 }
        route.start(1)
        route.readStarted()
        route.receive(Data([1]))
        #expect(values == [])
        route.readAbandoned(clock)
        #expect(values == [1])
        route.receive(Data([2]))
        route.receive(Data([3]))
        #expect(values == [1])
        clock.advance(by: .milliseconds(50))
        #expect(values == [1, 2, 3])
        for value: UInt8 in [4, 7] { route.receive(Data([value])) }
        route.readEnded(Data([7]), isAbandoned: true)
        #expect(values == [1, 2, 3, 4])
        route.receive(Data([5]))
        #expect(values == [1, 2, 3, 4, 5])
    }

    @Test(
        "At most 4,096 values are held; the oldest are dropped and counted for earlier subscribers"
    )
    func bound() {
        let route = ValueDispatcher()
        var values: [Int] = []
        func number(_ data: Data) -> Int { data.reduce(0) { $0 << 8 | Int($1) } }
        route.add(1) { values.append(number($0)) }
        route.start(1)
        route.readStarted()
        for value in 0..<4_100 {
            route.receive(Data([UInt8(value >> 8), UInt8(truncatingIfNeeded: value)]))
        }
        route.add(2) { _ in }
        route.readEnded(nil)
        #expect(values == Array(4..<4_100))
        #expect(route.droppedCount(of: 1) == 4)
        #expect(route.droppedCount(of: 2) == 0)
        #expect(route.drainDroppedCount() == 4)
        #expect(route.drainDroppedCount() == 0)
    }
}
