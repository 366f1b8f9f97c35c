/// The flags of a characteristic, as declared by a server and as seen by a client.
enum CharacteristicFlags {
    /// All flags that an application may use; any other flag makes the characteristic invalid.
    static let known: Set<String> = Set(visibleNames)
        .union(["authorize", "encrypt-read", "encrypt-write", "encrypt-notify", "encrypt-indicate"])
        .union(["read", "write", "notify", "indicate"].map { "encrypt-authenticated-\($0)" })
        .union(["read", "write", "notify", "indicate"].map { "secure-\($0)" })

    private static let visibleNames = [
        "broadcast", "read", "write-without-response", "write", "notify", "indicate",
        "authenticated-signed-writes", "extended-properties", "reliable-write",
        "writable-auxiliaries",
    ]

    /// Returns the flags that a client sees, in bluetoothd's order, without security flags.
    static func visible(_ flags: [String]) -> [String] {
        var seen = Set(flags)
        for operation in ["read", "write", "notify", "indicate"]
        where needsEncryption(flags, operation) { seen.insert(operation) }
        if seen.contains("reliable-write") || seen.contains("writable-auxiliaries") {
            seen.insert("extended-properties")
        }
        return visibleNames.filter { seen.contains($0) }
    }

    /// Whether an operation, such as `read` or `write`, needs an encrypted link.
    static func needsEncryption(_ flags: [String], _ operation: String) -> Bool {
        ["encrypt-", "encrypt-authenticated-", "secure-"].contains {
            flags.contains($0 + operation)
        }
    }

    /// Whether an operation needs authenticated pairing: a user compared or typed a number.
    static func needsAuthentication(_ flags: [String], _ operation: String) -> Bool {
        ["encrypt-authenticated-", "secure-"].contains { flags.contains($0 + operation) }
    }
}
