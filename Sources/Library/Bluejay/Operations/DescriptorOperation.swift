internal import BluejayBlueZ
internal import BluejayCore
internal import FoundationEssentials

final class DescriptorOperation: QueuedOperation {
    let timeout: Timeout
    var subject: ErrorSubject { ErrorSubject(written == nil ? .read : .write, descriptor) }

    private let descriptor: DescriptorIdentifier
    /// The value to write, or `nil` for a read.
    private let written: Data?
    private let link: ConnectedLink
    private let completion: (Result<Data, any Error>) -> Void
    private var value = Data()
    /// Withdraws the request if it still waits for earlier requests of the descriptor.
    private var cancelRequest: (() -> Void)?

    init(
        _ descriptor: DescriptorIdentifier,
        _ link: ConnectedLink,
        writing written: Data? = nil,
        timeout: Timeout,
        completion: @escaping (Result<Data, any Error>) -> Void
    ) {
        self.descriptor = descriptor
        self.link = link
        self.written = written
        self.timeout = timeout
        self.completion = completion
    }

    func start(onEnd: @escaping (BluejayError?) -> Void) {
        link.resolve(descriptor.characteristic, onEnd) { [self] lease, characteristic in
            let found = characteristic.descriptor(descriptor.uuid, instance: descriptor.instance)
            guard let found else { return onEnd(.missingDescriptor(descriptor)) }
            let limit = ATTLimits.maximumValueLength
            if let length = written?.count, length > limit {
                return onEnd(.valueTooLong(length: length, limit: limit))
            }
            let request = send(lease, found) { [self] result in
                switch result {
                case .success(let data):
                    value = data
                    onEnd(nil)
                case .failure(let failure):
                    onEnd(error(failure))
                }
            }
            cancelRequest = { [weak lease] in lease?.cancel(request) }
        }
    }

    func abort() {
        cancelRequest?()
    }

    func complete(_ error: (any Error)?) {
        completion(error.map { .failure($0) } ?? .success(value))
    }

    private func send(
        _ lease: LinkLease,
        _ found: RemoteDescriptor,
        _ ended: @escaping (Result<Data, BlueZFailure>) -> Void
    ) -> LinkRequestID {
        guard let written else { return lease.read(found, completion: ended) }
        return lease.write(found, written) { result in ended(result.map { Data() }) }
    }

    private func error(_ failure: BlueZFailure) -> BluejayError {
        guard failure == .objectRemoved, link.lease != nil else {
            return link.error(failure, on: descriptor.characteristic)
        }
        return .missingDescriptor(descriptor)
    }
}

extension ErrorSubject {
    /// The error of a malformed identifier or a forbidden write, regardless of the peripheral.
    var descriptorRejection: BluejayError? {
        guard let descriptor else { return nil }
        if descriptor.uuid.isMalformed { return .malformedUUID(descriptor.uuid.uuidString) }
        guard call == .write, descriptor.uuid == DescriptorIdentifier.clientConfiguration else {
            return nil
        }
        return .notSupported(
            "BlueZ manages this descriptor; use listen(to:) and endListen(to:)"
        )
    }
}
