/// Writes the XML document that `Introspect` returns; see the D-Bus specification, "Introspection Data
/// Format".
enum Introspection {
    static func document(_ interfaces: [BusInterface], children: [String]) -> String {
        var lines = [
            "<!DOCTYPE node PUBLIC \"-//freedesktop//DTD D-BUS Object Introspection 1.0//EN\"",
            "\"http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd\">",
            "<node>",
        ]
        for interface in interfaces { lines += describe(interface) }
        lines += children.map { " <node name=\"\($0)\"/>" }
        lines.append("</node>")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func describe(_ interface: BusInterface) -> [String] {
        var lines = [" <interface name=\"\(interface.name)\">"]
        for method in interface.methods {
            lines.append("  <method name=\"\(method.name)\">")
            lines += types(in: method.inputSignature).map {
                "   <arg type=\"\($0)\" direction=\"in\"/>"
            }
            lines += types(in: method.outputSignature).map {
                "   <arg type=\"\($0)\" direction=\"out\"/>"
            }
            lines.append("  </method>")
        }
        for property in interface.properties {
            let access = property.set == nil ? "read" : "readwrite"
            lines.append(
                "  <property name=\"\(property.name)\" type=\"\(property.signature)\" "
                    + "access=\"\(access)\"/>"
            )
        }
        lines.append(" </interface>")
        return lines
    }

    /// Returns the complete types of a signature: `a{sv}s` is `a{sv}` and `s`.
    static func types(in signature: String) -> [String] {
        var types: [String] = []
        var current = ""
        var depth = 0
        for character in signature {
            current.append(character)
            switch character {
            case "(", "{": depth += 1
            case ")", "}": depth -= 1
            default: break
            }
            if depth == 0, character != "a" {
                types.append(current)
                current = ""
            }
        }
        return types
    }
}
