import BluejayDeviceFile
import BluejayYAML
import Foundation

/// The file of a recording: checked at the start, and rewritten while the recording grows.
///
/// Each write replaces the whole file, so that a killed program leaves a readable file. An existing file
/// stays unchanged until there is something to write. Standard output, a pipe and a device are written once,
/// at the end.
@MainActor
final class RecordingFile {
    /// The inverse of the maximum share of time spent on writing.
    private static let writingShare = 20
    private static let minimumPause = Duration.seconds(2)

    private let path: String
    private let format: DeviceFileFormat
    private let console: Console
    /// The destination of each write; `nil` if only the final write is possible, to a file that cannot be
    /// replaced.
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

    /// Writes the recording so far, unless the last write was a moment ago.
    ///
    /// - Parameter device: Called only if a write is due.
    func save(_ device: () -> DeviceFile) {
        let start = ContinuousClock.now
        guard let target, start >= nextWrite else { return }
        do {
            try device().bytes(format).write(to: target, options: .atomic)
        } catch {
            // The disk may have space again by the final write, which reports the error otherwise.
            if !hasFailed { console.writeError("bluejay: \(Self.failure(path, error).message)") }
            hasFailed = true
        }
        let end = ContinuousClock.now
        nextWrite = end + max(Self.minimumPause, (end - start) * Self.writingShare)
    }

    /// Writes the whole recording.
    ///
    /// - Throws: ``ToolFailure`` if that fails.
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
