/// What a central may ask of a characteristic, and a scripted device may leave without an answer.
public enum PeerRequest: CaseIterable, Hashable, Swift.Sendable {
    /// A read of the value.
    case read
    /// A write of the value that is to be answered.
    case write
    /// The beginning or the end of notifications or indications.
    case subscription
}

/// The requests for one characteristic that wait for their answers.
struct HeldRequests {
    typealias Waiting = (
        request: PeerRequest, client: ATTClient, answer: (ATTResult) -> Void, perform: () -> Void
    )

    private(set) var held: Set<PeerRequest> = []
    private var waiting: [Waiting] = []

    mutating func hold(_ request: PeerRequest) {
        held.insert(request)
    }

    /// Whether the request waits now.
    mutating func add(_ one: Waiting) -> Bool {
        guard held.contains(one.request) else { return false }
        waiting.append(one)
        return true
    }

    func count(_ request: PeerRequest) -> Int {
        waiting.count { $0.request == request }
    }

    /// Gives what waited, in its order.
    mutating func release(_ request: PeerRequest) -> [Waiting] {
        held.remove(request)
        defer { waiting.removeAll { $0.request == request } }
        return waiting.filter { $0.request == request }
    }

    /// The link has ended: nobody waits on it any more.
    mutating func clientLeft(_ client: ATTClient) {
        waiting.removeAll { $0.client === client }
    }
}
