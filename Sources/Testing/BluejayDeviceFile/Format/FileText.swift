package import FoundationEssentials

/// The text of a file in either format.
package enum FileText {
    /// Returns the bytes of a UTF-8 text without its byte order mark.
    ///
    /// - Throws: ``DeviceFileError`` for bytes that are not UTF-8, and for a NUL, where libyaml would cut the
    ///   text.
    package static func bytes(of data: Data) throws(DeviceFileError) -> [UInt8] {
        var bytes = [UInt8](data)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        if let place = bytes.firstIndex(of: 0) { throw nul(inLine: line(of: place, in: bytes)) }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            let lines = bytes.split(separator: newline, omittingEmptySubsequences: false)
            let wrong = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }
            throw DeviceFileError(place: "", "is not UTF-8", line: wrong.map { $0 + 1 })
        }
        return bytes
    }

    package static func nul(inLine line: Int) -> DeviceFileError {
        DeviceFileError(
            place: "",
            "has a string with a NUL; write it as \"value\" in hexadecimal digits",
            line: line
        )
    }

    /// Returns the line of a byte, from 1.
    package static func line(of place: Int, in bytes: [UInt8]) -> Int {
        bytes.prefix(place).reduce(1) { $1 == newline ? $0 + 1 : $0 }
    }

    package static let newline = UInt8(ascii: "\n")
}
