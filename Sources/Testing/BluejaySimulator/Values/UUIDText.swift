/// The UUIDs of Bluetooth as bluetoothd writes them: 36 lower-case characters.
enum UUIDText {
    /// Returns the long form of a UUID of 4, 8 or 36 characters, or `nil` for other text.
    static func long(_ text: String) -> String? {
        let lower = text.lowercased()
        switch lower.utf8.count {
        case 4 where isHexadecimal(lower): return "0000\(lower)" + base
        case 8 where isHexadecimal(lower): return lower + base
        case 36:
            let groups = lower.split(separator: "-", omittingEmptySubsequences: false)
            guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return nil }
            return groups.allSatisfy { isHexadecimal($0) } ? lower : nil
        default: return nil
        }
    }

    /// The long form of a UUID in a script; other text ends the test program.
    static func scripted(_ text: String) -> String {
        // An error in the test's script, which no peer or program under test can cause.
        guard let uuid = long(text) else {
            preconditionFailure("\(text) is not a UUID; use 4, 8 or 36 characters")
        }
        return uuid
    }

    /// Returns the number of bytes that the UUID takes in an advertisement: 2, 4 or 16.
    static func length(_ long: String) -> Int {
        guard long.hasSuffix(base) else { return 16 }
        return long.hasPrefix("0000") ? 2 : 4
    }

    private static let base = "-0000-1000-8000-00805f9b34fb"

    private static func isHexadecimal(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
        }
    }
}
