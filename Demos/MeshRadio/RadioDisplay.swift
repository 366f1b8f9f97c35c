import BluejayCommandLine
import Foundation

/// Where the radio shows what happens: a line for each event, at once, also in a file.
struct RadioDisplay {
    let isJSON: Bool
    private let lines = JSONLines()

    init(isJSON: Bool) {
        self.isJSON = isJSON
    }

    /// Something happened; `details` are for programs, `text` is for people.
    func event(_ event: String, _ text: String, _ details: [String: String] = [:]) {
        let line =
            isJSON
            ? (try? lines.line(details.merging(["event": event]) { $1 })) ?? ""
            : text
        // Nobody may read any more; the radio goes on for those in the air.
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }

    /// A hint for the person in front of it.
    func hint(_ text: String) {
        if !isJSON { event("hint", text) }
    }
}
