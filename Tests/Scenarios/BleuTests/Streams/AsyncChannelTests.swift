import FoundationEssentials
import Synchronization
import Testing

@testable import Bleu

@Suite("Streams of a caller")
struct AsyncChannelTests {
    @Test("The consumer receives the elements in order, then the end")
    func elements() async throws {
        let (stream, events) = Events.stream(of: AsyncStream<Int>.self)
        for number in 0..<5 { #expect(events.input.send(Data("\(number)".utf8))) }
        events.input.finish()
        var received: [Int] = []
        for await number in stream { received.append(number) }
        #expect(received == [0, 1, 2, 3, 4])
        #expect(events.consumed == 5)
        #expect(events.terminations == 0)
    }

    @Test("The consumer receives the error after the elements")
    func error() async throws {
        let (stream, events) = Events.stream(of: AsyncThrowingStream<Int, any Error>.self)
        for number in 0..<Events.capacity { #expect(events.input.send(Data("\(number)".utf8))) }
        events.input.finish(throwing: Fault(code: 4))
        var iterator = stream.makeAsyncIterator()
        for number in 0..<Events.capacity { #expect(try await iterator.next() == number) }
        await #expect(throws: Fault(code: 4)) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test("A stream that cannot throw ends after an error")
    func silentError() async {
        let (stream, events) = Events.stream(of: AsyncStream<Int>.self)
        #expect(events.input.send(Data("1".utf8)))
        events.input.finish(throwing: Fault(code: 4))
        var iterator = stream.makeAsyncIterator()
        #expect(await iterator.next() == 1)
        #expect(await iterator.next() == nil)
    }

    @Test("An element of another type ends the stream and the channel")
    func wrongElement() async {
        let (stream, events) = Events.stream(of: AsyncThrowingStream<Int, any Error>.self)
        #expect(events.input.send(Data("\"text\"".utf8)))
        var iterator = stream.makeAsyncIterator()
        do {
            _ = try await iterator.next()
            Issue.record("no error")
        } catch {
            guard case BleuError.invalidData = error else {
                Issue.record(error)
                return
            }
        }
        #expect(events.terminations == 1)
        #expect(!events.input.send(Data("1".utf8)))

        let (silent, others) = Events.stream(of: AsyncStream<Int>.self)
        #expect(others.input.send(Data("\"text\"".utf8)))
        var silentIterator = silent.makeAsyncIterator()
        #expect(await silentIterator.next() == nil)
        #expect(others.terminations == 1)
    }

    @Test("The number of waiting elements is bounded")
    func bound() async {
        let (stream, events) = Events.stream(of: AsyncStream<Int>.self)
        var sent = 0
        while sent < 100, events.input.send(Data("\(sent)".utf8)) { sent += 1 }
        #expect(sent == Events.capacity + 1)
        events.input.finish()
        var received = 0
        for await _ in stream { received += 1 }
        #expect(received == sent)
    }

    @Test("The release of a stream that was not consumed terminates the channel once")
    func release() async {
        var (stream, events): (AsyncStream<Int>?, Events) = Events.stream(of: AsyncStream<Int>.self)
        #expect(events.input.send(Data("1".utf8)))
        #expect(events.terminations == 0)
        #expect(stream != nil)
        stream = nil
        #expect(events.terminations == 1)
        events.input.finish()
        #expect(events.terminations == 1)
    }

    @Test("The end of an iteration terminates the channel once")
    func leftIteration() async {
        let events = await {
            let (stream, events) = Events.stream(of: AsyncStream<Int>.self)
            #expect(events.input.send(Data("1".utf8)))
            for await _ in stream { break }
            return events
        }()
        #expect(events.terminations == 1)
    }

    @Test("The cancellation of a waiting consumer terminates the channel once")
    func cancellation() async {
        let (stream, events) = Events.stream(of: AsyncStream<Int>.self)
        let consumer = Task { () -> Int? in
            var iterator = stream.makeAsyncIterator()
            return await iterator.next()
        }
        consumer.cancel()
        #expect(await consumer.value == nil)
        #expect(events.terminations == 1)
        #expect(!events.input.send(Data("1".utf8)))
    }

    @Test("The release of a producer terminates its stream", .timeLimit(.minutes(15)))
    func producerRelease() async throws {
        var producer: ElementProducer?
        await withCheckedContinuation { continuation in
            producer = AsyncStream<Int> { $0.onTermination = { _ in continuation.resume() } }
                .producer()
            #expect(producer != nil)
            producer = nil
        }
    }

    @Test("The cancellation of the task that waits for a producer terminates its stream")
    func producerCancellation() async throws {
        let ended = CallCounter()
        let producer = AsyncStream<Int> { $0.onTermination = { _ in ended.add() } }.producer()
        let task = Task { try await producer.next() }
        task.cancel()
        #expect(try await task.value == nil)
        #expect(ended.value == 1)
    }
}

private final class CallCounter: Sendable {
    private let number = Atomic(0)
    var value: Int { number.load(ordering: .relaxed) }
    func add() { number.add(1, ordering: .relaxed) }
}

private struct Events {
    static let capacity = 4

    let input: AsyncChannel.Input
    private let consumedCounter: CallCounter
    private let terminationCounter: CallCounter

    var consumed: Int { consumedCounter.value }
    var terminations: Int { terminationCounter.value }

    static func stream<Stream: ElementStream>(of type: Stream.Type) -> (Stream, Events) {
        let (consumed, terminations) = (CallCounter(), CallCounter())
        let channel = AsyncChannel(capacity: capacity) {
            consumed.add()
        } onTermination: {
            terminations.add()
        }
        let events = Events(
            input: channel.input,
            consumedCounter: consumed,
            terminationCounter: terminations
        )
        return (.receiving(channel), events)
    }
}
