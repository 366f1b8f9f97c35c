import Bluejay
import Foundation
import Logging
import Synchronization

/// Records the lines that a program's `LogHandler` receives from one loop.
final class Recorder: Swift.Sendable {
    struct Line: Swift.Sendable {
        let label: String
        let level: Logger.Level
        let message: String
        let metadata: [String: String]

        subscript(key: String) -> String { metadata[key] ?? "" }

        var everything: String { "\(label) \(level) \(message) \(metadata)" }
    }

    let loop = MainLoop(threadName: "recorder")
    let level: Logger.Level
    private let written = Mutex<[Line]>([])

    // One factory serves all tests of the process; it finds the recorder by the current loop.
    private static let all = Mutex<[Recorder]>([])
    private static let bootstrap: Void = LoggingSystem.bootstrap { label in
        guard let recorder = all.withLock({ $0.first { $0.loop.isCurrent } }) else {
            return SwiftLogNoOpLogHandler()
        }
        return RecordingHandler(label: label, recorder: recorder, logLevel: recorder.level)
    }

    private init(_ level: Logger.Level) {
        self.level = level
    }

    /// Records the loggers created on the recorder's loop while `body` runs.
    static func with(
        _ level: Logger.Level,
        _ body: (Recorder) async throws -> Void
    ) async throws {
        let recorder = Recorder(level)
        bootstrap
        all.withLock { $0.append(recorder) }
        defer { all.withLock { $0.removeAll { $0 === recorder } } }
        try await body(recorder)
    }

    func run<R: Swift.Sendable>(_ work: @escaping @Sendable () -> R) async -> R {
        await withCheckedContinuation { continuation in
            loop.post { continuation.resume(returning: work()) }
        }
    }

    var lines: [Line] { written.withLock { $0 } }

    func lines(of label: String) -> [Line] { lines.filter { $0.label == label } }

    fileprivate func add(_ line: Line) {
        written.withLock { $0.append(line) }
    }
}

private struct RecordingHandler: LogHandler {
    let label: String
    let recorder: Recorder
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        recorder.add(
            Recorder.Line(
                label: label,
                level: event.level,
                message: "\(event.message)",
                metadata: all.mapValues { "\($0)" }
            )
        )
    }
}

/// Records the received lines and their thread.
// Written and read only on the loop, which justifies `@unchecked`.
final class LineObserver: LogObserver, @unchecked Swift.Sendable {
    private let loop: MainLoop
    private(set) var received: [String] = []
    private(set) var isOnForeignThread = false

    init(_ loop: MainLoop) { self.loop = loop }

    func debug(_ text: String) {
        if !loop.isCurrent { isOnForeignThread = true }
        received.append(text)
    }
}
