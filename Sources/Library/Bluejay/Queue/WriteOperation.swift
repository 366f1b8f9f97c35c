internal import BluejayBlueZ
internal import BluejayCore
internal import FoundationEssentials

final class WriteOperation: QueuedOperation {
    /// Returns the length of the longest value of a type over a link with an MTU, if known.
    static func longestValue(_ type: WriteType, mtu: Int?) -> Int {
        type == .withoutResponse
            ? min(ATTLimits.longestValue, ATTLimits.payload(mtu: mtu)) : ATTLimits.longestValue
    }

    let timeout: Timeout
    var subject: ErrorSubject { call.subject }
    var characteristicCall: SharedCallDetails? { call }
    var byteCount: Int? { value.count }

    private let call: SharedCallDetails
    private let value: Data
    private let type: WriteType
    private let completion: (WriteResult) -> Void
    private let link: ConnectedLink
    private let flow: WriteFlowControl
    /// Whether `flow` counts the write until its completion.
    private let isCounted: Bool
    /// The pending request and its lease, to withdraw the request; set until completion.
    private var asked: (lease: LinkLease, request: LinkRequestID)?

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
        self.flow = flow
        self.isCounted = isCounted && type == .withoutResponse
        self.completion = completion
        if self.isCounted { flow.began() }
    }

    func start(done: @escaping (BluejayError?) -> Void) {
        link.resolve(call.characteristic, done) { lease, object in
            if type == .withoutResponse {
                let usesSockets = flow.usesSockets
                if lease.usesSockets != usesSockets { lease.usesSockets = usesSockets }
                if lease.send(value, to: object) { return done(nil) }
            }
            if let refusal = refusal(lease.link, object) { return done(refusal) }
            let request = lease.write(object, value, withResponse: type == .withResponse) {
                [link] result in
                switch result {
                case .success: done(nil)
                case .failure(let failure):
                    done(link.error(failure, on: object, needing: Self.writable))
                }
            }
            asked = (lease, request)
        }
    }

    func abort() {
        if let (lease, request) = asked { lease.withdraw(request) }
    }

    func complete(_ error: (any Error)?) {
        asked = nil
        if isCounted { flow.ended() }
        completion(error.map { .failure($0) } ?? .success)
    }

    // bluetoothd sends a command even if the characteristic does not support it, and the peer silently drops
    // it.
    private func refusal(_ link: Link, _ object: RemoteCharacteristic) -> BluejayError? {
        var limit = ATTLimits.longestValue
        if type == .withoutResponse {
            guard object.properties.contains(.writeWithoutResponse) else {
                return .notSupported("the characteristic supports writes with response only")
            }
            limit = min(limit, ATTLimits.payload(mtu: link.mtu(of: object)))
        }
        return value.count > limit ? .valueTooLong(length: value.count, limit: limit) : nil
    }
}
