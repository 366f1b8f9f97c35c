import BluejayGLib
import Foundation
import TestSupport
import Testing

@testable import BluejayDBus

@Suite("Long messages", .timeLimit(.minutes(15)))
struct LongMessageTests {
    @Test("A long message is received in few iterations, and the next message follows it")
    func fewTurns() throws {
        let fixture = try BusFixture()
        let sender = try fixture.connect()
        // A separate loop, so that nothing is read while the bus forwards.
        let loop = TestLoop()
        let receiver = try BusConnection(
            .address(fixture.bus.address),
            on: loop.context,
            clock: loop.clock
        )
        try loop.wait(for: "the unique name") { receiver.uniqueName != nil }
        var received: [Data?] = []
        receiver.onMethodCall = { message in
            received.append(message.reader.data())
            return true
        }
        let values = [64 << 10, 1, 64].map { Data(repeating: 7, count: $0) }
        for value in values {
            let call = MethodCall.test(receiver, "Do", [.bytes(Array(value))])
            sender.call(call, timeout: .seconds(25)) { _ in }
        }
        // The bus writes at least 2 KiB per iteration, and answers one call per iteration.
        for _ in 0..<64 { try fixture.settle(sender) }
        var looks = 0
        try loop.wait(for: "the messages") {
            looks += 1
            return received.count == values.count
        }
        #expect(received == values)
        // An iteration checks twice; with parts of 4 KiB there would be 16 checks.
        #expect(looks < 16)
    }
}
