internal import FoundationEssentials

/// The files of a computer, or of a folder that looks like one.
package struct FileTree: Swift.Sendable {
    private let root: String

    /// - Parameter root: What stands before each path; empty is this computer.
    package init(root: String = "") {
        self.root = root
    }

    /// The text of a file, with what is no UTF-8 in it replaced; nil when it cannot be read.
    func text(_ path: String) -> String? {
        FileManager.default.contents(atPath: root + path).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// The text of a file of one line, without what ends it.
    func line(_ path: String) -> String? {
        text(path)?.split(whereSeparator: \.isNewline).first.map(String.init)
    }

    /// The names in a folder, sorted; none when there is no such folder.
    func names(in path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: root + path)) ?? []).sorted()
    }

    /// Whether something is there, behind links too.
    func has(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root + path)
    }

    /// Whether something is there that this user may write to.
    func canWrite(_ path: String) -> Bool {
        FileManager.default.isWritableFile(atPath: root + path)
    }

    /// Where a symbolic link leads; nil for anything else.
    func target(ofLink path: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: root + path)
    }
}
