internal import BluejayBlueZ
internal import FoundationEssentials

/// Reads all instances of the service Device Information, one characteristic after another.
final class DeviceInformationOperation: QueuedOperation {
    let timeout: Timeout
    let subject = ErrorSubject(.read, ServiceIdentifier.deviceInformation)

    private let link: ConnectedLink
    private let completion: (Result<DeviceInformation, any Error>) -> Void
    private var information = DeviceInformation()
    /// The remaining fields, each with a characteristic that may provide it, in the order of reading.
    private var remaining:
        ArraySlice<(field: CharacteristicIdentifier, object: RemoteCharacteristic)> =
            []
    private var isAborted = false
    /// Cancels the current read if it still waits for earlier requests of its characteristic.
    private var cancelRequest: (() -> Void)?

    init(
        _ link: ConnectedLink,
        timeout: Timeout,
        completion: @escaping (Result<DeviceInformation, any Error>) -> Void
    ) {
        self.link = link
        self.timeout = timeout
        self.completion = completion
    }

    func start(onEnd: @escaping (BluejayError?) -> Void) {
        guard let link = self.link.link else { return onEnd(.notConnected) }
        guard link.has(.deviceInformation) else {
            return onEnd(.missingService(.deviceInformation))
        }
        remaining = Self.readable(of: link)[...]
        readNext(onEnd)
    }

    /// The readable characteristics of all instances of the service, field by field.
    private static func readable(
        of link: Link
    ) -> [(field: CharacteristicIdentifier, object: RemoteCharacteristic)] {
        let present = link.services
            .filter { $0.identifier.uuid == ServiceIdentifier.deviceInformation.uuid }
            .flatMap(\.characteristics)
            .filter { $0.properties.contains(.read) }
        return DeviceInformation.characteristics.flatMap { field in
            present.filter { $0.identifier.uuid == field.uuid }.map { (field, $0) }
        }
    }

    func abort() {
        isAborted = true
        cancelRequest?()
    }

    func complete(_ error: (any Error)?) {
        completion(error.map { .failure($0) } ?? .success(information))
    }

    private func readNext(_ onEnd: @escaping (BluejayError?) -> Void) {
        guard let lease = link.lease, lease.link.isUp else { return onEnd(.notConnected) }
        while let (field, object) = remaining.popFirst() {
            guard information.lacks(field), lease.link.characteristic(object.identifier) === object
            else { continue }
            let request = lease.read(object) { [self] result in
                if let error = receive(result, of: field) { return onEnd(error) }
                isAborted ? onEnd(nil) : readNext(onEnd)
            }
            cancelRequest = { [weak lease] in lease?.cancel(request) }
            return
        }
        onEnd(nil)
    }

    // A characteristic that the peripheral refuses to read counts as missing.
    private func receive(
        _ result: Result<Data, BlueZFailure>,
        of characteristic: CharacteristicIdentifier
    ) -> BluejayError? {
        switch result {
        case .success(let value): information.decode(value, for: characteristic)
        case .failure(.attribute), .failure(.notPaired), .failure(.objectRemoved): break
        case .failure(let failure):
            return link.error(failure, on: characteristic)
        }
        return nil
    }
}
