/// A public function of a product, and the calls of it that a program can await.
struct PublicFunction {
    struct Parameter {
        let label: String
        let type: String
        let hasDefault: Bool

        /// Whether the function reports its result, or its end, to this parameter.
        var isCompletion: Bool { label.hasPrefix("completion") }
    }

    let symbol: PublicSymbol
    let parameters: [Parameter]
    /// The effects, the result and the requirements.
    private let rest: Substring
    private let genericArguments: [Substring: String]

    /// Types for generic parameters, by the protocol that they need.
    private static let arguments = [
        "Receivable": "UInt8", "BluetoothSendable": "UInt8", "Error": "BluejayError",
        "DistributedActor": "Lamp", "PeripheralActor": "Lamp",
    ]

    /// Returns nil for a symbol that is no function.
    init?(_ symbol: PublicSymbol) {
        let kinds = ["swift.method", "swift.func", "swift.type.method", "swift.init"]
        guard kinds.contains(symbol.kind.identifier) else { return nil }
        let declaration = symbol.declaration
        let start = #/(func [^\s(<]+|init)(?<generics><[^(]*>)?[?!]?\(/#
        guard let match = declaration.firstMatch(of: start) else { return nil }
        let tail = declaration[match.range.upperBound...]
        let list = tail.prefixOutsideBrackets { $0 == ")" }
        self.symbol = symbol
        rest = tail.dropFirst(list.count + 1)
        parameters = list.splitOutsideBrackets().compactMap(Parameter.init)
        let generics = (match.generics ?? "").dropFirst().dropLast().split(separator: ", ")
        let needs = rest.matches(of: #/(?<name>\w+) : (?<protocol>\w+)/#)
        genericArguments = Dictionary(
            uniqueKeysWithValues: generics.map { name in
                let types = needs.filter { $0.name == name }
                    .compactMap { Self.arguments[String($0.protocol)] }
                return (name, types.first ?? "Int")
            }
        )
    }

    var isAsync: Bool { rest.prefixMatch(of: #/\s*async\b/#) != nil }
    private var canThrow: Bool { rest.prefixMatch(of: #/\s*(async )?throws/#) != nil }
    private var owner: String { symbol.pathComponents.dropLast().joined(separator: ".") }
    var name: String { owner + "." + symbol.base }
    var completion: Parameter? { parameters.first { $0.isCompletion } }

    /// Returns awaited calls of it: with each argument, and with those that have no default.
    ///
    /// - Parameter protocols: The names of the protocols.
    /// - Returns: Statements of one line each.
    func calls(protocols: Set<String>) -> [String] {
        if let completion {
            let mayFail = completion.type.contains("Result")
            return [
                call(parameters.filter { !$0.isCompletion && !$0.hasDefault }, mayFail, protocols)
            ]
        }
        let shortest = parameters.filter { !$0.hasDefault }
        let all = call(parameters, canThrow, protocols)
        return shortest.count == parameters.count
            ? [all] : [all, call(shortest, canThrow, protocols)]
    }

    private func call(
        _ parameters: [Parameter],
        _ mayFail: Bool,
        _ protocols: Set<String>
    ) -> String {
        let owner = (protocols.contains(owner) ? "any " : "") + owner
        let receiver = symbol.kind.identifier == "swift.method" ? "(value() as \(owner))" : owner
        let callee = symbol.base == "init" ? receiver : "\(receiver).\(symbol.base)"
        let arguments = parameters.map { parameter in
            let label = parameter.label == "_" ? "" : "\(parameter.label): "
            if parameter.type.hasPrefix("inout ") { return label + "&argument" }
            return label + "value() as \(concrete(parameter.type))"
        }
        let call =
            "_ = \(mayFail ? "try " : "")await \(callee)(\(arguments.joined(separator: ", ")))"
        guard let changed = parameters.first(where: { $0.type.hasPrefix("inout ") }) else {
            return call
        }
        return "do { var argument: \(concrete(changed.type)) = value(); \(call) }"
    }

    /// Returns a type as an expression can name it.
    private func concrete(_ type: String) -> String {
        let attributes = #/@escaping |@isolated\(any\) |^(sending|inout|isolated) /#
        return type.replacing(attributes, with: "").replacing(#/\w+/#) { word in
            genericArguments[word.output] ?? String(word.output)
        }
    }
}

extension PublicFunction.Parameter {
    /// - Parameter text: `label name: Type = default`.
    init?(_ text: Substring) {
        let pattern = #/\s*(@\S+ )*(?<label>\w+)( \w+)?: (?<type>.*?)(?<default> = .*)?/#
        guard let match = text.wholeMatch(of: pattern) else { return nil }
        label = String(match.label)
        type = String(match.type)
        hasDefault = match.default != nil
    }
}

extension Substring {
    /// Returns the part before the first character outside of brackets that matches.
    fileprivate func prefixOutsideBrackets(_ isEnd: (Character) -> Bool) -> Substring {
        var depth = 0
        var last: Character = " "
        for index in indices {
            let character = self[index]
            if depth == 0, isEnd(character) { return self[..<index] }
            if "([<{".contains(character) { depth += 1 }
            if ")]}".contains(character) || character == ">" && last != "-" { depth -= 1 }
            last = character
        }
        return self
    }

    fileprivate func splitOutsideBrackets() -> [Substring] {
        var parts: [Substring] = []
        var rest = self
        while !rest.isEmpty {
            let part = rest.prefixOutsideBrackets { $0 == "," }
            parts.append(part)
            rest = rest.dropFirst(part.count + 1)
        }
        return parts
    }
}
