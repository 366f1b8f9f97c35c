enum LogLineFormatter {
    /// The order of the details; other details stand between these and `last`.
    private static let order = [
        "operation", "what", "member", "path", "arguments", "peripheral", "central", "service",
        "characteristic", "adapter", "state", "bytes", "value", "serial", "took", "reason", "error",
    ]
    private static let last = ["server", "instance"]

    /// Returns the details in display order: swift-log's metadata is unordered.
    static func sorted(_ details: [String: String]) -> [(String, String)] {
        func place(_ key: String) -> Int {
            if let place = order.firstIndex(of: key) { return place }
            return order.count + (last.contains(key) ? 1 : 0)
        }
        return details.sorted { (place($0.key), $0.key) < (place($1.key), $1.key) }
            .map { ($0.key, $0.value) }
    }

    /// Returns a line, `connected peripheral="Gadget (C0:00:00:00:00:01)" instance=5F0C1E2B`.
    static func joined(_ text: String, _ details: [(String, String)]) -> String {
        details.reduce(text) { "\($0) \($1.0)=\(quoted($1.1))" }
    }

    // A value in parentheses needs no quotes.
    private static func quoted(_ value: String) -> String {
        if value.hasPrefix("("), value.hasSuffix(")") { return value }
        guard value.contains(where: { $0 == " " || $0 == "\"" || $0 == "=" }) else { return value }
        return "\"\(value.replacing("\"", with: "\\\""))\""
    }
}
