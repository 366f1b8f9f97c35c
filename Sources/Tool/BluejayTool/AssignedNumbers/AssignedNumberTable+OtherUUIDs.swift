// Written by .ci/assigned-numbers.
extension AssignedNumberTable {
    /// The UUIDs of 16 bits that are no services or attributes of GATT.
    static let otherUUIDs = AssignedNumberTable(parts: [
        otherUUIDs0000,
        otherUUIDsFD00,
    ])
}
