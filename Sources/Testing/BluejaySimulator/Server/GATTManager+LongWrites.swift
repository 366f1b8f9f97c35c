/// Long writes: prepared pieces that are executed together.
extension GATTManager {
    /// Stores a piece; bluetoothd calls the application on execution.
    func prepare(
        _ handle: UInt16,
        _ value: [UInt8],
        _ offset: Int,
        from client: ATTClient
    ) -> ATTResult {
        let all = database.services.flatMap(\.characteristics)
        let flags =
            all.first { $0.valueHandle == handle }?.flags
            ?? all.flatMap(\.descriptors).first { $0.handle == handle }?.flags
        guard let flags else { return .failure(.invalidHandle) }
        // Offsets have 16 bits in the protocol, but a script may contain any number.
        guard UInt16(exactly: offset) != nil else { return .failure(.invalidOffset) }
        let access = AttributeAccess(flags: flags, client: client)
        if let refusal = access.rejection(.write) { return .failure(refusal) }
        if let refusal = keep(handle, value, offset, of: client) { return .failure(refusal) }
        return .success(value)
    }

    /// Writes the pieces in their order; the first refusal ends the execution.
    func execute(
        _ writes: ArraySlice<PreparedWrites.Write>,
        from client: ATTClient,
        completion: @escaping (ATTResult) -> Void
    ) {
        guard let first = writes.first else { return completion(.success([])) }
        guard first.offset + first.value.count <= 512 else {
            return completion(.failure(.invalidLength))
        }
        let request = ATTRequest.write(
            handle: first.handle,
            value: first.value,
            offset: first.offset
        )
        perform(request, from: client) { [weak self] result in
            guard case .success = result else { return completion(result) }
            self?.execute(writes.dropFirst(), from: client, completion: completion)
        }
    }
}

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
