internal import BluejayBlueZ
internal import BluejayCore
internal import FoundationEssentials

final class WriteOperation: QueuedOperation {
    let timeout: Timeout
    var subject: ErrorSubject { call.subject }
    var callDetails: SharedCallDetails? { call }
    var byteCount: Int? { value.count }

    private let call: SharedCallDetails
    private let value: Data
    private let type: WriteType
    private let completion: (WriteResult) -> Void
    private let link: ConnectedLink
    private let flowControl: WriteFlowControl
    /// Whether `flowControl` counts the write until its completion.
    private let isCounted: Bool
    /// The pending request and its lease, to withdraw the request; set until completion.
    private var pendingRequest: (lease: LinkLease, request: LinkRequestID)?

    /// The properties that permit writes.
    private static let writable: AttributeProperties = [
        .write, .writeWithoutResponse, .authenticatedSignedWrites, .reliableWrite,
    ]

    init(
        _ call: SharedCallDetails,
        _ link: ConnectedLink,
        _ flow: WriteFlowControl,
        value: Data,
        type: WriteType,
        timeout: Timeout = .standard,
        isCounted: Bool = false,
        completion: @escaping (WriteResult) -> Void
    ) {
        self.call = call
        self.value = value
        self.type = type
        self.timeout = timeout
        self.link = link
        self.flowControl = flow
        self.isCounted = isCounted && type == .withoutResponse
        self.completion = completion
        if self.isCounted { flow.writeQueued() }
    }

    func start(onEnd: @escaping (BluejayError?) -> Void) {
        link.resolve(call.characteristic, onEnd) { lease, object in
            if type == .withoutResponse, object.canWrite {
                let usesSockets = flowControl.usesSockets
                if lease.usesSockets != usesSockets { lease.usesSockets = usesSockets }
                if lease.send(value, to: object) { return onEnd(nil) }
            }
            if let rejection = rejection(lease.link, object) { return onEnd(rejection) }
            let request = lease.write(object, value, withResponse: type == .withResponse) {
                [link] result in
                switch result {
                case .success: onEnd(nil)
                case .failure(let failure):
                    onEnd(link.error(failure, on: object, needing: Self.writable))
                }
            }
            pendingRequest = (lease, request)
        }
    }

    func abort() {
        if let (lease, request) = pendingRequest { lease.cancel(request) }
    }

    func complete(_ error: (any Error)?) {
        pendingRequest = nil
        if isCounted { flowControl.writeCompleted() }
        completion(error.map { .failure($0) } ?? .success)
    }

    // bluetoothd sends a command even if the characteristic does not support it, and the peer silently drops
    // it.
    private func rejection(_ link: Link, _ object: RemoteCharacteristic) -> BluejayError? {
        var limit = ATTLimits.maximumValueLength
        guard object.canWrite else {
            return .notSupported("the characteristic does not support writes")
        }
        if type == .withoutResponse {
            guard object.properties.contains(.writeWithoutResponse) else {
                return .notSupported("the characteristic supports writes with response only")
            }
            limit = min(limit, ATTLimits.payload(mtu: link.mtu(of: object)))
        }
        return value.count > limit ? .valueTooLong(length: value.count, limit: limit) : nil
    }
}
