/// A value of a file, in JSON or YAML, with the line where it begins.
package struct FileNode {
    /// A value before its field determines the expected type.
    package indirect enum Content {
        case object([Field])
        case list([FileNode])
        case text(String)
        /// A number in JSON, as written.
        case number(String)
        case boolean(Bool)
        /// An unquoted scalar in YAML: a string, a number or a Boolean, depending on the field.
        case plain(String)
        case null
    }

    package struct Field {
        let name: String
        let value: FileNode

        package init(name: String, value: FileNode) {
            self.name = name
            self.value = value
        }
    }

    /// The deepest nesting accepted: a device has five levels, and the readers are recursive.
    package static let maximumDepth = 100

    let line: Int
    let content: Content

    package init(line: Int, content: Content) {
        self.line = line
        self.content = content
    }
}

/// The names of an object read so far, for finding duplicates.
package struct FieldNames {
    private var few: [String] = []
    private var many: Set<String> = []

    package init() {}

    package mutating func insert(_ name: String) -> Bool {
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

/// The position of a value in a file, such as `services[0].characteristics[2].value`.
package indirect enum FilePlace: CustomStringConvertible {
    case file
    case field(FilePlace, String)
    case item(FilePlace, Int)

    package var description: String {
        switch self {
        case .file: ""
        case .field(.file, let name): name
        case .field(let owner, let name): "\(owner).\(name)"
        case .item(let list, let index): "\(list)[\(index)]"
        }
    }
}
