import BluejayDeviceFile
import Foundation

/// The file of a recording: checked at the start, and written again while the recording grows.
///
/// Each write replaces the file as a whole, so that a program that is killed leaves a file that can be read.
/// A file that was there before stays until something is recorded. Standard output, a pipe and a device are
/// written once, at the end.
@MainActor
final class RecordingFile {
    /// A write takes at most this part of the time.
    private static let writingShare = 20
    private static let shortestPause = Duration.seconds(2)

    private let path: String
    private let format: DeviceFileFormat
    private let console: Console
    /// Where each write goes; nil is only the last one, to a file that cannot be replaced.
    private let target: URL?
    private let stream: FileHandle?
    private var nextWrite = ContinuousClock.now
    private var hasFailed = false

    /// Checks that the file can be written.
    ///
    /// - Throws: ``ToolFailure`` with the reason.
    init(_ path: String, _ console: Console) throws {
        self.path = path
        self.console = console
        format = DeviceFileFormat(ofFile: path)
        let url = URL(filePath: path).resolvingSymlinksInPath()
        let values = try? url.resourceValues(forKeys: [.isRegularFileKey])
        if path == "-" {
            (target, stream) = (nil, nil)
        } else if let values, values.isRegularFile != true {
            target = nil
            stream = try Self.attempt(path) { try FileHandle(forWritingTo: url) }
        } else {
            (target, stream) = (url, nil)
            let probe = url.deletingLastPathComponent()
                .appending(path: ".bluejay-\(UUID().uuidString)")
            try Self.attempt(path) {
                if values != nil { try FileHandle(forWritingTo: url).close() }
                try Data().write(to: probe)
                try FileManager.default.removeItem(at: probe)
            }
        }
    }

    /// Writes what is recorded so far, unless it was written a moment ago.
    ///
    /// - Parameter device: Called when it is written.
    func keep(_ device: () -> DeviceFile) {
        let start = ContinuousClock.now
        guard let target, start >= nextWrite else { return }
        do {
            try device().bytes(format).write(to: target, options: .atomic)
        } catch {
            // The disk may have room again at the end, which fails otherwise.
            if !hasFailed { console.note("bluejay: \(Self.failure(path, error).message)") }
            hasFailed = true
        }
        let end = ContinuousClock.now
        nextWrite = end + max(Self.shortestPause, (end - start) * Self.writingShare)
    }

    /// Writes the whole recording.
    ///
    /// - Throws: ``ToolFailure`` when that fails.
    func finish(_ device: DeviceFile) throws {
        let bytes = try device.bytes(format)
        guard path != "-" else { return console.bytes(bytes) }
        try Self.attempt(path) {
            if let target {
                try bytes.write(to: target, options: .atomic)
            } else {
                try stream?.write(contentsOf: bytes)
            }
        }
    }

    private static func attempt<Value>(_ path: String, _ work: () throws -> Value) throws -> Value {
        do { return try work() } catch { throw failure(path, error) }
    }

    private static func failure(_ path: String, _ error: any Error) -> ToolFailure {
        ToolFailure("\(path) cannot be written: \(error.localizedDescription)")
    }
}
