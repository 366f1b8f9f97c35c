internal import FoundationEssentials

/// The files of a computer, or of a folder with the same structure.
package struct FileTree: Swift.Sendable {
    private let root: String

    /// - Parameter root: The prefix of each path; empty for this computer.
    package init(root: String = "") {
        self.root = root
    }

    /// Returns the text of a file, with invalid UTF-8 replaced, or `nil` if unreadable.
    func text(_ path: String) -> String? {
        FileManager.default.contents(atPath: root + path).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// Returns the first line of a file, without its line end.
    func line(_ path: String) -> String? {
        text(path)?.split(whereSeparator: \.isNewline).first.map(String.init)
    }

    /// Returns the sorted names in a folder; empty if it does not exist.
    func names(in path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: root + path)) ?? []).sorted()
    }

    /// Whether a file exists, after following links.
    func has(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root + path)
    }

    /// Whether this user may write to the file.
    func canWrite(_ path: String) -> Bool {
        FileManager.default.isWritableFile(atPath: root + path)
    }

    /// Returns the destination of a symbolic link, or `nil` for anything else.
    func target(ofLink path: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: root + path)
    }
}
