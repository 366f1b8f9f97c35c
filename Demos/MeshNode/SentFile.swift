import BluejayCompression
import Foundation

/// A file on its way through a channel: a header, then the bytes.
///
/// The header is `file`, the size and the CRC-32 as little-endian `UInt32`, the length of the name in one
/// byte, and the name in UTF-8. The receiver answers with one byte: 1 if size and checksum are right.
struct SentFile: Equatable {
    /// The largest file, in bytes.
    static let maximumSize = 1 << 20
    static let accepted = Data([1]), rejected = Data([0])

    private static let mark = Array("file".utf8)
    private static let fixedLength = 13

    let name: String
    let bytes: Data

    var checksum: UInt32 { CRC32.checksum(of: bytes) }

    var stream: Data {
        let text = Array(name.utf8.prefix(255))
        let numbers = octets(UInt32(bytes.count)) + octets(checksum)
        return Data(Self.mark + numbers + [UInt8(text.count)] + text) + bytes
    }

    enum Failure: Error, Equatable, CustomStringConvertible {
        case notAFile, tooLarge, damaged, incomplete, refused

        var description: String {
            switch self {
            case .notAFile: "the channel does not contain a file"
            case .tooLarge: "the file has more than \(SentFile.maximumSize) bytes"
            case .damaged: "the checksum is wrong"
            case .incomplete: "the channel ended before the end of the file"
            case .refused: "the peer rejected the file"
            }
        }
    }

    /// The bytes of a channel, from which it takes one file.
    struct Receiver {
        private var data = Data()
        private var header: (length: Int, size: Int, checksum: UInt32, name: String)?

        /// The received and the expected number of bytes; 0 of 0 before the header is complete.
        var progress: (done: Int, total: Int) {
            header.map { (max(data.count - $0.length, 0), $0.size) } ?? (0, 0)
        }

        var name: String { header?.name ?? "" }

        /// Takes the next bytes.
        ///
        /// - Returns: The file, once it is complete.
        /// - Throws: ``Failure``.
        mutating func receive(_ part: Data) throws(Failure) -> SentFile? {
            data += part
            if header == nil { try readHeader() }
            guard let header, data.count >= header.length + header.size else { return nil }
            let bytes = Data(data.dropFirst(header.length))
            guard bytes.count == header.size, CRC32.checksum(of: bytes) == header.checksum else {
                throw .damaged
            }
            return SentFile(name: header.name, bytes: bytes)
        }

        private mutating func readHeader() throws(Failure) {
            let start = Array(data.prefix(SentFile.fixedLength))
            guard start.starts(with: SentFile.mark.prefix(start.count)) else { throw .notAFile }
            guard start.count == SentFile.fixedLength else { return }
            let size = Int(number(start[4..<8]))
            guard size <= SentFile.maximumSize else { throw .tooLarge }
            let nameLength = Int(start[12])
            let length = SentFile.fixedLength + nameLength
            guard data.count >= length else { return }
            let text = data.dropFirst(SentFile.fixedLength).prefix(nameLength)
            header = (length, size, number(start[8..<12]), String(decoding: text, as: UTF8.self))
        }
    }

    /// A name for a received file in a folder: no path, no hidden file, no control characters.
    static func safeName(_ name: String) -> String {
        let last = name.split(separator: "/").last.map(String.init) ?? ""
        let text = last.filter { $0.isLetter || $0.isNumber || "._- ".contains($0) }
        let visible = String(text.drop { $0 == "." || $0 == " " }.prefix(80))
        return visible.isEmpty ? "file" : visible
    }
}

private func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
}

private func octets(_ number: UInt32) -> [UInt8] {
    [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: number >> $0) }
}
