import BluejayCore

/// The names of appearances: `Heart Rate Belt`, or `Watch` for a category.
enum AppearanceNames {
    /// Returns the name of the subcategory, or of the category if the table has no such subcategory.
    static func name(of appearance: Appearance) -> String? {
        all[UInt64(appearance.rawValue)] ?? all[UInt64(appearance.rawValue) & ~0x3F]
    }

    /// The names by the whole number; with the category if several subcategories have the name.
    static let all: [UInt64: String] = {
        let rows = AssignedNumberTable.appearances.rows
        let counts = rows.reduce(into: [:]) { $0[shortName(of: $1.name), default: 0] += 1 }
        let names = rows.map { row in
            let name = shortName(of: row.name)
            return (UInt64(row.number), counts[name] == 1 ? name : row.name)
        }
        return Dictionary(names) { first, _ in first }
    }()

    private static func shortName(of name: String) -> String {
        name.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? name
    }
}

extension Appearance {
    /// The name with the number, such as `Heart Rate Belt (833)`.
    var displayText: String {
        AppearanceNames.name(of: self).map { "\($0) (\(rawValue))" } ?? "\(rawValue)"
    }
}
