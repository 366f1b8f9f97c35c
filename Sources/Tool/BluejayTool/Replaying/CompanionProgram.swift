import Foundation

/// Another program of this package, located next to this one or in PATH.
struct CompanionProgram {
    private let name: String
    private let folders: [String]

    /// Searches the folder of this program first.
    init(
        _ name: String,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        executable: URL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    ) {
        self.name = name
        let path = environment["PATH", default: ""].split(separator: ":").map(String.init)
        folders = [executable.deletingLastPathComponent().path] + path
    }

    /// Returns the path of the program.
    ///
    /// - Throws: ``ToolFailure`` if it is not found.
    func path() throws -> String {
        for folder in folders {
            let path = "\(folder)/\(name)"
            let values = try? URL(filePath: path).resourceValues(forKeys: [.isDirectoryKey])
            if values?.isDirectory == false, FileManager.default.isExecutableFile(atPath: path) {
                return path
            }
        }
        throw ToolFailure(
            "\(name) was found neither next to bluejay nor in PATH; "
                + "it is a product of the same package"
        )
    }
}
