import Foundation
import Testing

import class Bluejay.Bluejay

// This file imports the class alone: `Sendable` is the marker protocol here, and the names of the module are
// reached through the class.

private struct Sample: Sendable {
    let rate: Int
}

private struct Tea: Bluejay.Sendable {
    func toBluetoothData() -> Data { Data([0x7E]) }
}

@Suite("A file that imports only the class")
struct SwiftSendableTests {
    @Test("Sendable is the marker protocol, and Bluejay.Sendable applies to sent values")
    func bothMeanings() async {
        let sample = Sample(rate: 72)
        let rate = await Task.detached { sample.rate }.value
        #expect(rate == 72)
        #expect(Bluejay.combine(sendables: [Tea()]) == Data([0x7E]))
        let timeout: Bluejay.Timeout = .seconds(1)
        #expect(timeout == .seconds(1))
    }
}
