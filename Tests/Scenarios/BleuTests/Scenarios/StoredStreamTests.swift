import Bleu
import BluejayGLib
import Distributed
import Foundation
import Testing

@Suite("Streams that a peripheral stores", .timeLimit(.minutes(15)))
struct StoredStreamTests {
    private static let forms = ["updates", "plainUpdates", "unfoldingUpdates"]

    /// Reads a stored stream until its end.
    private static func read(_ form: String, _ proxy: StoredUpdates) async throws -> [Int] {
        var received: [Int] = []
        switch form {
        case "updates":
            for try await number in try await proxy.updates() { received.append(number) }
        case "plainUpdates":
            for await number in try await proxy.plainUpdates() { received.append(number) }
        default:
            for try await number in try await proxy.unfoldingUpdates() { received.append(number) }
        }
        return received
    }

    private static func serve(in stage: BleuStage) async throws -> UpdateSource {
        let (system, source) = (stage.system(0), UpdateSource())
        try await system.startAdvertising(StoredUpdates(source, actorSystem: system))
        return source
    }

    private static func proxy(_ number: Int, in stage: BleuStage) async throws -> StoredUpdates {
        try await stage.system(number).connect(to: adapterID(0), as: StoredUpdates.self)
    }

    private static func expectInUse(_ work: () async throws -> [Int]) async {
        do {
            let received = try await work()
            Issue.record("a second caller reads the stream: \(received)")
        } catch let error as RemoteFailure {
            #expect(error.typeName == "StreamInUse")
            #expect(error.message.contains("return a new stream for each call"))
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test("A second central cannot get a stream that the first one reads", arguments: forms)
    func twoCentrals(form: String) async throws {
        try await BleuStage.play(adapters: 3) { stage in
            let source = try await Self.serve(in: stage)
            let proxies = [
                try await Self.proxy(1, in: stage), try await Self.proxy(2, in: stage),
            ]
            let first = stage.start { try await Self.read(form, proxies[0]) }
            try await stage.wait(.seconds(5))
            await Self.expectInUse { try await Self.read(form, proxies[1]) }
            source.send(1...40)
            #expect(try await first.value == Array(1...40))
            #expect(try await proxies[1].isServing())
        }
    }

    @Test("A second call of one central cannot get the stream of the first one", arguments: forms)
    func oneCentral(form: String) async throws {
        try await BleuStage.play { stage in
            let source = try await Self.serve(in: stage)
            let proxy = try await Self.proxy(1, in: stage)
            let first = stage.start { try await Self.read(form, proxy) }
            try await stage.wait(.seconds(5))
            await Self.expectInUse { try await Self.read(form, proxy) }
            source.send(1...40)
            #expect(try await first.value == Array(1...40))
        }
    }

    @Test("A reader that stops releases the stream, which then has ended", arguments: forms)
    func released(form: String) async throws {
        try await BleuStage.play { stage in
            _ = try await Self.serve(in: stage)
            let proxy = try await Self.proxy(1, in: stage)
            let first = stage.start { try await Self.read(form, proxy) }
            try await stage.wait(.seconds(5))
            first.cancel()
            try await stage.wait(.seconds(2))
            #expect(try await Self.read(form, proxy).isEmpty)
        }
    }
}

distributed actor StoredUpdates: PeripheralActor {
    typealias ActorSystem = BLEActorSystem

    private let source: UpdateSource

    init(_ source: UpdateSource, actorSystem: BLEActorSystem) {
        self.actorSystem = actorSystem
        self.source = source
    }

    distributed func updates() async throws -> AsyncThrowingStream<Int, any Error> {
        source.throwing.elements
    }
    distributed func plainUpdates() async throws -> AsyncStream<Int> { source.plain.elements }
    distributed func unfoldingUpdates() async throws -> AsyncThrowingStream<Int, any Error> {
        source.unfolding
    }
    distributed func isServing() async throws -> Bool { true }
}

/// The same elements in three streams.
final class UpdateSource: Swift.Sendable {
    let throwing = StreamContinuation<Int>.throwing(bufferingPolicy: .unbounded)
    let plain = BoundedStream<Int>(bufferingPolicy: .unbounded)
    let unfolding: AsyncThrowingStream<Int, any Error>
    private let unfolded = BoundedStream<Int>(bufferingPolicy: .unbounded)

    init() {
        let elements = unfolded.elements
        unfolding = AsyncThrowingStream {
            for await element in elements { return element }
            return nil
        }
    }

    func send(_ numbers: ClosedRange<Int>) {
        for number in numbers {
            throwing.continuation.yield(number)
            plain.continuation.yield(number)
            unfolded.continuation.yield(number)
        }
        throwing.continuation.finish()
        plain.continuation.finish()
        unfolded.continuation.finish()
    }
}
