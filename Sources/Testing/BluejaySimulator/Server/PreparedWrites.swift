/// The pieces of long writes that a client has prepared and not yet executed (Core Specification, Vol 3, Part
/// F, 3.4.6).
struct PreparedWrites {
    struct Write: Equatable {
        let handle: UInt16
        let offset: Int
        var value: [UInt8]
    }

    /// bluetoothd's limit; contiguous pieces count as one.
    static let maximumCount = 30

    private(set) var writes: [Write] = []

    /// Stores a piece; returns the error if it is refused.
    mutating func add(_ handle: UInt16, _ value: [UInt8], _ offset: Int) -> ATTErrorCode? {
        if let last = writes.last, last.handle == handle,
            last.offset + last.value.count == offset
        {
            writes[writes.count - 1].value += value
            return nil
        }
        guard writes.count < Self.maximumCount else { return .prepareQueueFull }
        writes.append(Write(handle: handle, offset: offset, value: value))
        return nil
    }
}
