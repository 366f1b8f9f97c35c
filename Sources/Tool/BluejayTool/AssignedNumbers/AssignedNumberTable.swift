import BluejayCore

/// Names by numbers of 16 bits, in one text.
///
/// A literal of 4,000 pairs takes minutes to compile and is built at the first use; a text needs neither.
struct AssignedNumberTable {
    /// The rows in the order of their numbers: four hexadecimal digits in upper case, a space, the name.
    let text: String

    /// Creates a table from its rows, which must be in order.
    init(_ text: String) {
        self.text = text
    }

    /// Creates a table from the texts of its files, which must be in order.
    init(parts: [String]) {
        self.init(parts.joined(separator: "\n"))
    }

    /// All rows, in the order of their numbers.
    var rows: [(number: UInt16, name: String)] {
        text.split(separator: "\n").compactMap { row in
            UInt16(row.prefix(4), radix: 16).map { ($0, String(row.dropFirst(5))) }
        }
    }

    /// Returns the name of a number, or `nil` if the table does not have it.
    func name(of number: UInt16) -> String? {
        let bytes = text.utf8
        let lineFeed = UInt8(ascii: "\n")
        // Both are at the start of a row, or at the end of the text.
        var low = bytes.startIndex
        var high = bytes.endIndex
        while low < high {
            let middle = bytes.index(low, offsetBy: bytes.distance(from: low, to: high) / 2)
            let start =
                bytes[low..<middle].lastIndex(of: lineFeed).map(bytes.index(after:)) ?? low
            let end = bytes[start..<high].firstIndex(of: lineFeed) ?? high
            let row = text[start..<end]
            guard let found = UInt16(row.prefix(4), radix: 16) else { return nil }
            if found == number { return String(row.dropFirst(5)) }
            if found < number {
                low = end == high ? high : bytes.index(after: end)
            } else {
                high = start
            }
        }
        return nil
    }
}

extension BluetoothUUID {
    /// The name of the attribute, the owner of a UUID of members, or the name in another list of UUIDs.
    var assignedName: String? {
        if let standardName { return standardName }
        guard uuidString.utf8.count == 4, let number = UInt16(uuidString, radix: 16) else {
            return nil
        }
        return AssignedNumberTable.otherUUIDs.name(of: number)
    }
}
