internal import BluejayDBus

/// The options of `ReadValue` and `WriteValue`.
struct AttributeOptions: Equatable {
    enum WriteKind: String {
        case request, command, reliable
    }

    var offset = 0
    var type: String?

    init(_ value: BusValue) throws(BusError) {
        for (name, value) in value.namedValues ?? [:] {
            switch (name, value) {
            case ("offset", .uint16(let number)): offset = Int(number)
            case ("type", .string(let text)): type = text
            case ("offset", _), ("type", _): throw BlueZError.invalidArguments
            default: continue
            }
        }
    }

    /// Returns the requested type of a write, or the best type that the flags allow.
    ///
    /// - Throws: The error that bluetoothd replies with.
    func writeKind(
        _ flags: [String],
        _ count: Int,
        maximumCommandLength: Int
    ) throws(BusError) -> WriteKind {
        guard let type else { return try defaultWriteKind(flags) }
        guard let way = WriteKind(rawValue: type) else { throw BlueZError.notSupported }
        guard way == .command else { return way }
        guard offset == 0 else { throw BlueZError.notSupported }
        guard count <= maximumCommandLength else {
            throw BlueZError.failed("Failed to initiate write")
        }
        return way
    }

    private func defaultWriteKind(_ flags: [String]) throws(BusError) -> WriteKind {
        if flags.contains("reliable-write") { return .reliable }
        if flags.contains("write") { return .request }
        if flags.contains("write-without-response") { return .command }
        throw BlueZError.notSupported
    }
}
