/// Lines of the log as text.
enum LogLineFormatter {
    /// The order in which details are shown; others stand between these and `instance`.
    private static let order = [
        "operation", "what", "member", "path", "arguments", "peripheral", "central", "service",
        "characteristic", "adapter", "state", "bytes", "value", "serial", "took", "reason", "error",
    ]
    private static let last = ["server", "instance"]

    /// The details in the order in which they are shown: swift-log's metadata has none.
    static func sorted(_ details: [String: String]) -> [(String, String)] {
        func place(_ key: String) -> Int {
            if let place = order.firstIndex(of: key) { return place }
            return order.count + (last.contains(key) ? 1 : 0)
        }
        return details.sorted { (place($0.key), $0.key) < (place($1.key), $1.key) }
            .map { ($0.key, $0.value) }
    }

    /// A text with its details, `connected peripheral="Gadget (C0:00:00:00:00:01)" instance=5F0C1E2B`.
    static func joined(_ text: String, _ details: [(String, String)]) -> String {
        details.reduce(text) { "\($0) \($1.0)=\(quoted($1.1))" }
    }

    // What is in brackets shows its end by itself.
    private static func quoted(_ value: String) -> String {
        if value.hasPrefix("("), value.hasSuffix(")") { return value }
        guard value.contains(where: { $0 == " " || $0 == "\"" || $0 == "=" }) else { return value }
        return "\"\(value.replacing("\"", with: "\\\""))\""
    }
}
