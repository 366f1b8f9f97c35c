// Written by .ci/assigned-numbers.
extension AssignedNumberTable {
    /// The companies by their identifiers.
    static let companies = AssignedNumberTable(parts: [
        companies0000,
        companies0200,
        companies0400,
        companies0600,
        companies0800,
        companies0A00,
        companies0C00,
        companies0E00,
        companies1000,
    ])
}
