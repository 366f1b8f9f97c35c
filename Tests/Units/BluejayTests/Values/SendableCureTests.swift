import Bluejay
import Foundation
import Testing

// Restores the name for the language; in this file only, while an app does so for its module.
private typealias Sendable = Swift.Sendable

private struct Sample: Sendable {
    let rate: Int
}

private final class Cache: Sendable {
    let samples: [String: any Sendable] = ["first": 1]
}

private enum Phase: String, Sendable { case idle, busy }

private protocol Repository: Sendable {
    func load() -> Sample
}

private struct Store: Repository {
    func load() -> Sample { Sample(rate: 72) }
}

private struct Coffee: BluetoothSendable, Sendable {
    func toBluetoothData() -> Data { Data([1]) }
}

@Suite("A file that redefines Sendable as the marker protocol")
struct SendableCureTests {
    @Test("Ordinary models conform to the marker, and sent values are BluetoothSendable")
    func models() async {
        func send<Value: Sendable>(_ value: Value) async -> Value {
            await Task.detached { value }.value
        }
        let repository: any Repository = Store()
        #expect(await send(repository.load()).rate == 72)
        #expect(await send(Phase.busy) == .busy)
        #expect(await send(Cache()).samples["first"] as? Int == 1)
        #expect(Bluejay.combine(sendables: [await send(Coffee())]) == Data([1]))
    }
}
