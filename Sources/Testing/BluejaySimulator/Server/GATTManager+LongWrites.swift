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
