enum ATTRequest: Equatable {
    case read(handle: UInt16, offset: Int)
    case write(handle: UInt16, value: [UInt8], offset: Int)
    /// A write without response.
    case command(handle: UInt16, value: [UInt8])
    /// A write to the client characteristic configuration of the value at `handle`.
    case configure(handle: UInt16, ClientConfiguration)
    case prepare(handle: UInt16, value: [UInt8], offset: Int)
    /// Executes or cancels the prepared writes.
    case execute(writes: Bool)
}

/// The value of a client characteristic configuration (Vol 3, Part G, 3.3.3.3).
enum ClientConfiguration: UInt16 {
    case nothing = 0
    case notifications = 1
    case indications = 2
}

typealias ATTResult = Result<[UInt8], ATTErrorCode>
