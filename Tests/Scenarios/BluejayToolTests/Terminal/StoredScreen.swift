import Foundation
import Testing

/// Compares screens row by row; `BLUEJAY_WRITE_SCREENS=1` rewrites the files in Screens.
enum StoredScreen {
    static func check(_ lines: [String], _ name: String, _ size: TerminalWindow.Size) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Screens/\(size)/\(name).txt")
        let text = lines.map { $0 + "\n" }.joined()
        if ProcessInfo.processInfo.environment["BLUEJAY_WRITE_SCREENS"] != nil {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(text.utf8).write(to: file)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }
}
