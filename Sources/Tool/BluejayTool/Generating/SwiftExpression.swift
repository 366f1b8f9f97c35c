/// An expression that is printed as the formatter of Swift prints it: in one line if it fits.
indirect enum SwiftExpression {
    case text(String)
    case call(String, [SwiftArgument])
    case array([SwiftExpression])

    static let width = 100

    /// A call; each argument has its label.
    static func call(_ name: String, _ arguments: (String?, SwiftExpression)...) -> Self {
        .call(name, arguments.map(SwiftArgument.init))
    }

    /// Returns the lines of a statement.
    ///
    /// - Parameters:
    ///   - head: The text before the expression.
    ///   - tail: The text after it.
    ///   - indentation: The number of spaces.
    /// - Returns: One line if the statement fits, else several.
    func lines(_ head: String = "", tail: String = "", at indentation: Int) -> [String] {
        let indent = String(repeating: " ", count: indentation)
        let line = indent + head + flat + tail
        if line.count <= Self.width { return [line] }
        switch self {
        case .text: return [line]
        case .call(let name, let arguments):
            let last = arguments.count - 1
            let inner = arguments.enumerated().flatMap { number, argument in
                argument.value.lines(
                    argument.head,
                    tail: number == last ? "" : ",",
                    at: indentation + 4
                )
            }
            return [indent + head + name + "("] + inner + [indent + ")" + tail]
        case .array(let elements):
            return [indent + head + "["] + Self.filled(elements, at: indentation + 4)
                + [indent + "]" + tail]
        }
    }

    private var flat: String {
        switch self {
        case .text(let text): text
        case .call(let name, let arguments):
            name + "(" + arguments.map { $0.head + $0.value.flat }.joined(separator: ", ") + ")"
        case .array(let elements): "[" + elements.map(\.flat).joined(separator: ", ") + "]"
        }
    }

    /// Formats the elements of an array: each call has its own line, and other elements share lines.
    private static func filled(_ elements: [SwiftExpression], at indentation: Int) -> [String] {
        let indent = String(repeating: " ", count: indentation)
        var lines: [String] = []
        var line = ""
        // The formatter permits no comma after a single element.
        let comma = elements.count == 1 ? "" : ","
        for element in elements {
            let text = element.flat + comma
            if case .call = element {
                lines += element.lines(tail: comma, at: indentation)
            } else if line.isEmpty {
                line = indent + text
            } else if line.count + text.count + 1 <= width {
                line += " " + text
            } else {
                lines.append(line)
                line = indent + text
            }
        }
        return line.isEmpty ? lines : lines + [line]
    }
}

/// An argument of a call.
struct SwiftArgument {
    let label: String?
    let value: SwiftExpression

    init(_ label: String?, _ value: SwiftExpression) {
        self.label = label
        self.value = value
    }

    var head: String { label.map { $0 + ": " } ?? "" }
}
