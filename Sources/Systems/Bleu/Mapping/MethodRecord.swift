internal import CBluejayMethods

/// A distributed method as listed in the program.
struct MethodRecord: Hashable {
    /// The identifier of its `RemoteCallTarget`.
    let target: String
    let owner: TypePath
    /// The name without labels.
    let name: String
    let isGeneric: Bool
    let parameterCount: Int
    let hasResult: Bool
    let isStream: Bool
    /// Whether a parameter or a part of the result is a stream, which cannot be sent.
    let hasMisplacedStream: Bool

    /// The methods of the program and of its libraries.
    static let all: [MethodRecord] = {
        var targets: Set<String> = []
        return (0..<bluejay_methods_load()).compactMap { index in
            let target = text { bluejay_method_name_byte(index, $0) }
            guard targets.insert(target).inserted else { return nil }
            return MethodRecord(target, text: text { bluejay_method_text_byte(index, $0) })
        }
    }()

    /// Parses the text of the demangler.
    ///
    /// - Parameters:
    ///   - target: The mangled name.
    ///   - text: The demangled name, such as `distributed thunk Module.Type.read() async throws -> Swift.Int`. With
    ///     a local type it ends with ` in Type #1 in Module.function()`.
    init?(_ target: String, text: String) {
        var reader = TextReader(text)
        guard reader.consume("distributed thunk ") else { return nil }
        let path = TypePath(&reader)
        guard reader.next == UInt8(ascii: "("), !path.name.isEmpty else { return nil }
        let parameters = reader.balanced()
        parameterCount = Self.parameterCount(parameters)
        _ = reader.piece(before: " -> ")
        let result = reader.piece(before: " in ")
        var scopes: [String] = []
        while reader.next != nil {
            var rest = reader
            if Self.isLocalType(reader.piece(before: " in ")) { scopes.append(rest.rest()) }
        }
        // The scope of a local result is printed in the same way, before the scope of the method.
        guard scopes.count < 2 || !Self.isLocalType(result) else { return nil }
        self.target = target
        name = path.name
        isGeneric = path.endsGeneric
        hasResult = result != "()"
        // An optional stream begins with `Swift.Optional<`.
        let stream = Self.streams.first { result.hasPrefix($0) }
        isStream = stream != nil
        let parts = [parameters, String(result.dropFirst(stream?.count ?? 0))]
        hasMisplacedStream = parts.contains { part in
            Self.streams.contains { part.firstRange(of: $0) != nil }
        }
        owner = path.owner(in: scopes.first)
    }

    private static let streams = ["Swift.AsyncStream<", "Swift.AsyncThrowingStream<"]

    /// Returns the number of parameters in a text like `(label: Type, Type)`.
    private static func parameterCount(_ text: String) -> Int {
        guard text != "()" else { return 0 }
        var reader = TextReader(String(text.dropFirst().dropLast()))
        var count = 0
        while reader.next != nil {
            count += 1
            _ = reader.piece(before: ", ")
        }
        return count
    }

    /// Whether the text is like `Type #1`.
    private static func isLocalType(_ text: String) -> Bool {
        var reader = TextReader(text)
        return !reader.identifier().isEmpty && reader.consume(" #") && Int(reader.rest()) != nil
    }

    private static func text(_ byte: (Int) -> Int32) -> String {
        var bytes: [UInt8] = []
        while let next = UInt8(exactly: byte(bytes.count)) { bytes.append(next) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
