import BluejayGLib
import Synchronization
import Testing

@Suite("A bounded stream", .timeLimit(.minutes(15)))
struct BoundedStreamTests {
    private struct Failure: Error {}

    @Test(
        "A stream keeps as many elements as its bound, in order, and counts dropped ones",
        arguments: [
            (BoundedStream<Int>.Bound.bufferingOldest(3), [1, 2, 3], 4),
            (.bufferingNewest(3), [5, 6, 7], 4),
            (.unbounded, [1, 2, 3, 4, 5, 6, 7], 0),
            (.bufferingOldest(0), [], 7),
        ]
    )
    func bounds(bound: BoundedStream<Int>.Bound, kept: [Int], lost: Int) async {
        let stream = BoundedStream<Int>(bufferingPolicy: bound)
        let yielded = (1...7).map { stream.continuation.yield($0) }
        stream.continuation.finish()
        #expect(await stream.elements.reduce(into: []) { $0.append($1) } == kept)
        #expect(stream.droppedCount == lost)
        #expect(yielded.count { !$0 } == lost)
    }

    @Test("Each kind of element has its own bound, and read elements free their places")
    func kinds() async {
        let stream = BoundedStream<Int>(limitOfEachKind: 3) { $0 / 100 }
        for element in 0..<50 { stream.continuation.yield(element) }
        #expect(stream.continuation.yield(100))
        #expect(stream.droppedCount == 47)
        var iterator = stream.elements.makeAsyncIterator()
        #expect(await iterator.next() == 0)
        #expect(stream.continuation.yield(50))
        #expect(!stream.continuation.yield(51))
        stream.continuation.finish()
        var rest: [Int] = []
        while let element = await iterator.next() { rest.append(element) }
        #expect(rest == [1, 2, 100, 50])
    }

    @Test("The release of a stream with kinds is reported")
    func streamWithKindsReleased() async {
        let (ends, end) = AsyncStream<Void>.makeStream()
        var stream: BoundedStream<Int>? = BoundedStream(limitOfEachKind: 3) { _ in 0 }
        stream?.continuation.onTermination { end.finish() }
        let continuation = stream?.continuation
        stream = nil
        // The test ends only if the stream does.
        for await _ in ends {}
        #expect(continuation?.yield(1) == false)
    }

    @Test("The cancellation of the reader of a stream with kinds is reported")
    func readerCancelled() async {
        let (ends, end) = AsyncStream<Void>.makeStream()
        let stream = BoundedStream<Int>(limitOfEachKind: 3) { _ in 0 }
        stream.continuation.onTermination { end.finish() }
        let reader = Task { [elements = stream.elements] in
            for await _ in elements {}
        }
        reader.cancel()
        for await _ in ends {}
        await reader.value
    }

    @Test("Elements yielded after the end are ignored and not counted")
    func finished() async {
        let stream = BoundedStream<Int>(bufferingPolicy: .bufferingOldest(1))
        stream.continuation.yield(1)
        stream.continuation.finish()
        #expect(stream.continuation.yield(2))
        #expect(await stream.elements.reduce(into: []) { $0.append($1) } == [1])
        #expect(stream.droppedCount == 0)
    }

    @Test(
        "Elements that a cancelled consumer does not read are counted, and its end is reported once"
    )
    func cancelled() async {
        let stream = BoundedStream<Int>(bufferingPolicy: .bufferingOldest(8))
        let ends = Atomic(0)
        await withCheckedContinuation { ended in
            stream.continuation.onTermination {
                ends.add(1, ordering: .relaxed)
                ended.resume()
            }
            let task = Task { for await _ in stream.elements {} }
            task.cancel()
        }
        #expect(!stream.continuation.yield(1))
        stream.continuation.finish()
        #expect(stream.droppedCount == 1)
        #expect(ends.load(ordering: .relaxed) == 1)
    }

    @Test("A stream ends when its consumer releases it")
    func released() async {
        var stream: BoundedStream<Int>? = BoundedStream(bufferingPolicy: .unbounded)
        let producer = stream?.continuation
        await withCheckedContinuation { ended in
            producer?.onTermination { ended.resume() }
            stream = nil
        }
        #expect(producer?.yield(1) == false)
    }

    @Test("An error is delivered after the elements, even if the buffer is full")
    func throwing() async {
        let stream = StreamContinuation<Int>.throwing(bufferingPolicy: .bufferingOldest(2))
        for element in 1...3 { stream.continuation.yield(element) }
        stream.continuation.finish(Failure())
        var taken: [Int] = []
        await #expect(throws: Failure.self) {
            for try await element in stream.elements { taken.append(element) }
        }
        #expect(taken == [1, 2])
        #expect(stream.continuation.droppedCount == 1)
    }
}
