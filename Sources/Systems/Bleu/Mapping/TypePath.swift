/// The module, the outer types and the name of a type, as the runtime and the demangler print them.
struct TypePath: Hashable {
    private struct Component: Hashable {
        let text: String
        /// `nil` for a scope without a name at run time.
        var name: String?
        var isGeneric = false
    }

    /// The modules of extensions, such as `(extension in Module):`.
    private var extensions = ""
    private var components: [Component] = []
    /// The declaration of a local type, such as `Local #1 in Module.function()`.
    private var scope: String?

    /// Takes the path at the beginning of a text.
    init(_ reader: inout TextReader) {
        while reader.hasPrefix("(extension in ") {
            extensions += reader.balanced()
            if reader.consume(":") { extensions += ":" }
        }
        repeat {
            var component = Self.component(&reader)
            if reader.next == UInt8(ascii: "<") {
                component.isGeneric = true
                _ = reader.balanced()
            }
            components.append(component)
        } while reader.consume(".")
    }

    init(_ type: Any.Type) {
        var reader = TextReader(String(reflecting: type))
        self.init(&reader)
    }

    var text: String {
        let path = extensions + components.map(\.text).joined(separator: ".")
        return scope.map { path.isEmpty ? $0 : "\(path) in \($0)" } ?? path
    }

    /// The module, or for a local type the declaration around it up to its first dot.
    var module: Substring {
        let declaration = scope.map { $0.split(separator: " in ").last ?? Substring($0) }
        return (declaration ?? Substring(components.first?.text ?? "")).prefix { $0 != "." }
    }

    var name: String { components.last?.name ?? localName ?? "" }

    /// Whether the last name has generic parameters.
    var endsGeneric: Bool { components.last?.isGeneric ?? false }

    var isGeneric: Bool { components.contains { $0.isGeneric } }

    /// Whether the type is private or local: a part of its path is unknown at run time.
    var isHidden: Bool { scope != nil || components.contains { $0.name != $0.text } }

    /// Removes the method at the end of this path.
    ///
    /// - Parameter scope: The declaration of the local type around it, if any.
    /// - Returns: The path of the type that declares the method.
    func owner(in scope: String?) -> TypePath {
        var owner = self
        owner.components.removeLast()
        owner.scope = scope
        return owner
    }

    /// Compares the known names of a private or local type.
    ///
    /// - Parameter other: The path as the runtime prints it.
    /// - Returns: Whether this path, as the demangler prints it, may be that of the same type.
    func mayBe(_ other: TypePath) -> Bool {
        let names = components.compactMap(\.name)
        if let localName {
            let inner = other.components.lastIndex { $0.name == nil } ?? -1
            return [localName] + names == other.components[(inner + 1)...].compactMap(\.name)
        }
        return isHidden && extensions == other.extensions
            && names == other.components.compactMap(\.name)
    }

    /// Whether this path is another one, or that of an extension of it in another module.
    func isPathOrExtension(of other: TypePath) -> Bool {
        guard components.map(\.text) == other.components.map(\.text), scope == nil else {
            return false
        }
        guard extensions != other.extensions else { return true }
        var reader = TextReader(extensions)
        _ = reader.piece(before: ":")
        return reader.rest() == other.extensions
    }

    private var localName: String? {
        guard let scope else { return nil }
        var reader = TextReader(scope)
        return reader.identifier()
    }

    private static func component(_ reader: inout TextReader) -> Component {
        guard reader.next == UInt8(ascii: "(") else {
            let name = reader.identifier()
            return Component(text: name, name: name)
        }
        // `(Name in _DISCRIMINATOR)` or `(unknown context at $ADDRESS)`.
        let text = reader.balanced()
        var inner = TextReader(String(text.dropFirst()))
        guard !inner.hasPrefix("unknown context at ") else { return Component(text: text) }
        return Component(text: text, name: inner.identifier())
    }
}
