internal import CBluejayMethods

/// Reads identifiers of a mangled name, as far as a check of a peer's text needs them.
///
/// The demangler is unsuitable for such a text: a short name can expand enormously.
struct MangledName {
    /// The most bytes of an identifier, with the words that it repeats: a letter of the text repeats a whole word.
    private static let maximumLength = 4_096

    private let bytes: [UInt8]
    private(set) var position = 0
    /// The words of earlier identifiers, which later ones refer to by letters.
    private var words: [ArraySlice<UInt8>] = []

    init(_ text: Substring) {
        bytes = Array(text.utf8)
    }

    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func consume(_ characters: String) -> Bool {
        guard let next, characters.utf8.contains(next) else { return false }
        position += 1
        return true
    }

    /// Takes an identifier of ASCII characters; `nil` if there is another entity.
    mutating func identifier() -> [UInt8]? {
        guard next.map(Self.isDigit) == true else { return nil }
        var refersToWords = consume("0")
        // Two zeros introduce Punycode.
        guard !refersToWords || next != UInt8(ascii: "0") else { return nil }
        var identifier: [UInt8] = []
        repeat {
            while refersToWords, let letter = next, Self.isLetter(letter) {
                position += 1
                refersToWords = letter >= UInt8(ascii: "a")
                let index = Int(letter | 0x20) - Int(UInt8(ascii: "a"))
                guard index < words.count,
                    identifier.count + words[index].count <= Self.maximumLength
                else { return nil }
                identifier += words[index]
            }
            if consume("0") { break }
            guard let count = number(), count <= bytes.count - position,
                identifier.count + count <= Self.maximumLength
            else { return nil }
            let part = bytes[position..<position + count]
            position += count
            identifier += part
            collectWords(part)
        } while refersToWords
        return identifier
    }

    /// Whether the identifier before this position is that of a type or module, or has a local type in it.
    mutating func isTypeOrExtension() -> Bool {
        guard !consume("COVPaLEZ") else { return true }
        var rest = bytes[position...]
        while let marker = rest.firstIndex(of: UInt8(ascii: "L")) {
            rest = rest[(marker + 1)...].drop(while: Self.isDigit)
            if rest.first == UInt8(ascii: "_") { return true }
        }
        return identifier() != nil && consume("L")
    }

    private mutating func number() -> Int? {
        var value = 0
        while let digit = next, Self.isDigit(digit), value <= bytes.count {
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
            position += 1
        }
        return value > 0 ? value : nil
    }

    /// A word ends before an upper-case letter that follows another character, and at an underscore.
    private mutating func collectWords(_ part: ArraySlice<UInt8>) {
        var start: Int?
        for index in part.startIndex...part.endIndex {
            let byte = index < part.endIndex ? part[index] : UInt8(ascii: "_")
            if let from = start,
                byte == UInt8(ascii: "_")
                    || Self.isUppercase(byte) && !Self.isUppercase(part[index - 1])
            {
                if index - from >= 2, words.count < 26 { words.append(part[from..<index]) }
                start = nil
            }
            if start == nil, byte != UInt8(ascii: "_"), !Self.isDigit(byte) { start = index }
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { "0123456789".utf8.contains(byte) }
    private static func isUppercase(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { isUppercase(byte & ~0x20) }
}

extension ServiceMapper {
    /// Checks that a mangled name, as a peer has sent it, is that of a method of this type.
    ///
    /// Running another function with an actor of this type would be a memory error. A name that the program does not
    /// have must not reach the runtime, which expands its types without a bound. Types in extensions, private and
    /// local types, and names that are not ASCII are not recognized.
    ///
    /// - Parameters:
    ///   - mangled: The identifier of a `RemoteCallTarget`.
    ///   - method: The name of the method without labels.
    ///   - type: The type of the actor.
    /// - Returns: Whether the method may run with an actor of this type.
    static func isTarget(_ mangled: String, method: String, of type: Any.Type) -> Bool {
        guard let typeName = _mangledTypeName(type), mangled.hasPrefix("$s\(typeName)"),
            mangled.hasSuffix("FTE"), isFunction(mangled)
        else { return false }
        var name = MangledName(mangled.dropFirst(2))
        guard name.identifier() != nil else { return false }  // The module.
        repeat {
            // A type, followed by its kind: class or actor, enumeration, structure.
            guard name.identifier() != nil, name.consume("COV") else { return false }
        } while name.position < typeName.utf8.count
        guard name.position == typeName.utf8.count, let found = name.identifier(),
            found.elementsEqual(method.utf8)
        else { return false }
        return !name.isTypeOrExtension()
    }

    /// Whether the program has a function with this mangled name, which a call can reach.
    private static func isFunction(_ mangled: String) -> Bool {
        for (index, byte) in mangled.utf8.enumerated() {
            guard bluejay_method_set_wanted_byte(index, byte) else { return false }
        }
        return bluejay_method_has_wanted(mangled.utf8.count)
    }
}
