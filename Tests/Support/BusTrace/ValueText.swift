internal import BluejayDBus

/// Formats the values of messages, without incidental differences.
struct ValueText {
    let names: ObjectNames

    // The properties that depend on the radio, the time or the machine, for any object.
    private static let variableProperties: Set<String> = ["RSSI", "MTU", "mtu", "Class"]

    // The properties that are written with their value when an object appears.
    private static let reportedProperties: [String: Set<String>] = [
        "org.bluez.Device1": [
            "AddressType", "Alias", "Blocked", "Bonded", "Connected", "LegacyPairing", "Name",
            "Paired", "ServicesResolved", "Trusted", "UUIDs",
        ],
        "org.bluez.Adapter1": ["Discovering", "PowerState", "Powered"],
        "org.bluez.GattService1": ["Primary", "UUID"],
        "org.bluez.GattCharacteristic1": [
            "Flags", "NotifyAcquired", "Notifying", "UUID", "WriteAcquired",
        ],
        "org.bluez.GattDescriptor1": ["UUID"],
    ]

    // The properties that depend on the machine's name and on other programs.
    private static let variableAdapterProperties: Set<String> = [
        "Name", "Alias", "UUIDs", "Modalias",
    ]

    /// Returns a value as text; `key` is the name of its property or entry.
    func text(_ value: BusValue, key: String = "", interface: String = "") -> String {
        if isVariable(key, interface) { return "*" }
        switch value {
        case .byte, .int16, .uint16, .int32, .uint32, .int64, .uint64:
            return value.integer.map(String.init) ?? "*"
        case .boolean(let flag): return flag ? "true" : "false"
        case .double(let number): return "\(number)"
        case .string(let text): return string(text)
        case .objectPath(let path): return names.name(of: path.text)
        case .signature(let text): return text
        case .fileDescriptor: return "*"
        case .bytes(let bytes): return "0x" + bytes.map(Self.hexadecimal).joined()
        case .array(let elements, _): return "[" + list(elements.map { text($0) }) + "]"
        case .structure(let fields): return "(" + list(fields.map { text($0) }) + ")"
        case .variant(let inner): return text(inner, key: key, interface: interface)
        case .dictionary(let entries, _, _):
            let pairs = entries.map { entry in
                let key = entry.key.text ?? text(entry.key)
                return "\(key): \(text(entry.value, key: key))"
            }
            return "{" + list(pairs.sorted()) + "}"
        }
    }

    /// Returns the properties of an interface, each as `Name=value`, sorted by name.
    func properties(_ value: BusValue, of interface: String) -> [String] {
        sorted(value).map { "\($0)=\(text($1, key: $0, interface: interface))" }
    }

    /// Returns the interfaces of an object and their properties, with the relevant values.
    func interfaces(_ value: BusValue) -> String {
        sorted(value).map { interface, properties in
            let reported = Self.reportedProperties[interface] ?? []
            let parts = sorted(properties).map { name, value in
                reported.contains(name)
                    ? "\(name)=\(text(value, key: name, interface: interface))" : name
            }
            let list = parts.isEmpty ? "" : "(" + parts.joined(separator: " ") + ")"
            return Self.short(interface) + list
        }
        .joined(separator: " ")
    }

    /// Returns the properties of one interface, with the relevant values.
    func summary(_ properties: BusValue, of interface: String) -> String {
        let pair = BusEntry(.string(interface), properties)
        return interfaces(.dictionary([pair], key: "s", value: "a{sv}"))
    }

    /// Returns the name of an interface without the common prefix.
    static func short(_ interface: String) -> String {
        if interface.hasPrefix("org.bluez.") { return String(interface.dropFirst(10)) }
        if interface.hasPrefix(Bus.name + ".") { return "fd." + interface.dropFirst(21) }
        return interface
    }

    /// Returns a text in quotation marks, with line breaks and other control characters escaped.
    static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case "\n": "\\n"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F || scalar.value == 0x85:
                "\\u{" + String(scalar.value, radix: 16) + "}"
            default: String(scalar)
            }
        }
        return "\"" + escaped.joined() + "\""
    }

    private func string(_ text: String) -> String {
        if UUIDText.isUUID(text) { return UUIDText.short(text) }
        return names.name(ofAddress: text) ?? Self.quoted(text)
    }

    private func isVariable(_ key: String, _ interface: String) -> Bool {
        Self.variableProperties.contains(key)
            || interface == "org.bluez.Adapter1" && Self.variableAdapterProperties.contains(key)
    }

    private func list(_ texts: [String]) -> String { texts.joined(separator: ", ") }

    private func sorted(_ value: BusValue) -> [(String, BusValue)] {
        (value.entries ?? [])
            .map { ($0.key.text ?? "", $0.value.unwrapped) }
            .sorted { $0.0 < $1.0 }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}
