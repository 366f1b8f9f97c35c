import BluejayCommandLine
import Foundation

/// The identity of a node of this demo: four random bytes, and a name in UTF-8.
///
/// The random bytes change with each rotation, and keep two nodes of the same name apart.
struct NodeIdentity: Equatable {
    /// The length of the random part in bytes.
    static let tagLength = 4

    let tag: [UInt8]
    let name: String

    /// Creates an identity with a new random part.
    ///
    /// - Parameters:
    ///   - name: Cut at a character to 20 bytes of UTF-8.
    ///   - generator: The source of the random bytes.
    init(name: String, using generator: inout some RandomNumberGenerator) {
        var cut = name
        while cut.utf8.count > 24 - Self.tagLength { cut.removeLast() }
        self.name = cut
        tag = (0..<Self.tagLength).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    /// Reads an identity; `nil` if the data has no name, as with nodes of other programs.
    init?(_ data: Data) {
        guard data.count > Self.tagLength,
            let name = String(validating: data.dropFirst(Self.tagLength), as: UTF8.self)
        else { return nil }
        tag = Array(data.prefix(Self.tagLength))
        self.name = name
    }

    var data: Data { Data(tag + name.utf8) }
}
