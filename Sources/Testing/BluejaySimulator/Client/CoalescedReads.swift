internal import BluejayDBus

/// The reads of one attribute of a device; concurrent reads of the same part share one request.
final class CoalescedReads {
    /// The part of a value that was read.
    struct Part {
        let bytes: [UInt8]
        let offset: Int

        /// Returns the whole value with this part replaced.
        func replacing(_ value: [UInt8]) -> [UInt8] {
            value.prefix(offset) + bytes
        }
    }

    private var offset = 0
    private var calls: [MethodInvocation] = []

    /// Handles a `ReadValue`; `arrived` is called before the waiting calls are answered.
    func read(
        _ call: MethodInvocation,
        _ handle: UInt16,
        of device: Device,
        onPart: @escaping (Part) -> Void
    ) {
        let options: AttributeOptions
        do throws(BusError) {
            options = try AttributeOptions(call.arguments[0])
        } catch {
            return call.fail(error)
        }
        guard let client = device.client else { return call.fail(BlueZError.notConnected) }
        guard calls.isEmpty || options.offset == offset else {
            return call.fail(BlueZError.inProgress)
        }
        offset = options.offset
        calls.append(call)
        guard calls.count == 1 else { return }
        client.send(.read(handle: handle, offset: offset)) { [weak self] in
            self?.finish($0, onPart)
        }
    }

    private func finish(_ result: ATTResult, _ arrived: (Part) -> Void) {
        let calls = drainCalls()
        switch result {
        case .failure(let error):
            for call in calls { call.fail(error.clientError) }
        case .success(let bytes):
            arrived(Part(bytes: bytes, offset: offset))
            for call in calls { call.reply([.bytes(bytes)]) }
        }
    }

    /// Answers the pending calls before the object is removed.
    func close() {
        for call in drainCalls() { call.fail(ATTErrorCode.unlikely.clientError) }
    }

    private func drainCalls() -> [MethodInvocation] {
        defer { calls = [] }
        return calls
    }
}
