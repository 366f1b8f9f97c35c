/// A settings file with sections, in the format of GLib (`GKeyFile`).
struct KeyFile {
    private var values: [String: String] = [:]

    init(text: String) {
        var section = ""
        for line in text.split(whereSeparator: \.isNewline).map(Self.trimmed) {
            if line.hasPrefix("["), let end = line.firstIndex(of: "]") {
                section = String(line[line.index(after: line.startIndex)..<end])
            } else if !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") {
                let name = Self.trimmed(line[..<equals])
                // The last of several entries with one name counts.
                values["\(section)/\(name)"] = String(
                    Self.trimmed(line[line.index(after: equals)...])
                )
            }
        }
    }

    subscript(section: String, name: String) -> String? { values["\(section)/\(name)"] }

    private static func trimmed(_ text: Substring) -> Substring {
        let begun = text.drop(while: \.isWhitespace)
        guard let last = begun.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return begun[...last]
    }
}
