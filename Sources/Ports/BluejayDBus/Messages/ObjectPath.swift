internal import CBluejay
internal import FoundationEssentials

/// The path of an object on the bus, valid by construction.
///
/// libdbus aborts the process for an invalid path.
package struct ObjectPath: Hashable, Comparable, Swift.Sendable, CustomStringConvertible {
    package let text: String

    /// Returns nil if the D-Bus specification does not allow the text as a path.
    package init?(_ text: String) {
        guard unsafe text.isValid({ unsafe dbus_validate_path($0, nil) }) else { return nil }
        self.text = text
    }

    /// Accepts a text that libdbus has validated, as in every received message.
    init(unchecked text: String) {
        self.text = text
    }

    package var description: String { text }

    /// Hashes `fastHash`, which is computed eight characters at a time.
    package func hash(into hasher: inout Hasher) { hasher.combine(fastHash) }

    package static func < (left: ObjectPath, right: ObjectPath) -> Bool { left.text < right.text }

    package static let root: ObjectPath = "/"

    /// Nil if `name` is not a valid path element.
    package func child(_ name: String) -> ObjectPath? {
        ObjectPath(text == "/" ? "/\(name)" : "\(text)/\(name)")
    }

    /// The parent path; nil for the root.
    package var parent: ObjectPath? {
        guard text.utf8.count > 1, let slash = lastSlash else { return nil }
        return slash == 0
            ? .root : ObjectPath(unchecked: prefix(slash))
    }

    // `String(Substring)` copies character by character, which is slower.
    private func prefix(_ count: Int) -> String {
        unsafe text.withCString { characters in
            let bytes = unsafe UnsafeRawBufferPointer(start: characters, count: count)
            return unsafe String(decoding: bytes, as: UTF8.self)
        }
    }

    package var name: String {
        lastSlash.map { String(Substring(text.utf8.dropFirst($0 + 1))) } ?? ""
    }

    private var lastSlash: Int? {
        let characters = text.utf8.span
        var offset = characters.count
        while offset > 0 {
            offset -= 1
            if characters[offset] == Self.slash { return offset }
        }
        return nil
    }

    /// Returns the path of the first `count` elements; nil if the path is shorter.
    package func first(_ count: Int) -> ObjectPath? {
        let characters = text.utf8.span
        guard count > 0, characters.count > 1 else { return nil }
        var elements = 0
        for offset in characters.indices where characters[offset] == Self.slash {
            if elements == count {
                return ObjectPath(unchecked: prefix(offset))
            }
            elements += 1
        }
        return elements == count ? self : nil
    }

    /// Returns whether this path lies below `other`; `/a/b1` does not lie below `/a/b`.
    package func isBelow(_ other: ObjectPath) -> Bool {
        let (own, upper) = (text.utf8, other.text.utf8)
        guard own.count > upper.count else { return false }
        guard upper.count > 1 else { return true }
        let border = own[own.index(own.startIndex, offsetBy: upper.count)]
        return border == Self.slash && text.hasPrefix(other.text)
    }

    /// A hash for a table of paths: equal for equal paths, and almost always different for others.
    ///
    /// It is seeded per process, so that a peer cannot choose colliding paths.
    package var fastHash: UInt64 {
        unsafe text.withCString { characters in
            unsafe Self.fastHash(of: UnsafeRawPointer(characters), text.utf8.count)
        }
    }

    static func fastHash(of bytes: UnsafeRawPointer, _ count: Int) -> UInt64 {
        var hash = seed &+ UInt64(count)
        var offset = 0
        while offset + 8 <= count {
            let word = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            hash = mix(hash, word)
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < count {
            rest = rest << 8 | UInt64(unsafe bytes.load(fromByteOffset: offset, as: UInt8.self))
            offset += 1
        }
        return mix(hash, rest)
    }

    private static func mix(_ hash: UInt64, _ bytes: UInt64) -> UInt64 {
        let product = (hash ^ bytes).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }

    private static let seed = UInt64.random(in: .min ... .max)

    // A path is ASCII: iterating over its bytes is cheaper than over its characters.
    private static var slash: UInt8 { UInt8(ascii: "/") }
}

extension ObjectPath: ExpressibleByStringLiteral {
    /// - Precondition: The literal is a valid path.
    package init(stringLiteral literal: StaticString) {
        let text = "\(literal)"
        precondition(unsafe dbus_validate_path(text, nil) != 0, "\(text) is not an object path")
        self.text = text
    }
}

extension String {
    /// Whether the text contains a NUL, which would truncate it for libdbus: C strings end there.
    var containsNUL: Bool {
        unsafe withCString { unsafe strlen($0) } != utf8.count
    }

    /// Returns whether libdbus accepts the whole text.
    func isValid(_ validate: (UnsafePointer<CChar>) -> dbus_bool_t) -> Bool {
        unsafe withCString { unsafe validate($0) != 0 && strlen($0) == utf8.count }
    }
}
