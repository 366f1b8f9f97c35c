import Foundation

/// Identifiers of Swift made from any text.
enum SwiftName {
    /// Longer names are cut, so that a declaration fits its line.
    private static let maximumLength = 32

    /// Returns a name for a member, such as `heartRateMeasurement` for `Heart Rate Measurement`.
    ///
    /// - Returns: `nil` if the text has no ASCII letter or digit.
    static func member(_ text: String, maximumLength: Int = maximumLength) -> String? {
        guard let type = joined(text, maximumLength) else { return nil }
        let words = words(of: text)
        let first = words[0]
        let isAcronym = first.count <= 3 || !first.contains(where: \.isLowercase)
        let head = isAcronym ? first.lowercased() : first.prefix(1).lowercased() + first.dropFirst()
        let name = head.prefix(maximumLength) + type.dropFirst(head.count)
        if type.first?.isNumber == true { return "characteristic" + type }
        return keywords.contains(String(name)) ? name + "Value" : String(name)
    }

    /// Returns a name for a type, such as `HeartRateSensor` for `Heart Rate Sensor`.
    ///
    /// - Returns: `nil` if the text has no ASCII letter or digit.
    static func type(_ text: String) -> String? {
        guard let name = joined(text, maximumLength) else { return nil }
        guard name.first?.isLetter == true else { return "Device" + name }
        return reservedTypes.contains(name) ? name + "Device" : name
    }

    /// Whether a name is free for the generated type and its module.
    static func isUsableType(_ name: String) -> Bool {
        name.wholeMatch(of: #/[A-Z][A-Za-z0-9]*/#) != nil && name.count <= maximumLength
            && !reservedTypes.contains(name)
    }

    /// Returns the plural of a member's name; `Values` follows a name without a simple plural.
    static func plural(_ name: String) -> String {
        guard let last = name.last, last.isLowercase, !name.hasSuffix("Data"), last != "s" else {
            return name + "Values"
        }
        if ["x", "ch", "sh"].contains(where: name.hasSuffix) { return name + "es" }
        let isVowel = name.dropLast().last.map("aeiou".contains) ?? true
        return last == "y" && !isVowel ? name.dropLast() + "ies" : name + "s"
    }

    /// Returns the name of the method that writes a member.
    static func setter(_ name: String) -> String {
        "set" + name.prefix(1).uppercased() + name.dropFirst()
    }

    private static func joined(_ text: String, _ maximumLength: Int) -> String? {
        let words = words(of: text)
        let name = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return name.isEmpty ? nil : String(name.prefix(maximumLength))
    }

    /// The words of ASCII letters and digits; an accented letter counts as its base letter.
    private static func words(of text: String) -> [Substring] {
        text.folding(options: .diacriticInsensitive, locale: nil).replacing("'", with: "")
            .split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
    }

    private static let keywords: Set = [
        "as", "async", "await", "actor", "associatedtype", "break", "case", "catch", "class",
        "continue", "default", "defer", "deinit", "do", "else", "enum", "extension",
        "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init",
        "inout", "internal", "is", "let", "nil", "open", "operator", "precedencegroup", "private",
        "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct",
        "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var",
        "where", "while",
    ]

    /// The types and modules that the generated code uses, and names that Swift reserves.
    private static let reservedTypes: Set =
        Set([
            "Any", "AnyObject", "Array", "Bluejay", "BluejayAsync", "BluejayCore",
            "BluejayGATTServer", "BluejayGLib", "BluejaySimulator", "BluejayTesting", "Bool",
            "Characteristic", "CharacteristicIdentifier", "Data", "Duration", "Foundation",
            "FoundationEssentials", "Int", "Int8", "Logging", "Never", "PackageDescription",
            "Protocol", "Receivable", "Recorded", "ScanFilter", "ScriptedCharacteristic", "Self",
            "Sendable", "ServiceIdentifier", "SimulatedDevice", "String", "Suite", "Swift", "Task",
            "Test", "TestWorld", "Testing", "TimedValue", "Timeout", "Type", "UInt16", "UInt8",
            "ValueStream", "Void", "WriteType", "XCTest",
        ]).union(ValueType.names)
}
