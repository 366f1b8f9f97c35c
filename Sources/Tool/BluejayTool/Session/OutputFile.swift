import BluejayStreams
import Foundation

/// A file that a subcommand writes, checked before the subcommand does anything else.
///
/// Each write replaces the whole file, so that a killed program leaves a readable file. An existing file stays
/// unchanged until there is something to write. A pipe or a device cannot be replaced, and is written once.
struct OutputFile {
    private let path: String
    /// The file that each write replaces; `nil` for a pipe or a device.
    private let target: URL?
    private let stream: FileHandle?

    /// Whether the file can be written several times.
    var isReplaceable: Bool { target != nil }

    /// Checks that the file can be written.
    ///
    /// - Throws: ``ToolFailure`` with the reason.
    init(_ path: String) throws(ToolFailure) {
        self.path = path
        let url = URL(filePath: path).resolvingSymlinksInPath()
        let values = try? url.resourceValues(forKeys: [.isRegularFileKey])
        if let values, values.isRegularFile != true {
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

    /// Writes the whole content.
    ///
    /// - Throws: ``ToolFailure`` with the reason.
    func write(_ data: Data) throws(ToolFailure) {
        try Self.attempt(path) {
            if let target {
                try data.write(to: target, options: .atomic)
            } else {
                try stream?.write(contentsOf: data)
            }
        }
    }

    private static func attempt<Value>(
        _ path: String,
        _ work: () throws -> Value
    ) throws(ToolFailure) -> Value {
        do {
            return try work()
        } catch {
            throw ToolFailure("\(path) cannot be written: \(SystemError.text(of: error))")
        }
    }
}
