/// A request to a characteristic that a scripted device can leave unanswered.
public enum PeerRequest: CaseIterable, Hashable, Swift.Sendable {
    /// A read of the value.
    case read
    /// A write of the value with response.
    case write
    /// The start or the end of a subscription.
    case subscription
}

struct HeldRequests {
    typealias Waiting = (
        request: PeerRequest, client: ATTClient, answer: (ATTResult) -> Void, perform: () -> Void
    )

    private(set) var held: Set<PeerRequest> = []
    private var waiting: [Waiting] = []

    mutating func hold(_ request: PeerRequest) {
        held.insert(request)
    }

    /// Holds a request if its kind is held; returns false otherwise.
    mutating func add(_ one: Waiting) -> Bool {
        guard held.contains(one.request) else { return false }
        waiting.append(one)
        return true
    }

    func count(_ request: PeerRequest) -> Int {
        waiting.count { $0.request == request }
    }

    mutating func release(_ request: PeerRequest) -> [Waiting] {
        held.remove(request)
        defer { waiting.removeAll { $0.request == request } }
        return waiting.filter { $0.request == request }
    }

    mutating func clientLeft(_ client: ATTClient) {
        waiting.removeAll { $0.client === client }
    }
}
