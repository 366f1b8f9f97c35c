package import Foundation

/// Returns the location of a file or folder of this repository.
///
/// - Parameter path: From the top, for example `Documentation/Errors.md`.
/// - Returns: The location at the time when the tests were built.
package func repositoryFile(_ path: String) -> URL {
    var folder = URL(filePath: #filePath)
    repeat {
        folder.deleteLastPathComponent()
    } while folder.path != "/"
        && !FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path)
    return folder.appending(path: path)
}
