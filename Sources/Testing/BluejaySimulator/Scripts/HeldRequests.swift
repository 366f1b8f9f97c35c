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
    typealias PendingRequest = (
        request: PeerRequest, client: ATTClient, completion: (ATTResult) -> Void,
        perform: () -> Void
    )

    private(set) var held: Set<PeerRequest> = []
    private var pendingRequests: [PendingRequest] = []

    mutating func hold(_ request: PeerRequest) {
        held.insert(request)
    }

    /// Holds a request if its kind is held; returns false otherwise.
    mutating func add(_ one: PendingRequest) -> Bool {
        guard held.contains(one.request) else { return false }
        pendingRequests.append(one)
        return true
    }

    func count(_ request: PeerRequest) -> Int {
        pendingRequests.count { $0.request == request }
    }

    mutating func release(_ request: PeerRequest) -> [PendingRequest] {
        held.remove(request)
        defer { pendingRequests.removeAll { $0.request == request } }
        return pendingRequests.filter { $0.request == request }
    }

    mutating func clientDisconnected(_ client: ATTClient) {
        pendingRequests.removeAll { $0.client === client }
    }
}
