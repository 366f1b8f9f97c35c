internal import BluejayDBus

/// Formats the arguments of a message for reading, shortened: `("org.bluez.Device1", {RSSI: -60}, [])`.
///
/// Bytes are attribute values or advertised data, so only their number is shown, even for one byte: it may
/// be a battery level.
struct BusValueFormatter {
    var showsValues = false

    /// Elements of an array or a dictionary.
    private static let maximumElementCount = 8
    /// Characters of a string, and of all arguments.
    private static let maximumStringLength = 64
    private static let maximumTotalLength = 400

    func description(of arguments: [BusValue]) -> String {
        let all = list(arguments.map { description(of: $0) }, "(", ")")
        // Bytes shown on request are not truncated.
        guard !showsValues, all.count > Self.maximumTotalLength else { return all }
        return all.prefix(Self.maximumTotalLength) + "…)"
    }

    private func description(of value: BusValue) -> String {
        switch value {
        case .byte(let byte): bytes([byte])
        case .boolean(let value): "\(value)"
        case .int16(let value): "\(value)"
        case .uint16(let value): "\(value)"
        case .int32(let value): "\(value)"
        case .uint32(let value): "\(value)"
        case .int64(let value): "\(value)"
        case .uint64(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let text): "\"\(shortened(text))\""
        case .objectPath(let path): path.text
        case .signature(let text): text
        case .fileDescriptor: "descriptor"
        case .bytes(let value): bytes(value)
        case .array(let elements, _):
            list(
                elements.prefix(Self.maximumElementCount).map { description(of: $0) },
                "[",
                "]",
                of: elements.count
            )
        case .dictionary(let entries, _, _): dictionary(entries)
        case .structure(let fields): list(fields.map { description(of: $0) }, "(", ")")
        case .variant(let inner): description(of: inner)
        }
    }

    private func dictionary(_ entries: [BusEntry]) -> String {
        let shown = entries.prefix(Self.maximumElementCount).map { entry in
            "\(entry.key.text.map(shortened) ?? description(of: entry.key)): \(description(of: entry.value))"
        }
        return list(shown, "{", "}", of: entries.count)
    }

    private func list(_ texts: [String], _ open: String, _ close: String, of count: Int? = nil)
        -> String
    {
        let left = (count ?? texts.count) - texts.count
        return open + (texts + (left > 0 ? ["…\(left) more"] : [])).joined(separator: ", ") + close
    }

    private func shortened(_ text: String) -> String {
        text.count > Self.maximumStringLength ? text.prefix(Self.maximumStringLength) + "…" : text
    }

    private func bytes(_ bytes: [UInt8]) -> String {
        guard showsValues, !bytes.isEmpty else {
            return bytes.count == 1 ? "1 byte" : "\(bytes.count) bytes"
        }
        return bytes.reduce(into: "0x") { text, byte in
            text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }
}
