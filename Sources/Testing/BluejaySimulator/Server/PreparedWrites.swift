/// The pieces of long writes that a client has sent and not yet asked to be written (Core Specification,
/// Vol 3, Part F, 3.4.6).
struct PreparedWrites {
    struct Write: Equatable {
        let handle: UInt16
        let offset: Int
        var value: [UInt8]
    }

    /// How many bluetoothd keeps; pieces that follow each other are one.
    static let limit = 30

    private(set) var writes: [Write] = []

    /// Takes a piece, or says why not.
    mutating func add(_ handle: UInt16, _ value: [UInt8], _ offset: Int) -> ATTErrorCode? {
        if let last = writes.last, last.handle == handle,
            last.offset + last.value.count == offset
        {
            writes[writes.count - 1].value += value
            return nil
        }
        guard writes.count < Self.limit else { return .prepareQueueFull }
        writes.append(Write(handle: handle, offset: offset, value: value))
        return nil
    }
}
