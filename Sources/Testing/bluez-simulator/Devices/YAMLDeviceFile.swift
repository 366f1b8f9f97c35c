internal import BluejaySimulator
internal import Foundation

/// A device file in YAML, which the program `bluejay` converts to JSON.
///
/// With a parser of YAML here, each package that depends on Bluejay would fetch that parser.
enum YAMLDeviceFile {
    struct Failure: Error {
        let description: String
    }

    /// Returns the file in JSON.
    ///
    /// - Throws: The message of `bluejay` about the file, or the reason why `bluejay` cannot run.
    static func json(_ path: String) throws(Failure) -> Data {
        guard let program else {
            let words = "\(path) is YAML, which `bluejay` converts: install bluejay, or write JSON"
            throw Failure(description: words)
        }
        let process = Process()
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: program)
        process.arguments = ["device-json", path]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        do {
            try process.run()
        } catch {
            throw Failure(
                description: "\(program) cannot be started: \(error.localizedDescription)"
            )
        }
        // A message about the file is one line, which fits the pipe.
        let json = output.fileHandleForReading.readDataToEndOfFile()
        let message = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let text = String(decoding: message, as: UTF8.self)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            let prefix = "bluejay: "
            let reason = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
            throw Failure(description: reason)
        }
        return json
    }

    /// The path of `bluejay`: beside this program, or in PATH.
    private static var program: String? {
        let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let path = ProcessInfo.processInfo.environment["PATH", default: ""]
        let folders =
            [own.deletingLastPathComponent().path] + path.split(separator: ":").map(String.init)
        return folders.lazy.map { "\($0)/bluejay" }.first { path in
            let values = try? URL(filePath: path).resourceValues(forKeys: [.isDirectoryKey])
            return values?.isDirectory == false
                && FileManager.default.isExecutableFile(atPath: path)
        }
    }
}
