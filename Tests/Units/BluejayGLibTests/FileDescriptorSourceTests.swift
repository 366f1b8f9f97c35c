import BluejayGLib
import Foundation
import TestSupport
import Testing

@Suite("A watched descriptor")
struct FileDescriptorSourceTests {
    let loop = TestLoop()
    let pipe = Pipe()

    private var reading: Int32 { pipe.fileHandleForReading.fileDescriptor }

    /// Counts the iterations of the context in a short time.
    private func turnsInAMoment() throws -> Int {
        var iterations = 0
        var isOver = false
        let counter = EventSource(
            SourceCallbacks(
                prepare: {
                    iterations += 1
                    return false
                },
                dispatch: {}
            ),
            on: loop.context
        )
        let end = MainContextClock(on: loop.context).schedule(after: .milliseconds(20)) {
            isOver = true
        }
        try loop.wait(for: "a moment") { isOver }
        counter.cancel()
        withExtendedLifetime(end) {}
        return iterations
    }

    @Test("A descriptor is reported as readable while unread bytes are available")
    func readable() throws {
        var record: [IOCondition] = []
        let source = FileDescriptorSource(reading, .readable, on: loop.context) {
            record.append($0)
        }
        #expect(try turnsInAMoment() < 10)
        #expect(record == [])
        try pipe.fileHandleForWriting.write(contentsOf: Data([1]))
        try loop.wait(for: "the report") { !record.isEmpty }
        #expect(record.first == .readable)
        _ = pipe.fileHandleForReading.availableData
        record = []
        #expect(try turnsInAMoment() < 10)
        #expect(record == [])
        source.cancel()
    }

    @Test("A hang-up is reported without a request, and stops with cancel")
    func hangUp() throws {
        var record: [IOCondition] = []
        var source: FileDescriptorSource?
        source = FileDescriptorSource(reading, .readable, on: loop.context) {
            record.append($0)
            source?.cancel()
        }
        try pipe.fileHandleForWriting.close()
        try loop.wait(for: "the report") { !record.isEmpty }
        #expect(try turnsInAMoment() < 10)
        #expect(record == [.hangUp])
        withExtendedLifetime(source) {}
    }

    @Test("A released source reports no more events")
    func released() throws {
        var count = 0
        var source: FileDescriptorSource? = FileDescriptorSource(
            reading,
            .readable,
            on: loop.context
        ) {
            _ in count += 1
        }
        withExtendedLifetime(source) {}
        source = nil
        try pipe.fileHandleForWriting.write(contentsOf: Data([1]))
        #expect(try turnsInAMoment() < 10)
        #expect(count == 0)
    }

    @Test("A source may be released in its own callback")
    func releasedInReport() throws {
        var count = 0
        var source: FileDescriptorSource?
        source = FileDescriptorSource(reading, .readable, on: loop.context) { _ in
            count += 1
            source = nil
        }
        withExtendedLifetime(source) {}
        try pipe.fileHandleForWriting.write(contentsOf: Data([1]))
        try loop.wait(for: "the report") { count > 0 }
        #expect(try turnsInAMoment() < 10)
        #expect(count == 1)
    }

    @Test("The writing end of a pipe is writable at once")
    func writable() throws {
        var record: [IOCondition] = []
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        let source = FileDescriptorSource(descriptor, .writable, on: loop.context) {
            record.append($0)
        }
        try loop.wait(for: "the report") { !record.isEmpty }
        #expect(record.first == .writable)
        source.cancel()
    }
}
