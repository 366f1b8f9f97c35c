extension BusPolicy {
    /// Parses the rules for sending to bluetoothd from a policy file of a bus.
    ///
    /// The elements of a malformed file are parsed as far as possible, although the bus would reject the
    /// whole file. Rules for other services are ignored, and so are rules for a part of the messages, such as
    /// one interface, because they do not decide about the rest.
    package init(text: String) {
        var rules: [Rule] = []
        var subject: Subject?
        for element in PolicyElements(text) {
            switch element.name {
            case "policy": subject = element.isEmpty ? nil : Self.subject(element.attributes)
            case "/policy": subject = nil
            case "allow", "deny":
                guard let subject, Self.isWholeService(element.attributes) else { continue }
                rules.append(Rule(subject, element.name == "allow"))
            default: continue
            }
        }
        self.init(rules)
    }

    private static func subject(_ attributes: [String: String]) -> Subject? {
        if let context = attributes["context"] {
            switch context {
            case "default": return .everybody
            case "mandatory": return .mandatory
            default: return nil
            }
        }
        if let user = attributes["user"] { return .user(user) }
        if let group = attributes["group"] { return group == "*" ? .everybody : .group(group) }
        return attributes["at_console"].map { .console($0 == "true") }
    }

    private static func isWholeService(_ attributes: [String: String]) -> Bool {
        guard let destination = attributes["send_destination"],
            destination == "org.bluez" || destination == "*"
        else { return false }
        return attributes.allSatisfy { name, value in
            switch name {
            case "send_destination": true
            case "send_type": value == "method_call" || value == "*"
            // `log` and `eavesdrop` do not restrict our messages.
            case "log": true
            case "eavesdrop": value == "false"
            default: !name.hasPrefix("send_")
            }
        }
    }
}

/// The elements of an XML text in their order, without comments, declarations and text content.
private struct PolicyElements: Sequence, IteratorProtocol {
    struct Element {
        /// The name, with a leading slash for an end tag.
        let name: String
        let attributes: [String: String]
        let isEmpty: Bool
    }

    private var rest: Substring

    init(_ text: String) {
        rest = text[...]
    }

    mutating func next() -> Element? {
        while let start = rest.firstIndex(of: "<") {
            rest = rest[rest.index(after: start)...]
            if rest.hasPrefix("!--") {
                guard skip(behind: "-->") else { return nil }
            } else if rest.hasPrefix("![CDATA[") {
                guard skip(behind: "]]>") else { return nil }
            } else if rest.hasPrefix("!") || rest.hasPrefix("?") {
                guard skip(behind: ">") else { return nil }
            } else {
                return element()
            }
        }
        return nil
    }

    private mutating func skip(behind end: String) -> Bool {
        guard let range = rest.firstRange(of: end) else { return false }
        rest = rest[range.upperBound...]
        return true
    }

    private mutating func element() -> Element {
        let name = consume { !$0.isWhitespace && $0 != ">" && $0 != "/" }
        // An end tag begins with a slash.
        if name.isEmpty, rest.first == "/" {
            rest = rest.dropFirst()
            let ended = consume { !$0.isWhitespace && $0 != ">" }
            _ = skip(behind: ">")
            return Element(name: "/" + ended, attributes: [:], isEmpty: false)
        }
        var attributes: [String: String] = [:]
        while true {
            _ = consume { $0.isWhitespace }
            guard let first = rest.first, first != ">" else { break }
            if first == "/" {
                _ = skip(behind: ">")
                return Element(name: String(name), attributes: attributes, isEmpty: true)
            }
            guard let (key, value) = attribute() else { break }
            attributes[key] = value
        }
        rest = rest.dropFirst()
        return Element(name: String(name), attributes: attributes, isEmpty: false)
    }

    private mutating func attribute() -> (String, String)? {
        let name = consume { !$0.isWhitespace && $0 != "=" && $0 != ">" && $0 != "/" }
        _ = consume { $0.isWhitespace }
        guard !name.isEmpty, rest.first == "=" else { return nil }
        rest = rest.dropFirst()
        _ = consume { $0.isWhitespace }
        guard let quote = rest.first, quote == "\"" || quote == "'" else { return nil }
        rest = rest.dropFirst()
        let value = consume { $0 != quote }
        guard rest.first == quote else { return nil }
        rest = rest.dropFirst()
        return (String(name), String(value))
    }

    private mutating func consume(while isPart: (Character) -> Bool) -> Substring {
        let part = rest.prefix(while: isPart)
        rest = rest[part.endIndex...]
        return part
    }
}
