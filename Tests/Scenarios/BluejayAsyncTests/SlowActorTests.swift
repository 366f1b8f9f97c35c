import Bluejay
import BluejayAsync
import BluejaySimulator
import Foundation
import TestSupport
import Testing

/// An actor that is slower than the events of its `Bluejay`.
private actor SlowModel {
    nonisolated let executor = HeldExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.unowned }
    private(set) var events: [String] = []
    private let bluejay: Bluejay

    init(_ bluejay: Bluejay) {
        self.bluejay = bluejay
    }

    func listen() {
        bluejay.listen(to: measurement) { (result: ReadResult<UInt16>) in
            switch result {
            case .success(let value): self.events.append("\(value)")
            case .failure(let error):
                self.events.append("\((error as? BluejayError)?.code.rawValue ?? 0)")
            }
        } installed: {
            self.events.append("installed")
        }
    }

    func scan() {
        bluejay.scan(allowDuplicates: true, serviceIdentifiers: [service]) { _ in
            self.events.append("discovered")
            return .continue
        } stopped: { _ in
            self.events.append("stopped")
        }
    }
}

extension SlowModel: LogObserver {
    nonisolated func debug(_ text: String) {
        assumeIsolated { $0.events.append(text) }
    }

    func observeLog() {
        bluejay.register(logObserver: self)
    }
}

@Suite("Actors that are slower than their events", .timeLimit(.minutes(15)))
struct SlowActorTests {
    @Test(
        "For a slow actor, a listen buffers 4,096 values and reports the loss of more as an error"
    )
    func values() async throws {
        let stage = try await AsyncStage.connected()
        let model = SlowModel(stage.bluejay)
        await model.listen()
        try await wait { await model.events == ["installed"] }
        model.executor.hold()
        for value in 0..<5_000 { try await stage.send(UInt16(value)) }
        // The values arrive before the answer to a read.
        try await stage.settle()
        model.executor.resume()
        try await wait { await model.events.count >= 4_098 }
        try await stage.settle()
        let expected = ["installed"] + (0..<4_096).map { "\($0)" }
        #expect(await model.events == expected + ["\(BluejayError.Code.tooManyValues.rawValue)"])
        try await stage.send(5_000)
        try await wait { await model.events.last == "5000" }
        #expect(await model.events.count == 4_099)
    }
}

extension AsyncStage {
    fileprivate func send(_ value: UInt16) async throws {
        try await send([UInt8(value & 0xFF), UInt8(value >> 8)])
    }
}
