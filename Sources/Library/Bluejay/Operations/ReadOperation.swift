internal import BluejayBlueZ
internal import FoundationEssentials

final class ReadOperation: QueuedOperation {
    let timeout: Timeout
    var subject: ErrorSubject { call.subject }
    var callDetails: SharedCallDetails? { call }
    var byteCount: Int? { value.count }

    private let call: SharedCallDetails
    private let link: ConnectedLink
    private let completion: (Result<Data, any Error>, ReadOperation) -> Void
    private var value = Data()
    /// The pending request and its lease, to withdraw the request; set until completion.
    private var pendingRequest: (lease: LinkLease, request: LinkRequestID)?

    init(
        _ call: SharedCallDetails,
        _ link: ConnectedLink,
        timeout: Timeout = .standard,
        completion: @escaping (Result<Data, any Error>, ReadOperation) -> Void
    ) {
        self.call = call
        self.link = link
        self.timeout = timeout
        self.completion = completion
    }

    func start(onEnd: @escaping (BluejayError?) -> Void) {
        link.resolve(call.characteristic, onEnd) { lease, object in
            let request = lease.read(object) { [self] result in
                switch result {
                case .success(let data):
                    value = data
                    onEnd(nil)
                case .failure(let failure):
                    onEnd(link.error(failure, on: object, needing: .read))
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
        completion(error.map { .failure($0) } ?? .success(value), self)
    }
}
