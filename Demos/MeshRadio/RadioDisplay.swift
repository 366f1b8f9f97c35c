import BluejayCommandLine
import Foundation

/// The output of the radio: one line per event, written at once, also to a file.
struct RadioDisplay {
    let isJSON: Bool
    private let lines = JSONLines()

    init(isJSON: Bool) {
        self.isJSON = isJSON
    }

    /// Shows an event; `details` are for programs, `text` is for people.
    func event(_ event: String, _ text: String, _ details: [String: String] = [:]) {
        let line =
            isJSON
            ? (try? lines.line(details.merging(["event": event]) { $1 })) ?? ""
            : text
        // The output may be closed; the radio continues for its centrals.
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Shows a hint on this machine.
    func hint(_ text: String) {
        if !isJSON { event("hint", text) }
    }
}
