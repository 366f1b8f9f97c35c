/// A value of a file, in JSON or YAML, with the line on which it begins.
struct FileNode {
    /// What a value is, before its field says what it has to be.
    indirect enum Content {
        case object([Field])
        case list([FileNode])
        case text(String)
        /// A number of JSON, as it is written.
        case number(String)
        case boolean(Bool)
        /// A scalar of YAML without quotes: a text, a number or a truth, as the field wants.
        case plain(String)
        case null
    }

    /// An entry of an object.
    struct Field {
        let name: String
        let value: FileNode
    }

    /// How deep values stand in each other at most: a device has five levels, and readers call themselves for
    /// each.
    static let deepest = 100

    let line: Int
    let content: Content
}

/// The names of an object that were read, to find one that is there twice.
struct FieldNames {
    private var few: [String] = []
    private var many: Set<String> = []

    /// Adds a name; false when it is there.
    mutating func insert(_ name: String) -> Bool {
        // An object of the format has at most eight names.
        if many.isEmpty, few.count < 8 {
            guard !few.contains(name) else { return false }
            few.append(name)
            return true
        }
        if many.isEmpty { many = Set(few) }
        return many.insert(name).inserted
    }
}

/// Where a value stands in a file, such as `services[0].characteristics[2].value`.
indirect enum FilePlace: CustomStringConvertible {
    case file
    case field(FilePlace, String)
    case item(FilePlace, Int)

    var description: String {
        switch self {
        case .file: ""
        case .field(.file, let name): name
        case .field(let owner, let name): "\(owner).\(name)"
        case .item(let list, let index): "\(list)[\(index)]"
        }
    }
}
