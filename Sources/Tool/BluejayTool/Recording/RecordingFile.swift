import BluejayDeviceFile
import BluejayYAML
import Foundation

/// The file of a recording: checked at the start, and rewritten while the recording grows.
///
/// Standard output, a pipe and a device are written once, at the end.
@MainActor
final class RecordingFile {
    /// The inverse of the maximum share of time spent on writing.
    private static let writingShare = 20
    private static let minimumPause = Duration.seconds(2)

    private let format: DeviceFileFormat
    private let console: Console
    /// The file; `nil` is standard output.
    private let output: OutputFile?
    private var nextWrite = ContinuousClock.now
    private var hasFailed = false

    /// Checks that the file can be written.
    ///
    /// - Throws: ``ToolFailure`` with the reason.
    init(_ path: String, _ console: Console) throws {
        self.console = console
        format = DeviceFileFormat(ofFile: path)
        output = path == "-" ? nil : try OutputFile(path)
    }

    /// Writes the recording so far, unless the last write was a moment ago.
    ///
    /// - Parameter device: Called only if a write is due.
    func save(_ device: () -> DeviceFile) {
        let start = ContinuousClock.now
        guard let output, output.isReplaceable, start >= nextWrite else { return }
        do {
            try output.write(device().bytes(format))
        } catch {
            // The disk may have space again by the final write, which reports the error otherwise.
            if !hasFailed { console.writeError("bluejay: \(ToolFailure(error).message)") }
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
        guard let output else { return console.bytes(bytes) }
        try output.write(bytes)
    }
}
