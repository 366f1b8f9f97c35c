import BluejayCommandLine
import BluejayStreams
import Foundation

/// The folder of generated files.
struct OutputFolder {
    private let path: String
    private let url: URL
    private let isNew: Bool
    private let isEmpty: Bool

    /// Checks that the folder may be written.
    ///
    /// - Parameters:
    ///   - path: The path of the folder, which may be missing.
    ///   - isForced: Whether files of the folder may be replaced.
    /// - Throws: ``ToolFailure`` if it is a file, has files, or would hide the package that it depends on.
    init(_ path: String, isForced: Bool) throws(ToolFailure) {
        let name = URL(filePath: path).standardizedFileURL.lastPathComponent
        guard name.lowercased() != "bluejay" else {
            throw ToolFailure("\(path.printable) has the name of a package that the client needs")
        }
        self.path = path
        url = URL(filePath: path, directoryHint: .isDirectory)
        isNew = !FileManager.default.fileExists(atPath: path)
        guard !isNew else {
            isEmpty = true
            return
        }
        let values = try? url.resolvingSymlinksInPath().resourceValues(forKeys: [.isDirectoryKey])
        guard values?.isDirectory == true else {
            throw ToolFailure("\(path.printable) is not a folder")
        }
        let content: [String]
        do {
            content = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw Self.failure(path, error)
        }
        isEmpty = content.isEmpty
        guard isEmpty || isForced else {
            throw ToolFailure(
                "\(path.printable) is not empty; --force replaces the files of an earlier run"
            )
        }
    }

    /// Writes all files; if that fails, a new folder is removed, and an empty one is emptied.
    ///
    /// - Throws: ``ToolFailure`` with the reason.
    func write(_ files: [(path: String, text: String)]) throws(ToolFailure) {
        do {
            for (name, text) in files {
                let file = url.appending(path: name)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try Data(text.utf8).write(to: file, options: .atomic)
            }
        } catch {
            removeFiles()
            throw Self.failure(path, error)
        }
    }

    private func removeFiles() {
        if isNew { try? FileManager.default.removeItem(at: url) }
        guard isEmpty else { return }
        let content = try? FileManager.default.contentsOfDirectory(atPath: path)
        for name in content ?? [] {
            try? FileManager.default.removeItem(at: url.appending(path: name))
        }
    }

    private static func failure(_ path: String, _ error: any Error) -> ToolFailure {
        ToolFailure("\(path.printable) cannot be written: \(SystemError.text(of: error))")
    }
}
