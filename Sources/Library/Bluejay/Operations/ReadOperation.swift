internal import BluejayBlueZ
internal import FoundationEssentials

// Generic, because a closure that decodes the value takes 227 instructions and its memory for each read.
final class ReadOperation<Value: Receivable>: QueuedOperation {
    let timeout: Timeout
    var subject: ErrorSubject { call.subject }
    var callDetails: SharedCallDetails? { call }
    var byteCount: Int? { value.count }

    private let call: SharedCallDetails
    private let link: ConnectedLink
    private var value = Data()
    /// The pending request and its lease, to withdraw the request; set until completion.
    private var pendingRequest: (lease: LinkLease, request: LinkRequestID)?
    private let completion: (ReadResult<Value>) -> Void

    init(
        _ call: SharedCallDetails,
        _ link: ConnectedLink,
        timeout: Timeout = .standard,
        completion: @escaping (ReadResult<Value>) -> Void
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

    // Most reads return bytes; the specialization saves 700 instructions for each.
    @_specialize(where Value == Data)
    func complete(_ error: (any Error)?) {
        pendingRequest = nil
        complete(with: error)
    }

    @inline(never)
    private func complete(with error: (any Error)?) {
        completion(ErrorSubject.decode(error.map { .failure($0) } ?? .success(value), subject))
    }
}
