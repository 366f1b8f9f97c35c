import BluejayDeviceFile

/// The source of the client.
struct ClientSource {
    let device: GeneratedDevice

    var lines: [String] {
        imports + type + characteristics + device.services.flatMap(members)
    }

    private var type: [String] {
        let name = device.typeName
        return [
            "", "/// A client of \(description).", "public struct \(name): Swift.Sendable {",
        ] + advertisedName + [
            "    /// Matches the device in a scan; adapt it if other units advertise differently."
        ] + filter.lines("public static let filter: ScanFilter = ", at: 4) + [
            "",
            "    /// The instance that is connected to the device.",
            "    public let bluejay: Bluejay",
            "",
            "    /// Creates a client of the device to which an instance is connected.",
            "    public init(bluejay: Bluejay) {",
            "        self.bluejay = bluejay",
            "    }",
            "",
            "    /// Starts an instance, and connects it to the first matching device.",
            "    public static func connect(",
            "        with bluejay: Bluejay,",
            "        within limit: Timeout = 20",
            "    ) async throws -> \(name) {",
            "        await bluejay.start()",
            "        try await bluejay.connect(toFirst: filter, within: limit)",
            "        return \(name)(bluejay: bluejay)",
            "    }",
            "",
            "    /// Disconnects.",
            "    public func disconnect() async throws {",
            "        try await bluejay.disconnect()",
            "    }",
            "}",
        ]
    }

    private var imports: [String] {
        let usesData = device.members.contains { one in
            (one.isReadable || one.isListenable) && one.type.name == "Data"
                || one.isWritable && one.type.written.name == "Data"
        }
        return ["import BluejayAsync"] + (usesData ? ["import Foundation"] : [])
    }

    private var description: String {
        let name = SwiftText.comment(device.file.name ?? "", maximumLength: 60)
        return name.isEmpty ? "the device" : "the device “\(name)”"
    }

    // MARK: Finding

    private var advertisedName: [String] {
        guard let name = device.file.name else { return [] }
        let doc = "    /// The name that the device advertises."
        let parts = SwiftText.parts(name, columns: 80)
        let head = "    public static let name ="
        guard parts.count > 1 || head.count + parts[0].count + 1 > SwiftExpression.width else {
            return [doc, "\(head) \(parts[0])", ""]
        }
        let rest = parts.dropFirst().map { "        + \($0)" }
        return [doc, head, "        \(parts[0])"] + rest + [""]
    }

    /// An advertisement has room for a short name only.
    private var filter: SwiftExpression {
        let file = device.file
        if let name = file.name, name.utf8.count <= 29 { return .text(".name(name)") }
        guard file.advertises.isEmpty else {
            let uuids = file.advertises.map { SwiftExpression.text("\"\($0)\"") }
            return .call(".allServices", (nil, .array(uuids)))
        }
        return file.address.map { .text(".address(\"\($0.text)\")") } ?? .text(".everything")
    }

    // MARK: Characteristics

    private var characteristics: [String] {
        let all = device.members
        guard !all.isEmpty else { return [] }
        let constants = all.map { one in
            ["        /// \(Self.sentence(one.title))"]
                + one.identifier.lines("public static let \(one.name) = ", at: 8)
        }
        return [
            "", "extension \(device.typeName) {", "    /// The characteristics of the device.",
            "    public enum Characteristic {",
        ] + constants.joined(separator: [""]) + ["    }", "}"]
    }

    private func members(of service: GeneratedService) -> [String] {
        let all = service.members.flatMap { [reading($0), listening(to: $0), writing($0)] }
            .filter { !$0.isEmpty }
        guard !all.isEmpty else { return [] }
        return [
            "", "// MARK: \(service.title.replacing("`", with: ""))", "",
            "extension \(device.typeName) {",
        ]
            + all.joined(separator: [""]) + ["}"]
    }

    private func reading(_ one: GeneratedCharacteristic) -> [String] {
        guard one.isReadable else { return [] }
        return [
            "    /// Reads \(one.title).",
            "    public func \(one.name)() async throws -> \(one.type.name) {",
        ] + Self.call("try await bluejay.read", ("from", "Characteristic.\(one.name)")) + ["    }"]
    }

    private func listening(to one: GeneratedCharacteristic) -> [String] {
        guard one.isListenable else { return [] }
        return [
            "    /// Receives the values of \(one.title).",
            "    public var \(one.plural): ValueStream<\(one.type.name)> {",
        ] + Self.call("bluejay.values", ("of", "Characteristic.\(one.name)")) + ["    }"]
    }

    private func writing(_ one: GeneratedCharacteristic) -> [String] {
        guard one.isWritable else { return [] }
        let value = ("_ value", SwiftExpression.text(one.type.written.name))
        let type = ("type", SwiftExpression.text("WriteType = .withResponse"))
        let parameters = one.isWrittenInBothWays ? [value, type] : [value]
        let target = ("to", "Characteristic.\(one.name)")
        let body =
            if one.isWrittenInBothWays {
                Self.call("try await bluejay.write", target, ("value", "value"), ("type", "type"))
            } else if one.isWrittenWithResponse {
                Self.call("try await bluejay.write", target, ("value", "value"))
            } else {
                Self.call(
                    "try await bluejay.write",
                    target,
                    ("value", "value"),
                    ("type", ".withoutResponse")
                )
            }
        return ["    /// Writes \(one.title)."]
            + SwiftExpression.call(one.setter, parameters.map { SwiftArgument($0.0, $0.1) })
            .lines("public func ", tail: " async throws {", at: 4) + body + ["    }"]
    }

    private static func call(_ name: String, _ arguments: (String, String)...) -> [String] {
        SwiftExpression.call(name, arguments.map { SwiftArgument($0.0, .text($0.1)) }).lines(at: 8)
    }

    private static func sentence(_ title: String) -> String {
        title.hasPrefix("`") ? "Characteristic \(title)." : "\(title)."
    }
}
